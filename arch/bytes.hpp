// Memory as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace kerr::arch {

/// One object as bytes that are moved about. They may be written if the object may.
template <class T>
auto bytes_of(T& object) {
  if constexpr (std::is_const_v<T>) {
    return std::as_bytes(std::span(&object, 1));
  } else {
    return std::as_writable_bytes(std::span(&object, 1));
  }
}

/// Bytes as numbers, which the emulator, images and hashes compute with: of an object, or of the elements of a sequence
/// (a span of std::byte, a vector of words, a string). They may be written if the object, or the elements, may.
template <class T>
auto as_uint8(T&& of) {
  const auto all = [&] {
    if constexpr (requires { std::span(of); }) {
      return std::span(of);
    } else {
      return std::span(&of, 1);
    }
  }();
  using Element = typename decltype(all)::element_type;
  static_assert(std::is_trivially_copyable_v<Element>);
  using Byte = std::conditional_t<std::is_const_v<Element>, const uint8_t, uint8_t>;
  return std::span<Byte>(reinterpret_cast<Byte*>(all.data()), all.size_bytes());
}

}  // namespace kerr::arch
