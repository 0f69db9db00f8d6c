// A fuzzer's bytes, taken one value after the other. Past the end everything is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/tensix/table.hpp"

namespace kerr::fuzz {

class Input {
 public:
  explicit Input(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  uint32_t byte() { return take(1); }
  uint32_t half() { return take(2); }
  uint32_t word() { return take(4); }
  uint32_t below(uint32_t n) { return byte() % n; }
  /// What is left.
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  /// A Tensix instruction that exists, with operands that exist: three bytes of them, and which instruction.
  uint32_t instruction() {
    const auto rows = isa::tensix::rows();
    const isa::tensix::Row& row = rows[byte() % rows.size()];
    return static_cast<uint32_t>(row.opcode) << 24 | (take(3) & row.named_bits);
  }
  /// That, or any word at all.
  uint32_t any_instruction() { return below(16) == 0 ? word() : instruction(); }

 private:
  uint32_t take(size_t n) {
    uint32_t value = 0;
    for (size_t k = 0; k < n && !bytes_.empty(); ++k) {
      value |= static_cast<uint32_t>(bytes_.front()) << 8 * k;
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

  std::span<const uint8_t> bytes_;
};

}  // namespace kerr::fuzz
