// Matrices of an expression, as the command line writes them:
// --a 512x1024 --n 64x64:int32:0..9 --x x.npy --y y.npy:fp32
#pragma once

#include <string>
#include <vector>

#include "cli/files.hpp"
#include "cli/syntax/syntax.hpp"
#include "graph/graph.hpp"
#include "jobs/eval.hpp"

namespace kerr::cli {

/// The files among them that hold numbers.
std::vector<NamedFile> files_of(const Shapes& given);

/// A text, and what its names stand for: "a" for "512x1024", "b" for "64x64:int32:0..9". `format` is used where none is
/// given. Reads the numbers of files. Throws std::invalid_argument, also for names without a shape and shapes without a
/// name.
graph::Graph parse_expression(const std::string& text, const Shapes& given, kernels::Format format,
                              jobs::Operands* used = nullptr);

}  // namespace kerr::cli
