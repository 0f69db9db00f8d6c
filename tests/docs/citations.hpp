// Citations of pages in code and pages, such as docs/hardware/tile.md 7.6, 7.8 or docs/architecture.md "Time".
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kerr {

struct Page {
  std::vector<std::string> headings;  // without their #
  bool has_section(std::string_view number) const;   // a heading "7.6 BRISC start-up" or "7. Firmware view"
  bool has_heading(std::string_view heading) const;  // also without its number, and without backticks
  bool has_anchor(std::string_view anchor) const;    // as links write headings: lower case, hyphens, no punctuation
};

Page read_page(std::string_view text);

struct Citation {
  std::string page;                   // as it is written
  std::vector<std::string> headings;  // in quotation marks behind it
  std::vector<std::string> sections;  // numbers behind it
};

/// The pages that a line cites, by a name that ends in ".md". A heading may end in the line after it.
std::vector<Citation> citations(std::string_view line, std::string_view next = {});

/// The links of a line: what stands between the parentheses of [text](page.md#anchor). None to the web.
std::vector<std::string> links(std::string_view line);

/// What is wrong with citations and links in the sources and pages under `root`, a line each: "file:line: what".
std::vector<std::string> wrong_citations(const std::filesystem::path& root);

}  // namespace kerr
