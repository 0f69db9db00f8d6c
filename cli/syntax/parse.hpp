// The words of a command line, read as a command wants them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/syntax/syntax.hpp"

namespace kerr::cli {

/// Sets what the command `path`, "kerr cq dump", has declared. Throws UsageError. Where help is asked for, nothing is wrong.
void parse(const Syntax& syntax, const std::string& path, std::span<const std::string> words);

/// "--x" and "-x", but not "-" and "-1".
bool looks_like_option(const std::string& word);

/// Whether -h or --help is among the options.
bool asks_for_help(const Syntax& syntax, std::span<const std::string> words);

}  // namespace kerr::cli
