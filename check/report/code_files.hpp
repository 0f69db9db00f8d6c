// KERR_CHECK_ELF: files with the code of programs whose host gives no names.   docs/reference/checker.md
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "check/code_library.hpp"

namespace kerr::check {

/// `paths`: of ELF files, and of folders whose files that end in ".elf" are read, at any depth; with colons between
/// them. An image is named by its path below the folder, or its file name, without ".elf". A path that cannot be read
/// is told to `complain`; what is no executable in a folder is passed over. nullptr if there is no code in them.
std::shared_ptr<const CodeLibrary> read_code_files(std::string_view paths,
                                                   const std::function<void(const std::string&)>& complain);

}  // namespace kerr::check
