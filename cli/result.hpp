// What a command does with the matrix that it has computed: --out FILE, --show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/files.hpp"
#include "cli/syntax/syntax.hpp"
#include "graph/tensor.hpp"

namespace kerr::cli {

struct ResultOptions {
  /// --out and --show, under the heading "Output"; a command may declare --out itself.
  void declare(Syntax& syntax);
  void declare_show(Syntax& syntax);
  /// Throws std::invalid_argument if `out` is no name of a file.
  void check() const;
  /// Adds the file, if it is one, to those that are written.
  void add_output(std::vector<NamedFile>& outputs) const;

  std::string out;  // a file, "-" or empty
  bool show = false;
};

/// Where a result goes. Made before anything runs or is printed: with "-" all that is printed from then on goes to
/// standard error, and only the file's bytes to standard output.
class Result {
 public:
  /// Throws std::invalid_argument if standard output cannot take a file.
  explicit Result(const ResultOptions& options);
  ~Result();
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  /// Writes it, and prints it if that is asked for.
  void write(const graph::Tensor& tensor, uint32_t batch = 1);

 private:
  const ResultOptions& options_;
  OutputFile file_;
  int standard_output_ = -1;
};

}  // namespace kerr::cli
