// An array of numbers as a .npy file holds it: `numpy.save("a.npy", a)` and, read here, `load("a.npy")`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "graph/npy/header.hpp"

namespace kerr::graph::npy {

class Array {
 public:
  Array(Header header, std::vector<std::byte> bytes) : header_(std::move(header)), bytes_(std::move(bytes)) {}

  const Header& header() const { return header_; }
  uint64_t elements() const { return header_.elements(); }
  /// The number at `index` < elements() in row-major order, whatever order the file has. Integers beyond 2^53 are
  /// rounded to float64; bools are 0 and 1.
  double number(uint64_t index) const;
  /// All numbers as they are, one behind the other: row-major and little-endian.
  std::vector<std::byte> plain_bytes() const;

 private:
  uint64_t position(uint64_t index) const;

  Header header_;
  std::vector<std::byte> bytes_;
};

/// Fills the span from its begin, and says how much of it: less than all only at the end of what there is.
using Source = std::function<size_t(std::span<std::byte>)>;

/// Reads one array, after which the source must end. No more is kept than the source has, whatever the header says. Throws
/// std::invalid_argument with a sentence that begins with `name`: the file's, in quotes.
Array read(const Source& source, const std::string& name);
Array read(std::span<const std::byte> file, const std::string& name);

/// The array of a file, a pipe or, for "-", of standard input.
Array load(const std::string& path);

}  // namespace kerr::graph::npy
