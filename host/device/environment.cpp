#include "host/device/environment.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "host/error.hpp"

namespace kerr::host {

std::optional<uint64_t> seed_of_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const uint64_t seed = std::strtoull(text, &end, 0);
  // strtoull() itself would take a sign and blanks.
  if (!std::isdigit(static_cast<unsigned char>(*text)) || *end != '\0' || errno != 0)
    host_error(fmt::format("{}={}: a seed is a number from 0 to 2^64 - 1", name, text));
  return seed;
}

}  // namespace kerr::host
