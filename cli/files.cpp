#include "cli/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "arch/bytes.hpp"
#include "cli/process.hpp"

namespace kerr::cli {

namespace {

namespace fs = std::filesystem;

bool stat_of(const std::string& path, struct stat& out) { return ::stat(path.c_str(), &out) == 0; }

bool same_inode(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// One file by two spellings, a symbolic or a hard link. Devices and pipes hold nothing that could be lost.
bool same_file(const std::string& a, const std::string& b) {
  struct stat of_a = {}, of_b = {};
  const bool a_exists = stat_of(a, of_a), b_exists = stat_of(b, of_b);
  if (a_exists && b_exists) return same_inode(of_a, of_b) && S_ISREG(of_a.st_mode);
  if (a_exists || b_exists) return false;
  std::error_code error;
  const fs::path full_a = fs::weakly_canonical(fs::absolute(a), error),
                 full_b = fs::weakly_canonical(fs::absolute(b), error);
  return full_a == full_b;
}

// A file is written beside its name first, and that must not be anybody else's either.
bool collide(const std::string& output, const std::string& other) {
  return same_file(output, other) || same_file(emu::FileSink::part_of(output), other);
}

void check_standard_stream(const NamedFile& output, int descriptor, const char* name) {
  struct stat stream = {}, file = {};
  if (::fstat(descriptor, &stream) != 0 || (!S_ISREG(stream.st_mode) && !S_ISFIFO(stream.st_mode))) return;
  if (stat_of(output.path, file) && same_inode(stream, file))
    throw std::invalid_argument(
        fmt::format("{} '{}' is where {} goes: one would destroy the other", output.option, output.path, name));
}

}  // namespace

void check_standard_input(std::span<const NamedFile> inputs) {
  const NamedFile* first = nullptr;
  for (const NamedFile& input : inputs) {
    if (input.path != "-") continue;
    if (first != nullptr)
      throw std::invalid_argument(
          fmt::format("{} and {} both read standard input, which has one file", first->option, input.option));
    first = &input;
  }
}

void check_files(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs, bool prints) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    if (output.path == "-")
      throw std::invalid_argument(fmt::format("{} takes a file; '-' is none, './-' would be", output.option));
    for (const NamedFile& input : inputs) {
      if (input.path.empty() || input.path == "-" || !collide(output.path, input.path)) continue;
      throw std::invalid_argument(fmt::format("{} '{}' is also what {} reads: writing it would destroy '{}'",
                                              output.option, output.path, input.option, input.path));
    }
    for (size_t j = 0; j < i; ++j) {
      if (outputs[j].path.empty()) continue;
      if (!collide(output.path, outputs[j].path) && !collide(outputs[j].path, output.path)) continue;
      throw std::invalid_argument(fmt::format("{} '{}' and {} '{}' are one file: only one of them would be left",
                                              outputs[j].option, outputs[j].path, output.option, output.path));
    }
    if (prints) check_standard_stream(output, STDOUT_FILENO, "standard output");
    check_standard_stream(output, STDERR_FILENO, "standard error");
  }
}

bool names_numbers(std::string_view word) {
  return word == "-" || word.ends_with(".npy") || word.find('/') != std::string_view::npos;
}

void refuse_pipe(const std::string& path) {
  struct stat file {};
  if (path == "-" || (stat_of(path, file) && (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode))))
    throw std::invalid_argument(
        fmt::format("'{}' is no file, and what is read here is read more than once.  Write it to a file first.", path));
}

bool can_be_read(const std::string& path) {
  struct stat file {};
  return path == "-" || (stat_of(path, file) && !S_ISDIR(file.st_mode));
}

std::string read_file(const std::string& path, uintmax_t most) {
  const bool standard_input = path == "-";
  const int descriptor = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::string name = standard_input ? "standard input" : fmt::format("'{}'", path);
  std::string why;
  std::string content;
  if (descriptor < 0) {
    why = std::strerror(errno);
  } else {
    char part[1 << 16];
    while (why.empty() && content.size() <= most) {
      const ::ssize_t bytes = ::read(descriptor, part, sizeof part);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) why = std::strerror(errno);
      if (bytes <= 0) break;
      content.append(part, static_cast<size_t>(bytes));
    }
    if (!standard_input) ::close(descriptor);
  }
  if (!why.empty()) throw std::invalid_argument(fmt::format("cannot read {}: {}", name, why));
  if (content.size() > most)
    throw std::invalid_argument(fmt::format("{} has more than {} bytes; at most {} are read", name, most, most));
  return content;
}

OutputFile::OutputFile(const std::string& path) {
  if (path.empty()) return;
  sink_.emplace(path);
  if (!sink_->part().empty()) remove_when_interrupted(sink_->part());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (sink_) sink_->write(arch::as_uint8(bytes));
}

void OutputFile::finish() {
  if (sink_) sink_->finish();
}

}  // namespace kerr::cli
