#include "graph/npy/array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "graph/tensor.hpp"

namespace kerr::graph::npy {

namespace {

constexpr size_t kAtOnce = size_t{1} << 20;  // bytes, for a shape may lie

uint64_t bits_of(std::span<const std::byte> bytes, bool big_endian) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    bits = bits << 8 | static_cast<uint8_t>(bytes[big_endian ? i : bytes.size() - 1 - i]);
  return bits;
}

// IEEE's, with infinities and NaN.
double half_to_double(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
  const double magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                           : exponent == 0 ? fraction * 0x1p-24
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

double number_of(const Type& type, uint64_t bits) {
  switch (type.kind) {
    case Type::Kind::Float:
      return type.bytes == 2   ? half_to_double(static_cast<uint16_t>(bits))
             : type.bytes == 4 ? double{std::bit_cast<float>(static_cast<uint32_t>(bits))}
                               : std::bit_cast<double>(bits);
    case Type::Kind::Signed: {
      const int unused = 64 - 8 * type.bytes;
      return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
    }
    case Type::Kind::Unsigned: return static_cast<double>(bits);
    case Type::Kind::Bool: return bits != 0 ? 1 : 0;
  }
  return 0;
}

void fill(const Source& source, std::span<std::byte> bytes, const char* part) {
  if (source(bytes) != bytes.size())
    throw std::invalid_argument(fmt::format("was cut off: it ends in its {}", part));
}

Header read_header(const Source& source) {
  std::array<std::byte, 8> begin{};
  fill(source, begin, "header, or is no .npy file");
  std::array<std::byte, 4> length{};
  const auto length_read = std::span(length).first(length_bytes(begin));
  fill(source, length_read, "header");
  const uint64_t bytes = bits_of(length_read, false);
  if (bytes > kLargestDictionary)
    throw std::invalid_argument(
        fmt::format("has a header of {} bytes; at most {} are read", bytes, kLargestDictionary));
  std::string dictionary(bytes, '\0');
  fill(source, std::as_writable_bytes(std::span(dictionary)), "header");
  return read_dictionary(dictionary);
}

std::vector<std::byte> read_numbers(const Source& source, const Header& header) {
  const uint64_t size = header.elements() * header.type.bytes;
  std::vector<std::byte> bytes;
  while (bytes.size() < size) {
    const size_t before = bytes.size(), wanted = std::min<uint64_t>(size - before, std::max(before, kAtOnce));
    bytes.resize(before + wanted);
    const size_t got = source(std::span(bytes).subspan(before));
    if (got != wanted)
      throw std::invalid_argument(fmt::format("was cut off: {} numbers of {} are {} bytes, and it has {} of them",
                                              header.shape_text(), header.type.name(), size, before + got));
  }
  std::byte more{};
  if (source(std::span(&more, 1)) != 0)
    throw std::invalid_argument(fmt::format("goes on behind its {} numbers of {}: one array in a file is read",
                                            header.shape_text(), header.type.name()));
  return bytes;
}

}  // namespace

uint64_t Array::position(uint64_t index) const {
  if (!header_.column_major) return index;
  // The last axis of row-major order changes quickest; in column-major order it has the longest stride.
  uint64_t position = 0, stride = elements();
  for (size_t axis = header_.shape.size(); axis-- > 0;) {
    const uint64_t size = header_.shape[axis];
    stride /= size;
    position += index % size * stride;
    index /= size;
  }
  return position;
}

double Array::number(uint64_t index) const {
  const size_t size = header_.type.bytes;
  return number_of(header_.type,
                   bits_of(std::span(bytes_).subspan(position(index) * size, size), header_.type.big_endian));
}

std::vector<std::byte> Array::plain_bytes() const {
  if (!header_.column_major && !header_.type.big_endian) return bytes_;
  const size_t size = header_.type.bytes;
  std::vector<std::byte> out(bytes_.size());
  for (uint64_t index = 0; index < elements(); ++index) {
    const auto from = std::span(bytes_).subspan(position(index) * size, size);
    const auto to = std::span(out).subspan(index * size, size);
    header_.type.big_endian ? std::reverse_copy(from.begin(), from.end(), to.begin())
                            : std::copy(from.begin(), from.end(), to.begin());
  }
  return out;
}

Array read(const Source& source, const std::string& name) {
  try {
    Header header = read_header(source);
    if (header.elements() == 0)
      throw std::invalid_argument(fmt::format("has no numbers: its shape is {}", header.shape_text()));
    if (header.elements() > kMostElements)
      throw std::invalid_argument(fmt::format("has a shape of {}: more than {} numbers are not read",
                                              header.shape_text(), kMostElements));
    std::vector<std::byte> bytes = read_numbers(source, header);
    return Array(std::move(header), std::move(bytes));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{} {}", name, error.what()));
  }
}

Array read(std::span<const std::byte> file, const std::string& name) {
  return read(
      [&file](std::span<std::byte> bytes) {
        const size_t count = std::min(bytes.size(), file.size());
        if (count != 0) std::memcpy(bytes.data(), file.data(), count);
        file = file.subspan(count);
        return count;
      },
      name);
}

Array load(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : fmt::format("'{}'", path);
  const auto close = [standard_input](std::FILE* file) {
    if (!standard_input) std::fclose(file);
  };
  const std::unique_ptr<std::FILE, decltype(close)> file(standard_input ? stdin : std::fopen(path.c_str(), "rbe"), close);
  if (!file) throw std::invalid_argument(fmt::format("{} cannot be read: {}", name, std::strerror(errno)));
  return read(
      [&](std::span<std::byte> bytes) {
        const size_t count = std::fread(bytes.data(), 1, bytes.size(), file.get());
        if (count < bytes.size() && std::ferror(file.get()))
          throw std::invalid_argument(fmt::format("cannot be read: {}", std::strerror(errno)));
        return count;
      },
      name);
}

}  // namespace kerr::graph::npy
