// Which conversions of number formats exist, as a page: docs/reference/formats.md.
#pragma once

#include <string>

namespace kerr::report {

/// Markdown: from what to what the unpackers and the packer convert, and why not the rest. Made by asking the same
/// functions that make an instruction fault.
std::string format_tables();

}  // namespace kerr::report
