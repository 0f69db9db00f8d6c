#include "check/report/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "arch/harvesting.hpp"
#include "isa/disassembler.hpp"

namespace kerr::check {

namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

std::string place_of(const Frame& frame) {
  return frame.file.empty() ? "" : fmt::format("{}:{}", base_name(frame.file), frame.line);
}

// Who calls what was inlined: the first frame that is a function of its own.
const Frame* frame_of(const Site& site) { return site.frames.empty() ? nullptr : &site.frames.back(); }

}  // namespace

Places::Places(const std::vector<arch::Board>& boards) {
  for (const arch::Board& board : boards) chips_.push_back(board.harvesting);
}

arch::NocCoord Places::of(TileId tile) const {
  const arch::NocCoord raw{static_cast<uint8_t>(tile.x()), static_cast<uint8_t>(tile.y())};
  return tile.chip < chips_.size() ? arch::logical_id(chips_[tile.chip], raw) : raw;
}

std::string Places::text(TileId tile) const {
  const arch::NocCoord at = of(tile);
  return (chips_.size() > 1 ? fmt::format("chip {} ", tile.chip) : "") + fmt::format("({},{})", at.x, at.y);
}

std::string Places::rectangles(std::span<const TileId> tiles, size_t most) const {
  struct Run {
    int chip, first, last, top, bottom;
  };
  std::map<int, std::set<arch::NocCoord>> chips;
  for (const TileId tile : tiles) chips[tile.chip].insert(of(tile));
  std::vector<Run> runs;
  for (const auto& [chip, all] : chips) {
    const size_t begin = runs.size();
    for (const arch::NocCoord at : all) {
      if (runs.size() > begin && runs.back().bottom == at.y && runs.back().last + 1 == at.x)
        ++runs.back().last;
      else
        runs.push_back({chip, at.x, at.x, at.y, at.y});
    }
    // Equal runs of rows below one another are one rectangle.
    std::vector<Run> merged;
    for (auto run = runs.begin() + static_cast<ptrdiff_t>(begin); run != runs.end(); ++run) {
      const auto above = std::ranges::find_if(merged, [&](const Run& r) {
        return r.bottom + 1 == run->top && r.first == run->first && r.last == run->last;
      });
      if (above != merged.end())
        above->bottom = run->bottom;
      else
        merged.push_back(*run);
    }
    runs.resize(begin);
    runs.insert(runs.end(), merged.begin(), merged.end());
  }
  const auto range = [](int a, int b) { return a == b ? fmt::format("{}", a) : fmt::format("{}..{}", a, b); };
  std::string out;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i == most) return out + " ...";
    const Run& r = runs[i];
    out += fmt::format("{}{}({},{})", i == 0 ? "" : " ", chips_.size() > 1 ? fmt::format("chip {} ", r.chip) : "",
                       range(r.first, r.last), range(r.top, r.bottom));
  }
  return out;
}

std::string grouped(uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", grouped(number), what, number == 1 ? "" : "s");
}

std::string address_text(uint64_t address) {
  std::string digits = fmt::format("{:08X}", address);
  for (size_t at = digits.size(); at > 4;) digits.insert(at -= 4, "_");
  return "0x" + digits;
}

std::string range_text(uint64_t address, uint64_t bytes) {
  if (bytes < 2) return address_text(address);
  return address_text(address) + ".." + address_text(address + bytes - 1);
}

std::string text(const Object& object, const Places& places, TileId seen_from) {
  using enum Space;
  const bool numbered =
      object.space == L1 || object.space == Dram || object.space == HostMemory || object.space == Register;
  if (!numbered) return object.name;
  std::string out = fmt::format("{} {}", name(object.space), range_text(object.address, object.bytes));
  if (object.tile != seen_from && object.space != HostMemory) out += " of " + places.text(object.tile);
  if (!object.name.empty()) out += " = " + object.name;
  return out;
}

std::string_view name(Site::Who who) {
  constexpr std::string_view names[] = {"hart", "thread", "unpacker", "packer", "mover", "transfer", "host"};
  return names[static_cast<size_t>(who)];
}

std::string instruction_text(const Site& site) {
  using enum Site::Who;
  if (site.word == 0) return "";
  if (site.who == Hart || site.who == Transfer) return isa::disassemble(site.word);
  return site.who == Host ? "" : isa::disassemble_tensix(site.word);
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return out;
}

std::string function_text(const Site& site) {
  const Frame* const frame = frame_of(site);
  if (frame == nullptr || frame->function.empty())
    return site.kernel.empty() ? "" : fmt::format("kernel '{}'", site.kernel);
  return frame->function + (frame->offset != 0 ? fmt::format("+{:#x}", frame->offset) : "");
}

std::string file_text(const Site& site) {
  const Frame* const frame = frame_of(site);
  if (frame == nullptr) return "";
  const std::string place = place_of(*frame);
  if (site.frames.size() == 1) return place;
  const Frame& inner = site.frames.front();
  if (!inner.function.empty()) return fmt::format("{} inlined at {}", inner.function, place);
  return fmt::format("{} ({})", place, place_of(inner));
}

}  // namespace kerr::check
