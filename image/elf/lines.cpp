#include "image/elf/lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace kerr::image {
namespace {

// Code of an inlined call, and where the call stands.
struct Inlined {
  uint32_t begin = 0, end = 0;
  std::string file;
  uint32_t line = 0;
};

constexpr int kDeepest = 64;  // of nested scopes
// Files from anywhere may go round in circles, or name the same code again and again.
constexpr size_t kMostScopes = 1 << 20, kMostCalls = 1 << 14, kMostPairs = 1 << 24;

uint32_t number(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute value;
  Dwarf_Word word = 0;
  if (!dwarf_attr(die, attribute, &value) || dwarf_formudata(&value, &word) != 0 || word > UINT32_MAX) return 0;
  return static_cast<uint32_t>(word);
}

// Calls that stand in the file of the unit itself, outer ones first.
void collect_calls(Dwarf_Die* parent, Dwarf_Files* files, const std::string& own, int depth, size_t& scopes,
                   std::vector<Inlined>& out) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(parent, &child) != 0) return;
  do {
    if (++scopes > kMostScopes || out.size() > kMostCalls) return;
    if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
      const char* file = dwarf_filesrc(files, number(&child, DW_AT_call_file), nullptr, nullptr);
      const uint32_t line = number(&child, DW_AT_call_line);
      Dwarf_Addr base = 0, begin = 0, end = 0;
      for (ptrdiff_t at = 0;
           file && line != 0 && own == file && (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;) {
        if (begin < end && end <= UINT32_MAX)
          out.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), file, line});
      }
    }
    collect_calls(&child, files, own, depth + 1, scopes, out);
  } while (dwarf_siblingof(&child, &child) == 0);
}

// A line of a header belongs to the call in the unit's own file that brought it there, and is the inner one of two.
void name_callers(Dwarf_Die* unit, std::vector<LineEntry>& lines, size_t first) {
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || count < 2) return;
  const char* primary = dwarf_filesrc(files, 1, nullptr, nullptr);  // of DWARF 5; 0 names it too
  if (!primary) return;
  const std::string own = primary;
  std::vector<Inlined> calls;
  size_t scopes = 0;
  collect_calls(unit, files, own, 0, scopes, calls);
  // The last call that covers an address is the innermost one.
  std::map<uint32_t, LineEntry*> by_address;
  for (size_t i = first; i < lines.size(); ++i) {
    if (lines[i].line != 0) by_address[lines[i].address] = &lines[i];
  }
  if (calls.size() * by_address.size() > kMostPairs) return;
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    for (auto at = by_address.lower_bound(call->begin); at != by_address.end() && at->first < call->end; ++at) {
      LineEntry& line = *at->second;
      if (!line.inner_file.empty() || line.file == own) continue;
      line.inner_file = std::move(line.file);
      line.inner_line = line.line;
      line.file = call->file;
      line.line = call->line;
    }
  }
}

void append_unit(Dwarf_Die* unit, std::vector<LineEntry>& out) {
  const size_t first = out.size();
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  if (dwarf_getsrclines(unit, &lines, &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int line_number = 0;
    bool end = false;
    if (dwarf_lineaddr(line, &address) != 0 || address > UINT32_MAX || dwarf_lineendsequence(line, &end) != 0) continue;
    if (end || dwarf_lineno(line, &line_number) != 0 || line_number < 0) line_number = 0;
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    out.push_back({static_cast<uint32_t>(address), file ? file : "", static_cast<uint32_t>(line_number), ""});
  }
  name_callers(unit, out, first);
}

}  // namespace

std::vector<LineEntry> read_lines(Elf* elf) {
  const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(dwarf_begin_elf(elf, DWARF_C_READ, nullptr), dwarf_end);
  if (!dwarf) return {};
  std::vector<LineEntry> lines;
  Dwarf_Off offset = 0, next = 0;
  size_t header_bytes = 0;
  while (dwarf_nextcu(dwarf.get(), offset, &next, &header_bytes, nullptr, nullptr, nullptr) == 0 && next > offset) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf.get(), offset + header_bytes, &unit)) append_unit(&unit, lines);
    offset = next;
  }
  // At one address an end of sequence (line 0) comes before the next unit's first line, and the last of several lines
  // is the one that the instruction belongs to.
  std::stable_sort(lines.begin(), lines.end(), [](const LineEntry& a, const LineEntry& b) {
    return a.address != b.address ? a.address < b.address : (a.line == 0) > (b.line == 0);
  });
  std::vector<LineEntry> unique;
  for (LineEntry& line : lines) {
    if (!unique.empty() && unique.back().address == line.address) unique.pop_back();
    unique.push_back(std::move(line));
  }
  return unique;
}

}  // namespace kerr::image
