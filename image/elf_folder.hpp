// ELF files of a folder, which may hold anything.
#pragma once

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

namespace kerr::image {

struct ElfFolder {
  static constexpr size_t kMostFiles = 10'000;
  std::vector<std::filesystem::path> files;  // sorted: the same in every run
  bool has_more = false;                     // kMostFiles were taken, and there are others
  std::error_code error;                     // why what follows was not looked at
};

/// All regular files below `folder` whose names end with ".elf".
ElfFolder elf_files_under(const std::filesystem::path& folder);

}  // namespace kerr::image
