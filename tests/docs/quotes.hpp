// Blocks of code on pages that are quoted from a file: "<!-- from examples/abs/main.cpp -->" stands above each.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kerr {

struct Quote {
  size_t line;        // of the mark, from 1
  std::string file;   // from the root of the repository
  std::string block;  // its lines as they stand there
};

/// The quotes of a page. One whose mark no block follows has an empty block.
std::vector<Quote> quotes_of(std::string_view page);

/// Quotes of all pages under `root` that are not in their file word for word, a line each: "page:line: what".
std::vector<std::string> wrong_quotes(const std::filesystem::path& root);

}  // namespace kerr
