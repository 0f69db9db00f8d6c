#include "report/page/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/page/built_page.hpp"
#include "report/page/run_shown.hpp"

namespace kerr::report {

namespace {

constexpr std::string_view kMark = "@@KERR_RUN@@";  // where the run stands in the page

constexpr size_t kBegin = 200;  // of a file: enough to see what it is

}  // namespace

bool has_page() { return !built_page().empty(); }

std::string_view how_to_get_the_page() {
  return "this kerr was built without the page: run  sh scripts/page.sh  in its sources and build it again, or write "
         "the report to a .json file, of which another kerr makes the page";
}

std::string page(std::string_view run) {
  const std::string_view page = built_page();
  const size_t mark = page.find(kMark);
  if (mark == std::string_view::npos) throw std::logic_error("there is no page, or it has no place for a run");
  std::string out(page.substr(0, mark));
  out.reserve(page.size() + run.size());
  // In JSON a '<' is in a text, where it may be written so: no text can end the element that it stands in.
  for (const char c : run) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  out += page.substr(mark + kMark.size());
  return out;
}

std::string checked_run(std::string_view text) {
  if (text.substr(0, kBegin).find("\"traceEvents\"") != std::string_view::npos)
    throw std::invalid_argument(
        "it is a trace for ui.perfetto.dev: a report is made of what --report FILE.json writes");
  const nlohmann::json run = nlohmann::json::parse(text, nullptr, false);
  if (run.is_discarded()) throw std::invalid_argument("it is no JSON");
  if (!run.is_object() || !run.contains("kerr_report"))
    throw std::invalid_argument("it is no report of a run: those are what --report FILE.json writes");
  if (run["kerr_report"] != kRunShownVersion)
    throw std::invalid_argument(fmt::format("it is a report of version {}, and this kerr shows version {}",
                                            run["kerr_report"].dump(), kRunShownVersion));
  return run.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace kerr::report
