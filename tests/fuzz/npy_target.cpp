// A .npy file, or a dictionary in the frame of one; what can be read becomes a matrix, text and a file again.
#include <bit>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/npy/show.hpp"
#include "graph/npy/tensor.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {
namespace {

namespace npy = graph::npy;

// Some zeros stand behind the dictionary, so that a small shape has its numbers.
std::string framed(std::string_view dictionary, unsigned bytes) {
  const size_t length = std::min<size_t>(dictionary.size(), 0xFFFF);
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(length & 0xFF);
  file += static_cast<char>(length >> 8);
  return file.append(dictionary.substr(0, length)).append(bytes, '\x3F');
}

bool same(const graph::Tensor& a, const graph::Tensor& b) {
  if (a.rows != b.rows || a.columns != b.columns) return false;
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (a.number(i) != b.number(i) && !(a.number(i) != a.number(i) && b.number(i) != b.number(i))) return false;
  }
  return true;
}

uint64_t use(const npy::Array& array, graph::Format format) {
  const npy::Matrices made = npy::matrices(array, format, "it");
  require(made.conversion.rounded + made.conversion.beyond <= array.elements(), "no number is counted twice");
  uint64_t hash = graph::hash(made.tensor) + npy::show(made.tensor, made.batch).size();
  std::vector<std::byte> file;
  npy::write(made.tensor, made.batch,
             [&file](std::span<const std::byte> bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); });
  const npy::Matrices again = npy::matrices(npy::read(std::span<const std::byte>(file), "it"), format, "it");
  require(made.batch == again.batch && same(made.tensor, again.tensor), "what was written is read again");
  return hash + npy::text(made.conversion).size();
}

}  // namespace

uint64_t fuzz_npy(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const auto format = static_cast<graph::Format>(in.below(std::size(kernels::kFormats)));
  const uint32_t frame = in.byte();
  try {
    const std::string file = frame == 0 ? std::string(in.text()) : framed(in.text(), frame);
    return use(npy::read(std::as_bytes(std::span(file)), "it"), format);
  } catch (const std::invalid_argument& error) {
    return std::string_view(error.what()).size();
  }
}

}  // namespace kerr::fuzz
