#include "emu/memory/l1.hpp"

#include <algorithm>
#include <bit>

namespace kerr::emu {

static_assert(std::endian::native == std::endian::little,
              "The device's memory is read and written as the host's: little-endian only.");

namespace {

// Base firmware, its messages, and what stock firmware is loaded over: a tile that is made gets them.
constexpr size_t kFirmwareBytes = 0x12000;

// Which of up to 64 bytes differ.
L1::LineBytes changes(const uint8_t* old, const uint8_t* written, uint32_t bytes) {
  L1::LineBytes changed = 0;
  for (uint32_t word = 0; word < bytes; word += 8) {
    const uint32_t end = std::min(word + 8, bytes);
    if (std::memcmp(old + word, written + word, end - word) == 0) continue;
    for (uint32_t i = word; i < end; ++i) changed |= L1::LineBytes{old[i] != written[i]} << i;
  }
  return changed;
}

}  // namespace

L1::L1() : beside_(std::make_unique<Beside>()) { provide_pages(data_, kFirmwareBytes); }

void L1::check(bool all) {
  checked_ = all;
  for (uint8_t& line : beside_->attributes)
    line = static_cast<uint8_t>(all ? line | kChecked : line & ~static_cast<unsigned>(kChecked));
}

void L1::tell(AccessKind kind, uint32_t address, uint32_t bytes, const uint8_t* contents) const {
  uint32_t value = 0;
  if (contents != nullptr && bytes <= sizeof value) std::memcpy(&value, contents, bytes);
  listener_->accessed(kind, address, bytes, value);
}

// A write is told once, at its first line: all lines are checked, or none.
void L1::notify(uint32_t line, uint32_t address, uint32_t bytes, const uint8_t* written) {
  if (!listener_) return;
  if (checked_ && line == address / kLineBytes) tell(AccessKind::Store, address, bytes, written);
  if (attributes()[line] != kChecked) changes_line(line, address, bytes, written);
}

void L1::write_told(uint32_t address, std::span<const uint8_t> bytes) {
  const auto count = static_cast<uint32_t>(bytes.size());
  for (uint32_t line = address / kLineBytes; line <= (address + count - 1) / kLineBytes; ++line) {
    if ((attributes()[line] & ~kChecked) != 0 && listener_) changes_line(line, address, count, bytes.data());
  }
  std::memcpy(data_ + address, bytes.data(), bytes.size());
}

void L1::changes_line(uint32_t line, uint32_t address, uint32_t bytes, const uint8_t* written) {
  const uint32_t from = std::max(address, line * kLineBytes);
  const uint32_t to = std::min(address + bytes, (line + 1) * kLineBytes);
  const LineBytes changed = written ? changes(data_ + from, written + (from - address), to - from) << from % kLineBytes
                                    : bytes_of_line(line, address, bytes);
  if (changed != 0) listener_->before_write(line, attributes()[line], changed);
}

}  // namespace kerr::emu
