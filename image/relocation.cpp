#include "image/relocation.hpp"

#include <cstring>

namespace kerr::image {

uint32_t with_target(uint32_t word, Relocation::Kind kind, uint32_t target) {
  constexpr uint32_t kImmediateI = 0xFFF00000, kImmediateS = 0xFE000F80;
  switch (kind) {
    case Relocation::Kind::Word: return target;
    // The lower half is signed: the upper one makes up for it.
    case Relocation::Kind::Hi20: return (word & 0xFFF) | ((target + 0x800) & 0xFFFFF000);
    case Relocation::Kind::Lo12I: return (word & ~kImmediateI) | target << 20;
    case Relocation::Kind::Lo12S: return (word & ~kImmediateS) | (target & 0xFE0) << 20 | (target & 0x1F) << 7;
    default: return word;
  }
}

void relocate(std::span<uint8_t> bytes, uint32_t base, std::span<const Relocation> relocations, uint32_t delta) {
  for (const Relocation& r : relocations) {
    const uint64_t at = r.address - base;
    if (at + 4 > bytes.size()) continue;
    uint32_t word;
    std::memcpy(&word, &bytes[at], 4);
    word = with_target(word, r.kind, r.target + delta);
    std::memcpy(&bytes[at], &word, 4);
  }
}

}  // namespace kerr::image
