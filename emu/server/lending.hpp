// Reads under way that refer to a server's memory instead of copying it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "emu/noc/payload.hpp"

namespace kerr::emu {

/// Servers answer between windows and receivers read inside them, so lent memory cannot change while it is read. Code
/// that is about to change it, between windows, calls before_change(); payloads still under way then get a copy.
class Lending {
 public:
  Lending() = default;
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;
  ~Lending() { before_change(first_, static_cast<size_t>(last_ - first_)); }

  Payload lend(std::span<const uint8_t> bytes) {
    if (lent_.size() >= most_) {
      forget([](const Payload&) { return false; });
      most_ = std::max(kLeast, 2 * lent_.size());
    }
    widen(bytes);
    return lent_.emplace_back(Payload::lent(bytes));
  }

  void before_change(const uint8_t* at, size_t bytes) {
    if (!first_ || !overlaps(at, bytes, first_, last_)) return;
    forget([&](Payload& payload) {
      const std::span<const uint8_t> lent = payload.bytes();
      if (!overlaps(at, bytes, lent.data(), lent.data() + lent.size())) return false;
      payload.keep();
      return true;
    });
  }

 private:
  static constexpr size_t kLeast = 64;

  static bool overlaps(const uint8_t* at, size_t bytes, const uint8_t* first, const uint8_t* last) {
    return std::less()(at, last) && std::less()(first, at + bytes);
  }
  void widen(std::span<const uint8_t> lent) {
    const uint8_t* const end = lent.data() + lent.size();
    first_ = first_ ? std::min(first_, lent.data(), std::less()) : lent.data();
    last_ = last_ ? std::max(last_, end, std::less()) : end;
  }
  // Those that have arrived, and those that `done` says need no care any more.
  template <class Done>
  void forget(Done done) {
    first_ = last_ = nullptr;
    std::erase_if(lent_, [&](Payload& payload) {
      if (payload.alone() || done(payload)) return true;
      widen(payload.bytes());
      return false;
    });
  }

  std::vector<Payload> lent_;
  size_t most_ = kLeast;            // with more of them those that have arrived are looked for
  const uint8_t* first_ = nullptr;  // of all that may be under way
  const uint8_t* last_ = nullptr;
};

}  // namespace kerr::emu
