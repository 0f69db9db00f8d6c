#include "jobs/own_numbers.hpp"

#include <fmt/format.h>

#include <utility>

#include "graph/npy/array.hpp"

namespace kerr::jobs {

OwnNumbers read_numbers(const std::string& path, std::optional<kernels::Format> format, kernels::Format floats) {
  namespace npy = graph::npy;
  const npy::Array array = npy::load(path);
  const npy::Header& header = array.header();
  npy::Matrices made = npy::matrices(array, format.value_or(npy::natural_format(header.type, floats)),
                                     path == "-" ? "standard input" : fmt::format("'{}'", path));
  return {
      .tensor = std::move(made.tensor),
      .batch = made.batch,
      .from = fmt::format("{}: {} {}", path == "-" ? "standard input" : path, header.shape_text(), header.type.name()),
      .conversion = made.conversion};
}

std::string text(const OwnNumbers& own) {
  return fmt::format("{}, as {}: {}", own.from, kernels::info(own.tensor.format).name,
                     graph::npy::text(own.conversion));
}

}  // namespace kerr::jobs
