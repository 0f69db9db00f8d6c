#include "check/report/code_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "image/error.hpp"
#include "image/names/elf_names.hpp"
#include "isa/text/parts.hpp"

namespace kerr::check {

namespace {

namespace fs = std::filesystem;
using Complain = std::function<void(const std::string&)>;

constexpr size_t kMostFiles = 10'000;
constexpr uintmax_t kMostBytes = 64u << 20;  // of one file

struct File {
  fs::path path;
  std::string name;
  bool is_named = false;  // else found in a folder, which may hold anything
};

std::string without_ending(std::string name) {
  if (name.ends_with(".elf")) name.resize(name.size() - 4);
  return name;
}

// Sorted: the same in every run.
std::vector<File> files_of(const fs::path& path, const Complain& complain) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {{path, without_ending(path.filename().string()), true}};
  std::vector<File> out;
  auto entry = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code is_none;
    if (entry->path().extension() != ".elf" || !entry->is_regular_file(is_none)) continue;
    if (out.size() >= kMostFiles) {
      complain(fmt::format("KERR_CHECK_ELF: '{}' has more than {} ELF files: the others are not read", path.string(),
                           kMostFiles));
      break;
    }
    out.push_back({entry->path(), without_ending(entry->path().lexically_relative(path).string())});
  }
  if (error) complain(fmt::format("KERR_CHECK_ELF: '{}': {}", path.string(), error.message()));
  std::ranges::sort(out, {}, &File::path);
  return out;
}

void add(CodeLibrary& library, const File& file, const Complain& complain) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(file.path, error);
  if (error || bytes > kMostBytes) {
    return complain(fmt::format("KERR_CHECK_ELF: '{}': {}", file.path.string(),
                                error ? error.message() : fmt::format("more than {} bytes", kMostBytes)));
  }
  std::ifstream in(file.path, std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in.is_open()) {
    return complain(fmt::format("KERR_CHECK_ELF: '{}' cannot be read", file.path.string()));
  }
  try {
    library.add(file.name, image::read_elf_names({reinterpret_cast<const uint8_t*>(content.data()), content.size()},
                                                 file.path.string()));
  } catch (const image::Error& problem) {
    if (file.is_named) complain(fmt::format("KERR_CHECK_ELF: {}", problem.what()));
  }
}

}  // namespace

std::shared_ptr<const CodeLibrary> read_code_files(std::string_view paths, const Complain& complain) {
  auto library = std::make_shared<CodeLibrary>();
  for (const std::string_view path : isa::text::parts(paths, ':')) {
    if (path.empty()) continue;
    for (const File& file : files_of(fs::path(path), complain)) add(*library, file, complain);
  }
  if (library->empty()) return nullptr;
  return library;
}

}  // namespace kerr::check
