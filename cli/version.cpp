#include "cli/version.hpp"

#include <fmt/format.h>

#include <utility>

#include "kerr_commit.hpp"  // made by cmake/Commit.cmake; only this file sees it, so that a commit compiles one file

namespace kerr::cli {

std::string_view version() { return KERR_VERSION; }
std::string_view commit() { return KERR_COMMIT; }

std::string version_text() { return fmt::format("kerr {}, commit {}", version(), commit()); }

void write_json(report::Json object) {
  object["version"] = version();
  object["commit"] = commit();
  fmt::print("{}\n", object.dump(2));
}

void write_json(const char* name, report::Json list) {
  report::Json object;
  object[name] = std::move(list);
  write_json(std::move(object));
}

}  // namespace kerr::cli
