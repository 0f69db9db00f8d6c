#include "host/device/environment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "host/error.hpp"

namespace kerr::host {

std::optional<uint64_t> seed_of_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const bool hexadecimal = text[0] == '0' && (text[1] | 0x20) == 'x';
  const char* const end = text + std::strlen(text);
  uint64_t seed = 0;
  const auto [stop, error] = std::from_chars(hexadecimal ? text + 2 : text, end, seed, hexadecimal ? 16 : 10);
  if (error != std::errc{} || stop != end) {
    host_error(fmt::format("{}={}: a seed is a number from 0 to 2^64 - 1, decimal or 0x...", name, text));
  }
  return seed;
}

bool set_in_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return false;
  const std::string_view value(text);
  if (!value.empty() && value != "0" && value != "1") host_error(fmt::format("{}={}: it is 1 or 0", name, value));
  return value == "1";
}

}  // namespace kerr::host
