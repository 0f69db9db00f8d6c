#include "image/names/readable.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace kerr::image {

std::string readable(const char* name) {
  constexpr size_t kLongest = 1024;
  if (std::strncmp(name, "_Z", 2) != 0 || std::strlen(name) > kLongest) return name;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, nullptr), std::free);
  if (!text) return name;
  std::string full = text.get();
  // Its parameters end in the last bracket.
  const size_t end = full.rfind(')');
  if (end == std::string::npos) return full;
  size_t begin = end;
  for (int open = 0; begin != std::string::npos && begin < full.size(); --begin) {
    open += full[begin] == ')' ? 1 : full[begin] == '(' ? -1 : 0;
    if (open == 0) break;
  }
  return begin != 0 && begin < full.size() ? full.substr(0, begin) : full;
}

}  // namespace kerr::image
