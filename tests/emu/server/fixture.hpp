// Asks a server as the host would, or as a tile would over the NoC.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "arch/boards.hpp"
#include "arch/bytes.hpp"
#include "emu/noc/geometry.hpp"
#include "emu/server/server.hpp"

namespace kerr::emu {

class ServerTest : public ::testing::Test {
 protected:
  static constexpr TileId kAsker = TileId::at(0, 1, 2);

  ServerAccess host(TileId target, uint64_t address, int noc = 0, Cycle cycle = 0) {
    return {faults, target, noc, address, cycle, kAsker, Agent::Host};
  }
  uint32_t read32(Server& server, TileId target, uint64_t address, int noc = 0, Cycle cycle = 0) {
    uint32_t value = 0xDEAD;
    EXPECT_TRUE(server.read(host(target, address, noc, cycle), arch::as_uint8(value)));
    return value;
  }
  void write32(Server& server, TileId target, uint64_t address, uint32_t value) {
    EXPECT_TRUE(server.write(host(target, address), arch::as_uint8(value)));
  }
  /// The fault of an access that must be refused.
  Fault refused_read(Server& server, TileId target, uint64_t address, size_t bytes) {
    std::vector<uint8_t> out(bytes);
    EXPECT_FALSE(server.read(host(target, address), out));
    return only_fault();
  }
  Fault refused_write(Server& server, TileId target, uint64_t address, size_t bytes) {
    std::vector<uint8_t> in(bytes);
    EXPECT_FALSE(server.write(host(target, address), in));
    return only_fault();
  }
  Fault only_fault() {
    const std::vector<Fault> list = faults.take();
    EXPECT_EQ(list.size(), 1u);
    return list.empty() ? Fault{} : list.front();
  }

  Message read_request(TileId target, uint64_t address, uint32_t length, Cycle arrival) {
    Message m = request(MessageKind::ReadRequest, target, address, arrival);
    m.length = length;
    return m;
  }
  Message write_request(TileId target, uint64_t address, std::vector<uint8_t> bytes, Cycle arrival) {
    Message m = request(MessageKind::Write, target, address, arrival);
    m.payload = Payload(bytes);
    m.marked = true;
    return m;
  }
  Message request(MessageKind kind, TileId target, uint64_t address, Cycle arrival) {
    Message m;
    m.kind = kind;
    m.source = m.reply_tile = kAsker;
    m.reply_address = 0x4000;
    m.transaction_id = 3;
    m.sequence = sequence++;
    m.destination = target;
    m.address = address;
    m.arrival = arrival;
    return m;
  }
  std::vector<Message> serve(Server& server, Cycle horizon) {
    std::vector<Message> responses;
    struct Nobody {
      void arrived(const Message&) const {}
      void served(const Message&) const {}
    };
    server.serve(horizon, responses, faults, Nobody{});
    return responses;
  }

  FaultLog faults;
  uint64_t sequence = 0;
};

}  // namespace kerr::emu
