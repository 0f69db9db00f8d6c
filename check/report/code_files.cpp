#include "check/report/code_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "image/elf_folder.hpp"
#include "image/error.hpp"
#include "image/names/elf_names.hpp"
#include "isa/text/parts.hpp"

namespace kerr::check {

namespace {

namespace fs = std::filesystem;
using Complain = std::function<void(const std::string&)>;

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

std::vector<File> files_of(const fs::path& path, const Complain& complain) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {{path, without_ending(path.filename().string()), true}};
  const image::ElfFolder folder = image::elf_files_under(path);
  if (folder.has_more)
    complain(fmt::format("KERR_CHECK_ELF: '{}' has more than {} ELF files: the others are not read", path.string(),
                         image::ElfFolder::kMostFiles));
  if (folder.error) complain(fmt::format("KERR_CHECK_ELF: '{}': {}", path.string(), folder.error.message()));
  std::vector<File> out;
  for (const fs::path& file : folder.files)
    out.push_back({file, without_ending(file.lexically_relative(path).string())});
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
