// ByteReader of a file that may hold anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace kerr::image {

/// Reads on from a place; behind the end everything is 0, and ok() is false from then on.
class ByteReader {
 public:
  static constexpr size_t kMostText = 1024;

  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool done() const { return at_ >= bytes_.size(); }
  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

  /// Little-endian, of 1 to 8 bytes.
  uint64_t number(size_t bytes) {
    if (!has(bytes)) return 0;
    uint64_t out = 0;
    for (size_t i = bytes; i-- > 0;) out = out << 8 | bytes_[at_ + i];
    at_ += bytes;
    return out;
  }
  uint8_t byte() { return static_cast<uint8_t>(number(1)); }
  uint64_t uleb() {
    uint64_t out = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t b = byte();
      if (shift < 64) out |= uint64_t{b & 0x7Fu} << shift;
      if ((b & 0x80) == 0 || !ok_) return out;
    }
  }
  int64_t sleb() {
    uint64_t out = 0;
    unsigned shift = 0;
    uint8_t b = 0;
    do {
      b = byte();
      if (shift < 64) out |= uint64_t{b & 0x7Fu} << shift;
      shift += 7;
    } while ((b & 0x80) != 0 && ok_);
    if (shift < 64 && (b & 0x40) != 0) out |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(out);
  }
  /// Up to a zero, which is taken too; of a longer text the first kMostText characters.
  std::string text() {
    std::string out;
    while (ok_) {
      const uint8_t b = byte();
      if (b == 0) break;
      if (out.size() < kMostText) out += static_cast<char>(b);
    }
    return out;
  }
  void skip(uint64_t bytes) {
    if (has(bytes)) at_ += static_cast<size_t>(bytes);
  }
  /// The next bytes by themselves.
  ByteReader part(uint64_t bytes) {
    if (!has(bytes)) return ByteReader({});
    const ByteReader out(bytes_.subspan(at_, static_cast<size_t>(bytes)));
    at_ += static_cast<size_t>(bytes);
    return out;
  }
  /// From that place on; empty if there is none.
  ByteReader from(uint64_t place) const {
    return ByteReader(place <= bytes_.size() ? bytes_.subspan(static_cast<size_t>(place)) : std::span<const uint8_t>());
  }

 private:
  bool has(uint64_t bytes) {
    if (bytes <= left()) return true;
    ok_ = false;
    at_ = bytes_.size();
    return false;
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace kerr::image
