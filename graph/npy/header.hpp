// The head of a file of NumPy's .npy format: "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }" and what
// stands before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::graph::npy {

/// What the numbers of an array are.
struct Type {
  enum class Kind : uint8_t { Float, Signed, Unsigned, Bool };
  Kind kind = Kind::Float;
  uint8_t bytes = 4;  // floats: 2, 4, 8; integers: 1, 2, 4, 8; bool: 1
  bool big_endian = false;

  /// NumPy's name for it: "float32".
  std::string name() const;
  friend bool operator==(const Type&, const Type&) = default;
};

struct Header {
  Type type;
  bool column_major = false;  // "fortran_order": the first index changes quickest from number to number
  std::vector<uint64_t> shape;

  /// The product of the shape, 1 of an empty one. No more than 2^63, as the reader refuses what is larger.
  uint64_t elements() const;
  /// As NumPy writes it: "(3, 4)", "(7,)", "()".
  std::string shape_text() const;
};

/// The first bytes of every file.
inline constexpr std::string_view kMagic = "\x93NUMPY";
/// Magic number, version, and how many bytes the length of the dictionary has: at most this many.
inline constexpr size_t kLargestPreamble = 12;
inline constexpr uint32_t kLargestDictionary = 1 << 16;  // bytes that are read of it: NumPy itself takes 10,000
inline constexpr size_t kMostAxes = 64;

/// The first 8 bytes of a file: how many bytes follow that hold the length of the dictionary, 2 or 4. Throws
/// std::invalid_argument with what is wrong with the file, as does read_dictionary(): "is ...", "has ...".
size_t length_bytes(std::span<const std::byte, 8> begin);

/// The dictionary, padding included. Keys may have any order and either quotes.
Header read_dictionary(std::string_view text);

/// The whole head of a file, of version 1.0, with its padding to 64 bytes.
std::string head_of_file(const Header& header);

}  // namespace kerr::graph::npy
