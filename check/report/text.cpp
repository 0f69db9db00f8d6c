#include "check/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "check/report/fingerprint.hpp"

namespace kerr::check {

namespace {

constexpr size_t kLabelColumns = 8, kOpColumns = 7, kPlaceColumns = 17, kMostRectangles = 12;
// What each part of a defect may have: together kMostLinesOfDefect, with the empty one.
constexpr size_t kWhatLines = 3, kSiteLines = 7, kOrderLines = 5, kMendLines = 3, kOutcomeLines = 2, kSeenLines = 2;
static_assert(kWhatLines + 2 * kSiteLines + kOrderLines + kMendLines + kOutcomeLines + kSeenLines + 1 ==
              kMostLinesOfDefect);

using Lines = std::vector<std::string>;

// At most `most` bytes, which end no character of UTF-8 in its middle.
size_t whole_characters(std::string_view text, size_t most) {
  size_t cut = most;
  while (cut > most - 3 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return cut;
}

// At blanks, where it has some; what does not fit goes on behind `indent` blanks.
Lines wrapped(std::string line, size_t indent) {
  Lines out;
  while (line.size() > kColumns) {
    size_t cut = line.rfind(' ', kColumns);
    size_t next = cut + 1;
    if (cut == std::string::npos || line.find_last_not_of(' ', cut) == std::string::npos ||
        line.find_last_not_of(' ', cut) < indent)
      cut = next = whole_characters(line, kColumns);
    std::string rest = line.substr(next);
    line.resize(cut);
    line.erase(line.find_last_not_of(' ') + 1);
    out.push_back(std::move(line));
    rest.erase(0, rest.find_first_not_of(' '));
    line = std::string(indent, ' ') + rest;
  }
  out.push_back(std::move(line));
  return out;
}

// Below a label: "  order   ...". Behind `most` lines " ...".
void add_part(std::string& out, std::string_view label, const Lines& lines, size_t most) {
  constexpr size_t indent = kLabelColumns + 2;
  Lines all;
  for (const std::string& line : lines) {
    const std::string_view head = all.empty() ? label : "";
    for (std::string& piece : wrapped(fmt::format("  {:<{}}{}", head, kLabelColumns, printable(line)), indent))
      all.push_back(std::move(piece));
  }
  if (all.size() > most) {
    all.resize(most);
    all.back().resize(std::min(all.back().size(), kColumns - 4));
    all.back() += " ...";
  }
  for (const std::string& line : all) out += line + "\n";
}

struct Widths {
  size_t function = 0, file = kPlaceColumns;
};

// "reader_tiles()+0x5c   reader.cpp:71       pc 0x00008a5c   cycle 181,204"
std::string location(const Site& site, const Widths& widths) {
  std::string out;
  if (const std::string function = function_text(site); !function.empty() || widths.function != 0)
    out += fmt::format("{:<{}}   ", function, widths.function);
  if (const std::string file = file_text(site); !file.empty()) out += fmt::format("{:<{}}   ", file, widths.file);
  if (site.pc) out += fmt::format("pc {:#010x}   ", *site.pc);
  return out + fmt::format("cycle {}", grouped(site.cycle));
}

// "  copy()+0x2c4  copy.cpp:140  cycle 90,112": behind the access itself, if there is room.
std::string short_location(const Site& site) {
  std::string out;
  for (const std::string& part : {function_text(site), file_text(site)})
    if (!part.empty()) out += "  " + part;
  return out + fmt::format("  cycle {}", grouped(site.cycle));
}

bool is_unit(const Site& site) {
  using enum Site::Who;
  return site.who == Thread || site.who == Unpacker || site.who == Packer || site.who == Mover;
}

// What the checker says of it, or else the instruction.
std::string subject_of(const Site& site, const Places& places) {
  std::string subject = site.detail.empty() ? instruction_text(site) : site.detail.front();
  if (const std::string remote = text(site.remote, places, site.tile); !remote.empty())
    subject += (site.to_remote ? " to " : " from ") + remote;
  if (is_unit(site) && !site.detail.empty())
    if (const std::string word = instruction_text(site); !word.empty()) subject = word + "  " + subject;
  return subject;
}

std::string who_of(const Site& site, const Places& places) {
  using enum Site::Who;
  const std::string lane = site.lane.empty() ? "" : ", " + site.lane;
  const std::string tile = places.text(site.tile);
  if (site.who == Host) return "by the host" + lane;
  if (site.who == Hart) return fmt::format("by {} {}{}", tile, name(site.agent), lane);
  if (site.who == Transfer) return fmt::format("requested by {} {}{}", tile, name(site.agent), lane);
  if (site.hart == emu::Agent::Host) return fmt::format("{} {}{}", tile, name(site.agent), lane);
  return fmt::format("{}{}, pushed by {} {}", name(site.agent), lane, tile, name(site.hart));
}

// "arrives at L1 0x0003_9800..0x0003_9FFF = CB 0 page 3"
std::string where_of(const Site& site, const Places& places) {
  const std::string where = text(site.where, places, site.tile);
  if (where.empty()) return "";
  if (site.who != Site::Who::Transfer) return "at " + where;
  return (site.op == "read" ? "taken from " : "arrives at ") + where;
}

void add_site(std::string& out, std::string_view label, const Site& site, const Widths& widths, const Places& places) {
  const std::string subject = subject_of(site, places);
  std::string head = fmt::format("{:<{}}{}", fmt::format("{} ", site.op), kOpColumns, subject);
  head += (subject.empty() ? "" : is_unit(site) ? "  " : ", ") + who_of(site, places);
  Lines lines{head};
  const std::string behind = short_location(site);
  if (is_unit(site) && kLabelColumns + 2 + head.size() + behind.size() <= kColumns)
    lines.front() += behind;
  else
    lines.push_back(location(site, widths));
  for (size_t i = 1; i < site.detail.size(); ++i) lines.push_back(site.detail[i]);
  if (const std::string where = where_of(site, places); !where.empty()) lines.push_back(where);
  add_part(out, label, lines, kSiteLines);
}

std::string outcome_of(const Defect& defect, const Places& places) {
  if (defect.outcome == Outcome::Unknown && defect.outcome_text.empty()) return "";
  std::string out(name(defect.outcome));
  if (!defect.outcome_text.empty()) out += ": " + defect.outcome_text;
  if (defect.outcome_cycle != defect.finding.cycle || defect.outcome_tile != defect.finding.tile)
    out += fmt::format(" (on {} at cycle {})", places.text(defect.outcome_tile), grouped(defect.outcome_cycle));
  return out;
}

std::string seen_of(const Defect& defect, const Places& places) {
  if (defect.count == 1) return "";
  return fmt::format("{} times on {}: {}; first here", grouped(defect.count), counted(defect.tiles.size(), "tile"),
                     places.rectangles(defect.tiles, kMostRectangles));
}

}  // namespace

std::string text(const Defect& defect, const Places& places) {
  const Finding& f = defect.finding;
  std::string out;
  const std::string head =
      fmt::format("kerr: {} {} [{}]  {}", name(defect.level()), name(f.rule), defect.id, printable(f.what));
  Lines what = wrapped(head, kLabelColumns + 2);
  if (what.size() > kWhatLines) what.resize(kWhatLines);
  for (const std::string& line : what) out += line + "\n";

  Widths widths;
  for (const Site* site : {f.first ? &*f.first : &f.then, &f.then}) {
    widths.function = std::max(widths.function, function_text(*site).size());
    widths.file = std::max(widths.file, file_text(*site).size());
  }
  if (f.first) add_site(out, "first", *f.first, widths, places);
  Site then = f.then;
  const auto says_where = [](const Site& site) { return site.where.space != Space::None || !site.where.name.empty(); };
  if (!says_where(then) && !(f.first && says_where(*f.first))) then.where = f.object;  // one of them has to
  add_site(out, f.first ? "then" : "at", then, widths, places);
  add_part(out, "order", f.order, kOrderLines);
  if (!f.mend.text.empty())
    add_part(out, "mend", {f.mend.text + (f.mend.verified ? "" : " (not tried by the model)")}, kMendLines);
  if (const std::string outcome = outcome_of(defect, places); !outcome.empty())
    add_part(out, "outcome", {outcome}, kOutcomeLines);
  if (const std::string seen = seen_of(defect, places); !seen.empty()) add_part(out, "seen", {seen}, kSeenLines);
  return out + "\n";
}

std::string summary(const Report& report) {
  std::string out = "kerr: check: ";
  std::string found;
  for (const Level level : {Level::Error, Level::Warning, Level::Hint})
    if (const size_t n = report.count(level); n != 0) found += (found.empty() ? "" : ", ") + counted(n, name(level));
  out += found.empty() ? (report.baseline_name.empty() ? "nothing found" : "nothing new") : found;
  out += fmt::format("; {} checked", report.accesses == 1 ? "1 access" : grouped(report.accesses) + " accesses");
  if (report.suppressed() != 0) out += fmt::format("; {} suppressed", grouped(report.suppressed()));
  if (report.known() != 0) out += fmt::format("; {} known from '{}'", grouped(report.known()), report.baseline_name);
  if (!report.gone.empty()) out += fmt::format("; {} of it gone", grouped(report.gone.size()));
  out += "\n";
  if (report.lost.total() != 0) {
    out += fmt::format("kerr: check: history was lost ({}, {}, {}): what was not found may be there all the same\n",
                       counted(report.lost.readers, "reader"), counted(report.lost.transfers, "transfer"),
                       counted(report.lost.findings, "finding"));
  }
  return out;
}

std::string text(const Report& report, const Places& places, size_t limit) {
  std::string out;
  size_t more = 0;
  for (const Defect& defect : report.defects) {
    if (!defect.is_new()) continue;
    if (limit == 0) {
      ++more;
      continue;
    }
    --limit;
    out += text(defect, places);
  }
  if (more != 0) out += fmt::format("kerr: check: {} more not shown: --check-limit shows them\n", grouped(more));
  const auto add = [&out](const std::string& line) {
    for (const std::string& piece : wrapped(printable(line), kLabelColumns + 2)) out += piece + "\n";
  };
  for (const Suppression& s : report.unused)
    add(fmt::format("kerr: check: nothing was suppressed by line {} of '{}': {} {}", s.line, report.suppressions_name,
                    s.rule ? name(*s.rule) : "*", s.pattern));
  for (const Annotation& a : report.unknown_symbols)
    add(fmt::format("kerr: check: no kernel has the symbol of line {} of '{}' in L1: {} {}", a.line,
                    report.suppressions_name, name(a.kind), a.name));
  for (const Gone& gone : report.gone)
    add(fmt::format("kerr: check: gone since '{}': {}  {}", report.baseline_name, gone.known.rule, gone.known.what));
  return out + summary(report);
}

}  // namespace kerr::check
