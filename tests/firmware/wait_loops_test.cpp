// The loops in which our firmware waits hold loads and fences only: a hart in one of them is parked at no cost.
// docs/architecture.md "Nothing spins", docs/hardware/tile.md 1.7
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "arch/bank_table.hpp"
#include "arch/boards.hpp"
#include "firmware/firmware.hpp"

namespace kerr::firmware {
namespace {

constexpr uint32_t kFence = 0x0FF0000F;

struct Instruction {
  uint32_t word = 0;
  uint32_t opcode() const { return word & 0x7F; }
  bool is_store() const { return opcode() == 0x23 || opcode() == 0x2F; }
  bool is_csr() const { return opcode() == 0x73; }
  bool is_call() const { return (opcode() == 0x6F || opcode() == 0x67) && (word >> 7 & 31) != 0; }
  // Where it can go from `pc`: calls return, a jump through a register leaves the function.
  std::vector<uint32_t> next(uint32_t pc) const {
    const auto w = static_cast<int32_t>(word);
    if (opcode() == 0x63) {
      const int32_t offset = (w >> 31 << 12) | static_cast<int32_t>((word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 |
                                                                     (word >> 8 & 0xF) << 1);
      return {pc + 4, pc + static_cast<uint32_t>(offset)};
    }
    if (opcode() == 0x6F && !is_call()) {
      const int32_t offset = (w >> 31 << 20) | static_cast<int32_t>((word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 |
                                                                     (word >> 21 & 0x3FF) << 1);
      return {pc + static_cast<uint32_t>(offset)};
    }
    if (opcode() == 0x67 && !is_call()) return {};
    return {pc + 4};
  }
};

struct Text {
  const Image& image;
  bool contains(uint32_t pc) const { return pc >= image.base && pc + 4 <= image.base + image.text.size(); }
  Instruction at(uint32_t pc) const {
    Instruction i;
    std::memcpy(&i.word, image.text.data() + (pc - image.base), 4);
    return i;
  }
  // The shortest way from a place back to it, without its begin; empty if there is none.
  std::vector<uint32_t> turn(uint32_t begin) const {
    std::map<uint32_t, uint32_t> from;
    std::deque<uint32_t> todo = {begin};
    while (!todo.empty()) {
      const uint32_t pc = todo.front();
      todo.pop_front();
      for (uint32_t next : at(pc).next(pc)) {
        if (!contains(next) || from.contains(next)) continue;
        from[next] = pc;
        if (next == begin) {
          std::vector<uint32_t> way;
          for (uint32_t step = pc; step != begin; step = from[step]) way.push_back(step);
          return way;
        }
        todo.push_back(next);
      }
    }
    return {};
  }
};

std::vector<Image> all_images() {
  const BaseFirmware& base = *base_firmware(arch::firmware_layout_for(arch::kP100a.harvesting));
  std::vector<Image> all(base.begin(), base.end());
  const QueueFirmware& q = queue_firmware();
  for (const Image& image : {q.prefetch, q.dispatch, q.dispatch_s, q.prefetch_h, q.prefetch_d, q.dispatch_h, q.dispatch_d})
    all.push_back(image);
  return all;
}

TEST(WaitLoops, HoldLoadsAndFencesOnly) {
  for (const Image& image : all_images()) {
    const Text text{image};
    uint32_t loops = 0;
    for (uint32_t pc = image.base; text.contains(pc); pc += 4) {
      if (text.at(pc).word != kFence) continue;
      bool alone = false;
      for (uint32_t next : text.at(pc).next(pc))
        for (uint32_t after : text.contains(next) ? text.at(next).next(next) : std::vector<uint32_t>{}) alone |= after == pc;
      const std::vector<uint32_t> turn = text.turn(pc);
      if (turn.empty() && !alone) continue;  // a fence that is passed once
      ++loops;
      for (uint32_t step : turn) {
        const Instruction i = text.at(step);
        EXPECT_FALSE(i.is_store()) << image.name << ": a store at " << std::hex << step << " in the loop of the fence at " << pc;
        EXPECT_FALSE(i.is_csr()) << image.name << ": a CSR access at " << std::hex << step;
        EXPECT_FALSE(i.is_call()) << image.name << ": a call at " << std::hex << step;
      }
    }
    EXPECT_GE(loops, 1u) << image.name << " waits nowhere?";
  }
}

}  // namespace
}  // namespace kerr::firmware
