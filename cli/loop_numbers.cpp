#include "cli/loop_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "cli/files.hpp"
#include "graph/npy/array.hpp"
#include "loops/arithmetic.hpp"
#include "loops/numbers.hpp"

namespace kerr::cli {

namespace {

namespace npy = graph::npy;
using loops::Parameter;
using loops::Type;

constexpr uint64_t kMostShown = 200;
constexpr size_t kLineWidth = 100;

// What a file holds for the type.
npy::Type npy_type(Type type) {
  const loops::TypeInfo& t = loops::info(type == Type::Bf16 ? Type::F32 : type);
  using Kind = npy::Type::Kind;
  return {t.is_float           ? Kind::Float
          : type == Type::Bool ? Kind::Bool
          : t.is_signed        ? Kind::Signed
                               : Kind::Unsigned,
          t.bytes, false};
}

std::string name(const Parameter& p) { return fmt::format("p{} is {} {}", p.slot, p.count, loops::info(p.type).name); }

// Bits of elements of `type`, which follow each other.
uint64_t bits_at(Type type, std::span<const std::byte> bytes, uint64_t index) {
  const size_t size = loops::info(type).bytes;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}
void set_bits(Type type, std::span<std::byte> bytes, uint64_t index, uint64_t bits) {
  const size_t size = loops::info(type).bytes;
  std::memcpy(bytes.data() + index * size, &bits, size);
}

// Elements of one type as another.
std::vector<std::byte> converted(Type to, Type from, std::span<const std::byte> bytes, uint64_t count) {
  std::vector<std::byte> out(count * loops::info(to).bytes);
  for (uint64_t k = 0; k < count; ++k) set_bits(to, out, k, loops::convert(to, from, bits_at(from, bytes, k)));
  return out;
}

std::vector<std::byte> from_file(const Parameter& p, const std::string& path) {
  const npy::Array array = npy::load(path);
  const npy::Type wanted = npy_type(p.type);
  npy::Type type = array.header().type;
  type.big_endian = false;
  const std::string file = path == "-" ? "standard input" : fmt::format("'{}'", path);
  if (type != wanted)
    throw std::invalid_argument(fmt::format("{} holds {}, and {}, which takes {}.  In Python: a.astype('{}')", file,
                                            type.name(), name(p), wanted.name(), wanted.name()));
  if (array.elements() != p.count)
    throw std::invalid_argument(fmt::format("{} holds {} numbers, and {}", file, array.elements(), name(p)));
  std::vector<std::byte> bytes = array.plain_bytes();
  return p.type == Type::Bf16 ? converted(Type::Bf16, Type::F32, bytes, p.count) : bytes;
}

std::vector<std::byte> from_list(const Parameter& p, std::string_view list) {
  std::vector<uint64_t> numbers;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string_view word = list.substr(at, end - at);
    const auto bits = loops::number_of_text(p.type, word);
    if (!bits)
      throw std::invalid_argument(fmt::format("--p{}: '{}' is no {}, which is {}; files are named NAME.npy", p.slot,
                                              word, loops::info(p.type).name, loops::numbers_of(p.type)));
    numbers.push_back(*bits);
    at = end + 1;
  }
  if (numbers.size() != 1 && numbers.size() != p.count)
    throw std::invalid_argument(
        fmt::format("--p{} has {} numbers, and {}: give as many, or one for all", p.slot, numbers.size(), name(p)));
  std::vector<std::byte> out(p.bytes());
  for (uint64_t k = 0; k < p.count; ++k) set_bits(p.type, out, k, numbers[numbers.size() == 1 ? 0 : k]);
  return out;
}

}  // namespace

std::vector<std::byte> numbers_of(const Parameter& parameter, const std::string& given) {
  return names_numbers(given) ? from_file(parameter, given) : from_list(parameter, given);
}

std::string text_of_numbers(const Parameter& p, std::span<const std::byte> bytes, std::string_view indent) {
  const uint64_t shown = std::min(p.count, kMostShown);
  std::string out;
  size_t column = 0;
  for (uint64_t k = 0; k < shown; ++k) {
    const std::string number = loops::text_of_number(p.type, bits_at(p.type, bytes, k));
    if (column != 0 && column + 1 + number.size() > kLineWidth) {
      out += '\n';
      column = 0;
    }
    out += column == 0 ? std::string(indent) : " ";
    column += number.size() + (column == 0 ? indent.size() : 1);
    out += number;
  }
  out += '\n';
  if (shown < p.count) out += fmt::format("{}... {} more\n", indent, p.count - shown);
  return out;
}

report::Json json_of_numbers(const Parameter& p, std::span<const std::byte> bytes) {
  const loops::TypeInfo& t = loops::info(p.type);
  report::Json out = report::Json::array();
  for (uint64_t k = 0; k < p.count; ++k) {
    const uint64_t bits = bits_at(p.type, bytes, k);
    if (p.type == Type::Bool) {
      out.push_back(bits != 0);
    } else if (t.is_float) {
      const auto value = std::bit_cast<double>(loops::convert(Type::F64, p.type, bits));
      out.push_back(std::isfinite(value) ? report::Json(value) : report::Json(loops::text_of_number(p.type, bits)));
    } else {
      const uint64_t wide = loops::convert(t.is_signed ? Type::I64 : Type::U64, p.type, bits);
      out.push_back(t.is_signed ? report::Json(static_cast<int64_t>(wide)) : report::Json(wide));
    }
  }
  return out;
}

std::vector<std::byte> npy_of_numbers(const Parameter& p, std::span<const std::byte> bytes) {
  const std::string head = npy::head_of_file({npy_type(p.type), false, {p.count}});
  const auto head_bytes = std::as_bytes(std::span(head));
  std::vector<std::byte> out(head_bytes.begin(), head_bytes.end());
  if (p.type == Type::Bf16) {
    const std::vector<std::byte> wide = converted(Type::F32, Type::Bf16, bytes, p.count);
    out.insert(out.end(), wide.begin(), wide.end());
  } else {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

}  // namespace kerr::cli
