// The files that NumPy has made (vectors/make.py).
#pragma once

#include <string>

#include "graph/npy/array.hpp"

namespace kerr::graph::npy {

std::string vector_path(const std::string& name);
std::string vector_bytes(const std::string& name);
Array read_text(const std::string& file);

/// Why such a file is refused; "" if it is not.
std::string refusal(const std::string& file);

}  // namespace kerr::graph::npy
