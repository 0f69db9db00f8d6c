// clang 14 lacks the builtin that libstdc++'s std::source_location stands on. Included before everything else in its
// fuzzing builds only: cmake/Kerr.cmake.
#pragma once

#include <source_location>

#if !defined(__cpp_lib_source_location)
namespace std {
struct source_location {
  const char* file = "";
  const char* function = "";
  unsigned at = 0;
  static constexpr source_location current(const char* f = __builtin_FILE(), const char* g = __builtin_FUNCTION(),
                                           unsigned l = __builtin_LINE()) {
    return {f, g, l};
  }
  constexpr const char* file_name() const { return file; }
  constexpr const char* function_name() const { return function; }
  constexpr unsigned line() const { return at; }
  constexpr unsigned column() const { return 0; }
};
}  // namespace std
#endif
