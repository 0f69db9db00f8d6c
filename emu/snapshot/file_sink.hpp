// A file that is either complete or not there.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// Writes NAME.part and gives it its name in finish(), so that an older file stays until the new one is complete. A
/// pipe or a device is written as it is. Throws SnapshotError that names the file and says why: also if another process
/// is writing the same one.
class FileSink final : public ByteSink {
 public:
  explicit FileSink(std::string path);
  ~FileSink();  // without finish(): nothing is left
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::span<const uint8_t> bytes) override;
  void finish();
  /// The unfinished file; empty if the target itself is written.
  const std::string& part() const { return part_; }

  /// What a run that was killed leaves of `path`.
  static std::string part_of(const std::string& path) { return path + ".part"; }

 private:
  void open_part();
  [[noreturn]] void fail(const char* what) const;

  const std::string path_;  // as the caller wrote it, for messages
  std::string target_;      // what a symbolic link names
  std::string part_;        // empty: the target itself is written
  int descriptor_ = -1;
};

}  // namespace kerr::emu
