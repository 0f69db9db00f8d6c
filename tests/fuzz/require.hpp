// What must hold whatever the input was: ends the process, as a crash would, so that every fuzzer and test sees it.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace kerr::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: broken promise: %s\n", what);
  std::abort();
}

}  // namespace kerr::fuzz
