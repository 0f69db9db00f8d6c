#include "graph/npy/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

namespace kerr::graph::npy {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLongestQuote = 40;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

std::string quoted(std::string_view text) {
  return text.size() <= kLongestQuote ? fmt::format("'{}'", text)
                                      : fmt::format("'{}...'", text.substr(0, kLongestQuote));
}

// Reads the literals of Python that stand in a header, from left to right.
class Literals {
 public:
  explicit Literals(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* where) {
    if (!take(c)) fail(fmt::format("'{}' {}", c, where));
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  [[noreturn]] void fail(const std::string& wanted) const {
    refuse(fmt::format("has a damaged header: {} is missing at {}", wanted, quoted(text_.substr(at_))));
  }

  std::string_view string(const char* what) {
    skip_blanks();
    const char quote = at_ == text_.size() ? '\0' : text_[at_];
    if (quote != '\'' && quote != '"') fail(what);
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("the end of a string");
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail("True or False");
  }

  // Digits, behind which Python 2 wrote an L.
  std::optional<uint64_t> number() {
    skip_blanks();
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) refuse("has a shape that no memory holds");
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<size_t>(end - text_.data());
    if (at_ != text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  // "()", "(7,)", "(3, 4)"
  std::vector<uint64_t> shape() {
    expect('(', "before the shape");
    std::vector<uint64_t> sizes;
    while (!take(')')) {
      const auto size = number();
      if (!size) fail("a size of 0 or more");
      sizes.push_back(*size);
      if (sizes.size() > kMostAxes) refuse(fmt::format("has more than {} axes", kMostAxes));
      const bool comma = take(',');
      if (take(')')) {
        if (sizes.size() == 1 && !comma) refuse("has a damaged header: its shape is a number and no tuple");
        break;
      }
      if (!comma) fail("',' or ')' in the shape");
    }
    return sizes;
  }

 private:
  void skip_blanks() {
    while (at_ != text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr && text_[at_] != '\0') ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// "<f4"
Type type_of(std::string_view text) {
  const auto none = [text](const std::string& what) {
    refuse(fmt::format("has numbers of type {}, {}; there are f2 f4 f8, i1 i2 i4 i8, u1 u2 u4 u8 and b1", quoted(text),
                       what));
  };
  std::string_view rest = text;
  bool big_endian = false;
  if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) {
    big_endian = rest[0] == '>';
    rest.remove_prefix(1);
  }
  if (rest == "V2") none("as files of bfloat16 have it, which does not say what its bytes mean: save it as float32");
  if (rest.starts_with('O')) none("which are Python objects");
  if (rest.starts_with('c')) none("which are complex");
  if (rest.size() != 2) none("which is none that is read");
  const auto kind = std::string_view("fiub").find(rest[0]);
  if (kind == std::string_view::npos || rest[1] < '0' || rest[1] > '9') none("which is none that is read");
  const Type type{static_cast<Type::Kind>(kind), static_cast<uint8_t>(rest[1] - '0'), big_endian && rest[1] != '1'};
  const std::string_view sizes = type.kind == Type::Kind::Float ? "248" : type.kind == Type::Kind::Bool ? "1" : "1248";
  if (sizes.find(rest[1]) == std::string_view::npos) none("which is none that is read");
  return type;
}

}  // namespace

std::string Type::name() const {
  static constexpr const char* kNames[] = {"float", "int", "uint"};
  return kind == Kind::Bool ? "bool" : fmt::format("{}{}", kNames[static_cast<size_t>(kind)], 8 * bytes);
}

uint64_t Header::elements() const {
  uint64_t product = 1;
  for (const uint64_t size : shape) product *= size;
  return product;
}

std::string Header::shape_text() const {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

size_t length_bytes(std::span<const std::byte, 8> begin) {
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (text.starts_with("PK")) refuse("is an archive (.npz): save one array with numpy.save");
  if (!text.starts_with(kMagic)) refuse("is no .npy file: it does not begin with \\x93NUMPY");
  const auto major = static_cast<uint8_t>(text[6]), minor = static_cast<uint8_t>(text[7]);
  if (major < 1 || major > 3 || minor != 0)
    refuse(fmt::format("is of version {}.{} of the .npy format; there are 1.0, 2.0 and 3.0", major, minor));
  return major == 1 ? 2 : 4;
}

Header read_dictionary(std::string_view text) {
  Header header;
  Literals in(text);
  bool has_type = false, has_order = false, has_shape = false;
  const auto first = [](bool& has, std::string_view key) {
    if (has) refuse(fmt::format("has a damaged header: '{}' is given twice", key));
    has = true;
  };
  in.expect('{', "at its begin");
  while (!in.take('}')) {
    const std::string_view key = in.string("a key");
    in.expect(':', "behind a key");
    if (key == "descr") {
      first(has_type, key);
      if (in.take('[')) refuse("holds records (a structured type): save one field of them");
      header.type = type_of(in.string("a type"));
    } else if (key == "fortran_order") {
      first(has_order, key);
      header.column_major = in.boolean();
    } else if (key == "shape") {
      first(has_shape, key);
      header.shape = in.shape();
    } else {
      refuse(fmt::format("has a damaged header: it has no key {}", quoted(key)));
    }
    if (in.take(',')) continue;
    in.expect('}', "at its end");
    break;
  }
  if (!in.at_end()) in.fail("the end of the header");
  if (!has_type || !has_order || !has_shape)
    refuse(fmt::format("has a damaged header: '{}' is missing", !has_type    ? "descr"
                                                                : !has_order ? "fortran_order"
                                                                             : "shape"));
  const bool empty = std::ranges::find(header.shape, 0u) != header.shape.end();
  uint64_t product = header.type.bytes;
  for (const uint64_t size : header.shape) {
    if (!empty && product > std::numeric_limits<int64_t>::max() / size) refuse("has a shape that no memory holds");
    product *= size;
  }
  return header;
}

std::string head_of_file(const Header& header) {
  static constexpr char kLetters[] = {'f', 'i', 'u', 'b'};
  std::string dictionary = fmt::format("{{'descr': '{}{}{}', 'fortran_order': {}, 'shape': {}, }}",
                                       header.type.bytes == 1   ? '|'
                                       : header.type.big_endian ? '>'
                                                                : '<',
                                       kLetters[static_cast<size_t>(header.type.kind)], header.type.bytes,
                                       header.column_major ? "True" : "False", header.shape_text());
  const size_t preamble = kMagic.size() + 4;  // version and length
  dictionary.resize((preamble + dictionary.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - preamble - 1, ' ');
  dictionary += '\n';
  std::string head(kMagic);
  for (const size_t byte : {size_t{1}, size_t{0}, dictionary.size() & 0xFF, dictionary.size() >> 8})
    head += static_cast<char>(byte);
  return head + dictionary;
}

}  // namespace kerr::graph::npy
