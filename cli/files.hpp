// The files that commands read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "emu/snapshot/archive.hpp"
#include "emu/snapshot/file_sink.hpp"

namespace kerr::cli {

/// A file, and the option or operand that names it: for messages.
struct NamedFile {
  std::string option;
  std::string path;  // empty: not asked for
};

/// Refuses an output that is also an input, two outputs that are one file, and an output that standard output or error
/// goes to, however their names are spelled. Throws std::invalid_argument. `prints`: whether the command prints
/// anything on standard output beside its outputs.
void check_files(std::span<const NamedFile> inputs, std::span<const NamedFile> outputs, bool prints = true);

/// Refuses two inputs that are both "-".
void check_standard_input(std::span<const NamedFile> inputs);

/// Whether a word is meant for a file of numbers, and not for a shape or a format: "a.npy", "data/a", "-".
bool names_numbers(std::string_view word);

void refuse_pipe(const std::string& path);

/// All bytes of a file, a pipe or, for "-", standard input. Throws std::invalid_argument that says why it cannot be
/// read, or that it has more than `most` bytes.
std::string read_file(const std::string& path, uintmax_t most);

/// Calls `read`, and lets what is wrong with the file begin with its name. Throws std::invalid_argument for a pipe,
/// which cannot be read twice.
template <class Read>
auto reading(const std::string& path, Read&& read) {
  refuse_pipe(path);
  try {
    return read();
  } catch (const emu::SnapshotError& error) {
    const std::string what = error.what();
    throw emu::SnapshotError(what.find(path) == std::string::npos ? "'" + path + "': " + what : what);
  }
}

/// "-", or something at that path that is no directory.
bool can_be_read(const std::string& path);

/// A file that is written at the end of a command, and opened at its begin: what cannot be written is refused before
/// anything has run. Without finish() there is no file, and an older one of that name stays.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);  // empty: nothing is written
  bool wanted() const { return sink_.has_value(); }
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void finish();

 private:
  std::optional<emu::FileSink> sink_;
};

}  // namespace kerr::cli
