#include "image/print_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "image/error.hpp"
#include "isa/hints.hpp"
#include "isa/print.hpp"

namespace kerr::image {
namespace {

constexpr size_t kMostText = 4096, kMostPrints = 1 << 16;

// Reads words and texts one behind the other, and nothing beyond the end.
class Records {
 public:
  Records(const void* data, size_t bytes) : data_(static_cast<const char*>(data)), bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_; }
  std::optional<uint32_t> word() {
    at_ = (at_ + 3) & ~size_t{3};
    if (at_ > bytes_ || bytes_ - at_ < 4) return std::nullopt;
    uint32_t value = 0;
    std::memcpy(&value, data_ + at_, 4);
    at_ += 4;
    return value;
  }
  std::optional<std::string> text() {
    const size_t length = strnlen(data_ + at_, std::min(bytes_ - at_, kMostText));
    if (at_ + length >= bytes_ || length == kMostText) return std::nullopt;
    std::string out(data_ + at_, length);
    at_ += length + 1;
    return out;
  }

 private:
  const char* data_;
  size_t bytes_, at_ = 0;
};

// Four bits each, the first one lowest; nothing: there is no such type.
std::optional<std::string> types_of(uint32_t packed) {
  std::string types;
  for (; packed != 0; packed >>= 4) {
    const uint32_t n = packed & 15;
    if (n == 0 || n > std::size(isa::kPrintTypes)) return std::nullopt;
    types += static_cast<char>(isa::kPrintTypes[n - 1]);
  }
  return types;
}

std::optional<Comment> read_print(Records& records) {
  const auto line = records.word();
  auto file = line ? records.text() : std::nullopt;
  auto format = file ? records.text() : std::nullopt;
  const auto address = format ? records.word() : std::nullopt;
  const auto packed = address ? records.word() : std::nullopt;
  auto types = packed ? types_of(*packed) : std::nullopt;
  if (!types) return std::nullopt;
  const isa::Print print{std::move(*format), std::move(*types), std::move(*file), *line};
  if (print.words() > isa::hint::kMostPrintWords) return std::nullopt;
  return Comment{*address, isa::remark_of(print)};
}

}  // namespace

std::vector<Comment> print_records(std::span<const uint8_t> section, const std::string& name) {
  std::vector<Comment> out;
  for (Records records(section.data(), section.size()); !records.at_end();) {
    auto print = out.size() < kMostPrints ? read_print(records) : std::nullopt;
    if (!print) throw Error(fmt::format("{}: section {} is damaged behind {} prints", name, kPrintSection, out.size()));
    out.push_back(std::move(*print));
  }
  std::ranges::stable_sort(out, {}, &Comment::address);
  return out;
}

}  // namespace kerr::image
