// The page without a run, as web/build.mjs has made it.
#pragma once

#include <string_view>

namespace kerr::report {

/// Empty in a Kerr that was built without it.
std::string_view built_page();

}  // namespace kerr::report
