// What a process may use, where the default of a batch system can be too little.
#pragma once

#include <string>

namespace kerr::cli {

/// Asks the system for the stack that the commands need. "", or a sentence that says why there is not enough.
std::string ensure_stack();

/// What to say when memory has run out: the limit, if there is one, and what to do.
std::string out_of_memory();

}  // namespace kerr::cli
