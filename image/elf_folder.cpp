#include "image/elf_folder.hpp"

#include <algorithm>

namespace kerr::image {

ElfFolder elf_files_under(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  ElfFolder out;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, out.error);
  for (; !out.error && at != fs::recursive_directory_iterator(); at.increment(out.error)) {
    std::error_code gone;
    if (at->path().extension() != ".elf" || !at->is_regular_file(gone)) continue;
    out.has_more = out.files.size() == ElfFolder::kMostFiles;
    if (out.has_more) break;
    out.files.push_back(at->path());
  }
  std::ranges::sort(out.files);
  return out;
}

}  // namespace kerr::image
