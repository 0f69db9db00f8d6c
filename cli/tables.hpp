// The generated pages of the reference, as Markdown or as JSON.
#pragma once

#include <string>
#include <string_view>

#include "report/json.hpp"

namespace kerr::cli {

/// The tables of a Markdown page: a list of {"table": heading, "rows": [{column: cell, ...}, ...]}. Cells are texts,
/// without the marks of code.
report::Json tables_of(std::string_view markdown);

/// Prints the page as it is, or its tables.
int print_page(const std::string& markdown, bool json);

}  // namespace kerr::cli
