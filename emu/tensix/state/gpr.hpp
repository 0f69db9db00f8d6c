// The scalar unit's registers: 64 of 32 bits for each thread.   docs/hardware/tensix-datapath.md 14, tile.md 4.5
#pragma once

#include <array>
#include <cstdint>

#include "arch/memory_map.hpp"
#include "emu/agent.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu::tensix {

class Gpr {
 public:
  static constexpr unsigned kCount = arch::kGprsPerThread;

  explicit Gpr(WaitBoard& board) : board_(board) {}

  uint32_t read(int thread, unsigned index) const { return words_[static_cast<size_t>(thread)][index % kCount]; }
  void write(int thread, unsigned index, uint32_t value) {
    board_.about_to_change(wait::kGpr);
    words_[static_cast<size_t>(thread)][index % kCount] = value;
  }

  /// Half register h: bit 0 selects the high half of register h >> 1.
  uint16_t read_half(int thread, unsigned half) const {
    return static_cast<uint16_t>(read(thread, half >> 1) >> (half & 1) * 16);
  }
  void write_half(int thread, unsigned half, uint16_t value) {
    const unsigned shift = (half & 1) * 16;
    write(thread, half >> 1, (read(thread, half >> 1) & ~(0xFFFFu << shift)) | uint32_t{value} << shift);
  }

  void serialize(Archive& a) { a(words_); }

 private:
  WaitBoard& board_;
  std::array<std::array<uint32_t, kCount>, kThreads> words_{};
};

}  // namespace kerr::emu::tensix
