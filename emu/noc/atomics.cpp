#include "emu/noc/atomics.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "arch/noc_registers.hpp"

namespace kerr::emu {

namespace {

using arch::niu::Atomic;

Atomic opcode(uint32_t fields) { return static_cast<Atomic>(fields >> arch::niu::kAtomicOpShift & 0xF); }

}  // namespace

bool atomic_is_modelled(uint32_t fields) {
  switch (opcode(fields)) {
    case Atomic::Nop:
    case Atomic::IncrementGet:
    case Atomic::SwapMask:
    case Atomic::CompareAndSwap:
    case Atomic::Swap4Byte: return true;
    case Atomic::SwapIndex: return fields >> 2 & 1;
    default: return false;
  }
}

AtomicBytes bytes_of_atomic(uint32_t fields) {
  switch (opcode(fields)) {
    case Atomic::SwapMask: {
      const uint32_t halves = fields >> 2 & 0xFF;
      const auto first = static_cast<uint32_t>(std::countr_zero(halves | 0x100u)) % 8;
      return {2 * first, halves == 0 ? 0 : 2 * (static_cast<uint32_t>(std::bit_width(halves)) - first)};
    }
    case Atomic::Swap4Byte: return {4 * (fields >> 2 & 3), 4};
    case Atomic::Nop: return {0, 0};
    default: return {4 * (fields & 3), 4};
  }
}

void apply_atomic(std::span<uint8_t, 16> line, uint32_t fields, uint32_t data) {
  std::array<uint32_t, 4> words;
  std::memcpy(words.data(), line.data(), 16);
  uint32_t& word = words[fields & 3];
  switch (opcode(fields)) {
    case Atomic::IncrementGet: {  // wraps inside the low IntWidth + 1 bits, the others stay
      const uint32_t mask = static_cast<uint32_t>((uint64_t{2} << (fields >> 2 & 31)) - 1);
      word = ((word + data) & mask) | (word & ~mask);
      break;
    }
    case Atomic::SwapMask:
      for (int half = 0; half < 8; ++half) {
        if (!(fields >> (2 + half) & 1)) continue;
        const int shift = 16 * (half & 1);
        uint32_t& target = words[half / 2];
        target = (target & ~(0xFFFFu << shift)) | (data & (0xFFFFu << shift));
      }
      break;
    case Atomic::CompareAndSwap:
      if (word == (fields >> 2 & 0xF)) word = fields >> 6 & 0xF;
      break;
    case Atomic::SwapIndex: word = data; break;
    case Atomic::Swap4Byte: words[fields >> 2 & 3] = data; break;
    default: break;
  }
  std::memcpy(line.data(), words.data(), 16);
}

}  // namespace kerr::emu
