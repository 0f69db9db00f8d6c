// Folds pieces of state into one number, to compare two runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "emu/observe/hash.hpp"

namespace kerr::emu {

class StateHash {
 public:
  void add_bytes(const void* data, std::size_t bytes) {
    value_ = mix_bytes(value_, {static_cast<const std::uint8_t*>(data), bytes});
  }
  template <class T>
    requires std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>
  void add(const T& value) {
    add_bytes(&value, sizeof value);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace kerr::emu
