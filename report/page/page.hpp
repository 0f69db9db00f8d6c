// A run as one file that a browser opens: no server, no network.   docs/guide/where-time-goes.md
#pragma once

#include <string>
#include <string_view>

namespace kerr::report {

/// False in a Kerr that was built without the page.
bool has_page();
/// What to do then: a sentence without its full stop.
std::string_view how_to_get_the_page();

/// The page of a run. `run`: json(RunShown) as text. Whatever its texts are, they are no markup there.
/// Throws std::logic_error without a page.
std::string page(std::string_view run);

/// The text of a file that somebody says is json(RunShown), brought into the form that page() takes. Throws
/// std::invalid_argument with what else it is, if that can be told.
std::string checked_run(std::string_view text);

}  // namespace kerr::report
