// The host's own work on matrices, on all of its CPUs.
#pragma once

#include <cstddef>
#include <functional>

namespace kerr::graph {

/// Calls body(0) to body(count - 1), each once, in any order, on `threads` threads (0: one a CPU), of which the caller
/// is one. Returns when all have returned; throws again what one of them threw.
void parallel(size_t count, unsigned threads, const std::function<void(size_t)>& body);

}  // namespace kerr::graph
