// Which process this is.
#pragma once

#include <cstdint>

namespace kerr::c {

/// Another number in a child of fork() than in all of its parents. No system call, as every function asks.
uint32_t process_number();

}  // namespace kerr::c
