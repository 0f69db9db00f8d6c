#include "image/elf/lines.hpp"

#include <elfutils/libdw.h>

#include <algorithm>
#include <memory>

namespace kerr::image {
namespace {

void append_unit(Dwarf_Die* unit, std::vector<LineEntry>& out) {
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  if (dwarf_getsrclines(unit, &lines, &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0;
    bool end = false;
    if (dwarf_lineaddr(line, &address) != 0 || address > UINT32_MAX || dwarf_lineendsequence(line, &end) != 0) continue;
    if (end || dwarf_lineno(line, &number) != 0 || number < 0) number = 0;
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    out.push_back({static_cast<uint32_t>(address), file ? file : "", static_cast<uint32_t>(number), ""});
  }
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
