#pragma once

#include <stddef.h>

namespace kerr::arch {

// A fixed array. The firmware's compiler has no standard library, so std::array is not for headers of this room.
template <class T, size_t N>
struct Array {
  T items[N] = {};

  static constexpr size_t size() { return N; }
  constexpr T& operator[](size_t i) { return items[i]; }
  constexpr const T& operator[](size_t i) const { return items[i]; }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + N; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + N; }
  constexpr T* data() { return items; }
  constexpr const T* data() const { return items; }
  friend constexpr bool operator==(const Array& a, const Array& b) {
    for (size_t i = 0; i < N; ++i)
      if (!(a.items[i] == b.items[i])) return false;
    return true;
  }
};

// A list that is filled up to `count` of N places.
template <class T, size_t N>
struct List {
  T items[N] = {};
  size_t count = 0;

  static constexpr size_t capacity() { return N; }
  constexpr size_t size() const { return count; }
  constexpr void push_back(const T& item) { items[count++] = item; }
  constexpr T& operator[](size_t i) { return items[i]; }
  constexpr const T& operator[](size_t i) const { return items[i]; }
  constexpr const T& back() const { return items[count - 1]; }
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + count; }
};

}  // namespace kerr::arch
