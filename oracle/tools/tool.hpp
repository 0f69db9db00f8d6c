// What the main() of every tool does.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace kerr::oracle {

/// So many arguments must follow the tool's name, which `usage` begins with; without them it is printed. The exit
/// status is what `body` returns, and 2 if it throws, which is said, or was not called.
template <class Body>
int tool_main(int argc, char** argv, const char* usage, int arguments, Body body) {
  if (argc <= arguments) {
    std::fprintf(stderr, "usage: %s\n", usage);
    return 2;
  }
  try {
    return body(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}

/// The number that is argument `n`, counted from 1.
inline unsigned number(int argc, char** argv, int n, unsigned otherwise) {
  return argc > n ? static_cast<unsigned>(std::strtoul(argv[n], nullptr, 0)) : otherwise;
}

}  // namespace kerr::oracle
