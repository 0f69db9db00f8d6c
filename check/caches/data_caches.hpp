// The L0 data caches of a tile's harts, as far as lines in them may be old.   docs/hardware/tile.md 1.7
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "check/stamp.hpp"

namespace kerr::check {

/// A cache is off until its hart was seen to switch it on.
class DataCaches {
 public:
  static constexpr uint32_t kLineBytes = 16;

  /// Any of them is on: else nothing below changes anything.
  bool any() const { return any_; }
  bool is_on(int hart) const { return caches_[static_cast<size_t>(hart)].on; }
  void set(int hart, bool on);
  /// A fence, or an atomic of the hart.
  void flush(int hart) { caches_[static_cast<size_t>(hart)].lines = {}; }

  /// Somebody writes these bytes, but not the hart `own` (-1: no hart).
  void written(uint64_t address, uint64_t bytes, const Stamp& by, int own);
  /// A load found bytes that were written since its line was filled.
  struct Old {
    Stamp by;            // who wrote last
    uint32_t value = 0;  // what the line still holds, up to four bytes
  };
  /// The hart loads bytes of one line, which is filled from `l1` where it is not there; nothing: they are not old.
  std::optional<Old> loaded(int hart, uint32_t address, uint32_t bytes, std::span<const uint8_t> l1);

 private:
  static constexpr uint32_t kNoLine = ~0u;
  struct Line {
    uint32_t address = kNoLine;
    uint16_t old = 0;  // bytes that were written since
    Stamp by;          // last
    std::array<uint8_t, kLineBytes> held{};
  };
  struct Cache {
    bool on = false;
    std::array<Line, 4> lines;
    size_t next = 0;
  };

  std::array<Cache, 5> caches_;
  bool any_ = false;
};

}  // namespace kerr::check
