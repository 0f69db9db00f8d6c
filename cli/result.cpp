#include "cli/result.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>

#include "graph/npy/show.hpp"
#include "graph/npy/tensor.hpp"

namespace kerr::cli {

namespace {

// A duplicate of standard output, which from now on is standard error.
int take_standard_output() {
  if (::isatty(STDOUT_FILENO))
    throw std::invalid_argument("--out - writes a file to standard output, and that is a terminal: send it elsewhere");
  struct stat out = {}, error = {};
  if (::fstat(STDOUT_FILENO, &out) == 0 && ::fstat(STDERR_FILENO, &error) == 0 && out.st_dev == error.st_dev &&
      out.st_ino == error.st_ino && !S_ISCHR(out.st_mode))
    throw std::invalid_argument("--out - writes a file to standard output, and standard error goes there, too");
  std::fflush(stdout);
  const int taken = ::dup(STDOUT_FILENO);
  if (taken < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw std::invalid_argument(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  return taken;
}

void write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw std::invalid_argument(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

}  // namespace

void ResultOptions::declare(Syntax& syntax) {
  syntax.output_file(
      "--out", out,
      "write the result to this .npy file, as float32 or the integers that it has; -: to standard output, "
      "and the report to standard error");
  declare_show(syntax);
}

void ResultOptions::declare_show(Syntax& syntax) {
  syntax.flag("--show", show, "print the result as NumPy prints an array").excludes({"--json"});
}

void ResultOptions::check() const {
  if (!out.empty() && !names_numbers(out))
    throw std::invalid_argument(
        fmt::format("--out {}: the name of a file of numbers ends in .npy, or has a slash as './{}'", out, out));
}

void ResultOptions::add_output(std::vector<NamedFile>& outputs) const {
  if (out != "-") outputs.push_back({"--out", out});
}

Result::Result(const ResultOptions& options) : options_(options), file_(options.out == "-" ? "" : options.out) {
  if (options.out == "-") standard_output_ = take_standard_output();
}

Result::~Result() {
  if (standard_output_ >= 0) ::close(standard_output_);
}

void Result::write(const graph::Tensor& tensor, uint32_t batch) {
  if (file_.wanted() || standard_output_ >= 0)
    graph::npy::write(tensor, batch, [this](std::span<const std::byte> bytes) {
      standard_output_ >= 0 ? write_all(standard_output_, bytes) : file_.write(bytes);
    });
  file_.finish();
  if (options_.show) fmt::print("{}\n", graph::npy::show(tensor, batch));
}

}  // namespace kerr::cli
