#include "tests/graph/npy/vectors.hpp"

#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

namespace kerr::graph::npy {

std::string vector_path(const std::string& name) {
  return std::string(KERR_SOURCE_DIR) + "/tests/graph/npy/vectors/" + name + ".npy";
}

std::string vector_bytes(const std::string& name) {
  std::ifstream file(vector_path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Array read_text(const std::string& file) { return read(std::as_bytes(std::span(file)), "'x.npy'"); }

std::string refusal(const std::string& file) {
  try {
    (void)read_text(file);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace kerr::graph::npy
