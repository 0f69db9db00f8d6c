// A few tiles of a P100A and the smallest fabric that can join them: a message arrives 256 cycles after it was sent.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arch/boards.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "emu/tile/tile.hpp"
#include "isa/assembler.hpp"

namespace kerr::emu {

enum class Mode { Fast, NoParking, Reference };
inline constexpr std::array kModes{Mode::Fast, Mode::NoParking, Mode::Reference};

class World {
 public:
  explicit World(Mode mode = Mode::Fast) : mode_(mode) {}

  /// The tile at a translated coordinate, made when it is first named.
  Tile& tile(int x = 1, int y = 2) {
    const arch::NocCoord raw = arch::raw_of(geometry.translation(0), 0, {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)});
    std::unique_ptr<Tile>& tile = tiles_[NocGeometry::node_of(raw)];
    if (!tile) {
      tile = std::make_unique<Tile>(TileId::at(0, raw.x, raw.y), geometry, lines_);
      tile->set_reference(mode_ == Mode::Reference);
      if (mode_ == Mode::NoParking) tile->set_parking(false);
    }
    return *tile;
  }

  /// Runs whole windows, `cycles` at least.
  void run(Cycle cycles = 4096) {
    const Cycle until = time_ + cycles;
    deliver();
    while (time_ < until) {
      time_ += kRelaxedWindowCycles;
      for (auto& [node, tile] : tiles_) tile->run(time_);
      deliver();
    }
  }

  std::uint64_t state_hash() const {
    std::uint64_t hash = 0;
    for (const auto& [node, tile] : tiles_) hash = hash * 31 + tile->state_hash();
    return hash;
  }

  /// Messages to nodes without a tile, in the order of sending.
  std::vector<Message> elsewhere;
  const NocGeometry geometry{arch::kP100a.harvesting};

 private:
  void deliver() {
    for (auto& [node, from] : tiles_) {
      for (Message& message : from->outbox().messages()) {
        message.arrival = message.sent + kRelaxedWindowCycles;
        const auto to = tiles_.find(message.destination.node);
        if (to == tiles_.end()) {
          elsewhere.push_back(std::move(message));
        } else {
          to->second->inbox().push(std::move(message));
        }
      }
      from->outbox().messages().clear();
    }
  }

  const Mode mode_;
  std::shared_ptr<DecodedLines> lines_ = std::make_shared<DecodedLines>();
  std::map<std::uint8_t, std::unique_ptr<Tile>> tiles_;
  Cycle time_ = 0;
};

// --- the host's hands ---

inline std::uint32_t word(Tile& tile, std::uint64_t address) {
  std::uint32_t value = 0;
  EXPECT_TRUE(tile.host_read(address, {reinterpret_cast<std::uint8_t*>(&value), 4})) << std::hex << address;
  return value;
}
inline bool set(Tile& tile, std::uint64_t address, std::uint32_t value) {
  return tile.host_write(address, {reinterpret_cast<const std::uint8_t*>(&value), 4});
}

/// Text of the only fault of the tile, "" if there is none.
inline std::string the_fault(Tile& tile) {
  const std::vector<Fault> faults = tile.faults().take();
  EXPECT_LE(faults.size(), 1u);
  return faults.empty() ? "" : std::string(name(faults[0].category)) + ": " + faults[0].what;
}

using Program = std::function<void(isa::Assembler&)>;

/// Assembles `program`, ends it with a jump to itself, and releases the hart at it.
inline void start(Tile& tile, HartIndex hart, const Program& program) {
  isa::Assembler a;
  program(a);
  const isa::Label stop = a.here();
  a.j(stop);
  const auto at = 0x4000 + 0x2000 * static_cast<std::uint32_t>(hart);
  ASSERT_TRUE(tile.host_write(at, a.finish(at).bytes));
  if (hart == HartIndex::Brisc) {
    ASSERT_TRUE(set(tile, 0, arch::jal_word(at)));
  } else if (hart == HartIndex::Ncrisc) {
    ASSERT_TRUE(set(tile, arch::kNcriscResetPc, at));
    ASSERT_TRUE(set(tile, arch::kNcriscResetPcOverride, 1));
  } else {
    ASSERT_TRUE(set(tile, arch::kTrisc0ResetPc + 4u * static_cast<unsigned>(thread_of(hart)), at));
    ASSERT_TRUE(set(tile, arch::kTriscResetPcOverride, 7));
  }
  const std::uint32_t bit = 1u << arch::kSoftResetBit[static_cast<std::size_t>(hart)];
  ASSERT_TRUE(set(tile, arch::kSoftReset0, word(tile, arch::kSoftReset0) & ~bit));
}

/// One request of a NIU, written into a command buffer by the host and issued.
struct Request {
  std::uint32_t ctrl = arch::niu::kCtrlWordWrite;
  std::uint32_t targ = 0, targ_mid = 0, targ_hi = 0;
  std::uint32_t ret = 0, ret_mid = 0, ret_hi = 0;
  std::uint32_t length = 0, data = 0, exclude = 0, tag = 0;
};
inline bool issue(Tile& tile, const Request& r, int noc = 0, int buffer = 0) {
  using namespace arch::niu;
  const auto put = [&](std::uint32_t offset, std::uint32_t value) { return set(tile, arch::niu_address(noc, buffer, offset), value); };
  return put(kTargAddrLo, r.targ) && put(kTargAddrMid, r.targ_mid) && put(kTargAddrHi, r.targ_hi) && put(kRetAddrLo, r.ret) &&
         put(kRetAddrMid, r.ret_mid) && put(kRetAddrHi, r.ret_hi) && put(kAtLenBe, r.length) && put(kAtData, r.data) &&
         put(kBrcstExclude, r.exclude) && put(kPacketTag, r.tag) && put(kCtrl, r.ctrl) && put(kCmdCtrl, kCmdCtrlIssue);
}
constexpr std::uint32_t at(std::uint32_t x, std::uint32_t y) { return y << 6 | x; }
inline std::uint32_t counter(Tile& tile, int index, int noc = 0) { return word(tile, arch::niu_counter_address(noc, index)); }

}  // namespace kerr::emu
