#include "emu/server/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/noc_registers.hpp"
#include "emu/server/id_registers.hpp"

namespace kerr::emu {

namespace {

constexpr uint8_t kResponseVc = 6;  // class 11: docs/hardware/noc.md 6.1

Cycle flits_of(size_t bytes) { return 1 + (bytes + arch::niu::kFlitBytes - 1) / arch::niu::kFlitBytes; }

}  // namespace

void Server::answer(const Message& request, std::vector<Message>& responses, FaultLog& faults) {
  const ServerAccess access{faults,          request.destination, request.noc, request.address,
                            request.arrival, request.source,      Agent::Units};
  switch (request.kind) {
    case MessageKind::ReadRequest: {
      Message response;
      if (!read_payload(access, request.length, response.payload)) return;
      response.kind = MessageKind::ReadResponse;
      respond(request, std::move(response), ready(request.arrival, false, request.length), request.length, responses);
      return;
    }
    case MessageKind::Write: {
      const size_t bytes = request.payload.size();
      const bool written = for_each_enabled_run(request, [&](size_t first, size_t count) {
        ServerAccess part = access;
        part.address += first;
        return write(part, request.payload.bytes().subspan(first, count));
      });
      if (!written) return;
      const Cycle done = ready(request.arrival, true, bytes);
      if (!request.marked) return;
      Message response;
      response.kind = MessageKind::WriteAck;
      respond(request, std::move(response), done, 0, responses);
      return;
    }
    case MessageKind::InlineWrite:
      refuse(access, FaultCategory::UndefinedBehavior, "inline write", 4,
             "inline writes reach registers of Tensix and Ethernet tiles only",
             "Write the word to L1 and send it with a normal write.");
      return;
    case MessageKind::Atomic:
      refuse(access, FaultCategory::UndefinedBehavior, "atomic", 4,
             "atomics reach L1 of Tensix and Ethernet tiles only", "Keep semaphores in L1.");
      return;
    default:
      // A tile whose return coordinate was never loaded sends its acks to (0,0), a DRAM tile (docs/hardware/noc.md
      // 3.1).
      refuse(access, FaultCategory::UndefinedBehavior, "response", request.payload.size(),
             "the response to a request was directed here, where nothing waits for it",
             "Load the own coordinate into NOC_TARG_ADDR_HI and NOC_RET_ADDR_HI once, as noc_init does.");
  }
}

void Server::respond(const Message& request, Message&& response, Cycle ready, size_t bytes,
                     std::vector<Message>& responses) {
  Cycle& free = niu_free_[static_cast<size_t>(port(request.destination))][request.noc];
  response.sent = std::max(ready, free) + flits_of(bytes);
  free = response.sent;
  response.source = request.destination;
  response.noc = request.noc;
  response.vc = kResponseVc;
  response.packet = response.sequence = sequence_++;
  response.destination = request.reply_tile;
  response.address = request.reply_address;
  response.transaction_id = request.transaction_id;
  responses.push_back(std::move(response));
}

bool Server::refuse(const ServerAccess& access, FaultCategory category, const std::string& verb, size_t bytes,
                    const std::string& why, const std::string& advice) {
  Fault fault;
  fault.category = category;
  fault.cycle = access.cycle;
  fault.tile = access.agent == Agent::Host ? access.target : access.source;
  fault.agent = access.agent;
  fault.address = access.address;
  const std::string who = access.agent == Agent::Host ? "the host" : geometry_.describe(access.source);
  fault.what = fmt::format("{} of {} bytes at {:#x} of {} by {} over NoC {}: {}.", verb, bytes, access.address,
                           geometry_.describe(access.target), who, access.noc, why);
  fault.advice = advice;
  access.faults.report(std::move(fault));
  return false;
}

bool Server::read_id_register(const ServerAccess& access, std::span<uint8_t> out) {
  if (out.size() != 4) return false;
  const auto value = id_register(geometry_, NocGeometry::raw_of(access.target.node), access.noc, access.address);
  if (!value) return false;
  std::memcpy(out.data(), &*value, 4);
  return true;
}

void Server::serialize(Archive& a) { a.machinery(inbox_, sequence_, niu_free_); }

}  // namespace kerr::emu
