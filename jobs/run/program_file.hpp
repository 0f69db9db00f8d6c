// A file that describes a run: docs/guide/run.md has all of its keys.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "jobs/run/code.hpp"
#include "jobs/run/run.hpp"

namespace kerr::jobs {

/// The content of a file that a program file names. Throws std::invalid_argument if it cannot be read.
using ReadFile = std::function<std::string(const std::string& path)>;

/// Reads TOML. `path`: of the file; files that it names lie in its folder unless their paths are absolute. Throws
/// std::invalid_argument (std::runtime_error for code that is none) with a sentence that begins with the file and the
/// line.
RunJob read_program_file(std::string_view content, const std::string& path, const ReadFile& read_file,
                         ReadElf read_elf);
/// With image::read_elf.
RunJob read_program_file(std::string_view content, const std::string& path, const ReadFile& read_file);

}  // namespace kerr::jobs
