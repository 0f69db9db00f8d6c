// Which Kerr this is, on paper and in every JSON that it prints.
#pragma once

#include <string>
#include <string_view>

#include "report/json.hpp"

namespace kerr::cli {

std::string_view version();  // "0.1.0"
std::string_view commit();   // of the sources it was built from; "unknown: ..." if they were in no git clone

/// "kerr 0.1.0, commit 0123456789ab"
std::string version_text();

/// Prints an object with "version" and "commit" as its last two members.
void write_json(report::Json object);

/// A list as the member `name` of such an object.
void write_json(const char* name, report::Json list);

}  // namespace kerr::cli
