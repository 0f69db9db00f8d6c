#include "emu/observe/remark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "emu/observe/agent_names.hpp"
#include "emu/snapshot/archive.hpp"
#include "isa/disassembler.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu {

namespace {

struct Row {
  std::string_view what, consequence;
  FaultCategory category;
  std::string_view advice;
};
constexpr std::array<Row, kOddities> kRows{{
#define X(name, what, consequence, category, advice) Row{what, consequence, FaultCategory::category, advice},
#include "emu/observe/oddities.def"
}};

const Row& row_of(Oddity oddity) { return kRows[static_cast<size_t>(oddity)]; }

auto kind(const Remark& r) { return std::tuple(r.instruction >> 24, r.oddity, r.bits); }
auto place(const Remark& r) { return std::tuple(r.cycle, r.tile, r.agent); }

}  // namespace

std::string Remark::what() const {
  const isa::tensix::Row* row = isa::tensix::row_of(instruction);
  return fmt::format(fmt::runtime(row_of(oddity).what), bits, row ? row->mnemonic : std::string_view("a word"));
}

std::string_view Remark::consequence() const { return row_of(oddity).consequence; }
FaultCategory category_of(Oddity oddity) { return row_of(oddity).category; }
std::string_view advice_for(Oddity oddity) { return row_of(oddity).advice; }

std::string Remark::text() const {
  return fmt::format("{} ({:#010x}): {}; {}. First at cycle {} on tile raw ({},{}) {}, {} time{} on {} tile{}",
                     isa::disassemble_tensix(instruction), instruction, what(), consequence(), cycle, tile.x(),
                     tile.y(), name(tile, agent), times, times == 1 ? "" : "s", tiles, tiles == 1 ? "" : "s");
}

void Remark::serialize(Archive& a) {
  a.below(kOddities, oddity);
  a(instruction, bits, cycle, tile);
  a.below(static_cast<uint64_t>(Agent::Host) + 1, agent);
  a(times, tiles);
}

void RemarkLog::note(const Remark& remark) {
  const auto same = [&](const Remark& r) { return kind(r) == kind(remark) && r.agent == remark.agent; };
  if (last_ >= remarks_.size() || !same(remarks_[last_])) {
    const auto it = std::find_if(remarks_.begin(), remarks_.end(), same);
    last_ = static_cast<size_t>(it - remarks_.begin());
  }
  if (last_ < remarks_.size()) {
    ++remarks_[last_].times;
  } else if (remarks_.size() < kMost) {
    remarks_.push_back(remark);
    news_ = true;
  } else {
    ++further_;
  }
}

void RemarkLog::serialize(Archive& a) {
  a.list(remarks_, kMost);
  a(further_);
  if (a.loading()) last_ = 0, news_ = !remarks_.empty();
}

std::vector<Remark> merged(std::vector<Remark> remarks) {
  std::stable_sort(remarks.begin(), remarks.end(), [](const Remark& a, const Remark& b) {
    return std::tuple_cat(kind(a), place(a)) < std::tuple_cat(kind(b), place(b));
  });
  std::vector<Remark> all;
  std::vector<TileId> tiles;  // that the last of `all` has counted
  for (const Remark& r : remarks) {
    if (!all.empty() && kind(all.back()) == kind(r)) {
      all.back().times += r.times;
    } else {
      all.push_back(r);
      tiles.clear();
    }
    if (std::find(tiles.begin(), tiles.end(), r.tile) == tiles.end()) tiles.push_back(r.tile);
    all.back().tiles = static_cast<uint32_t>(tiles.size());
  }
  std::stable_sort(all.begin(), all.end(), [](const Remark& a, const Remark& b) {
    return std::tuple_cat(place(a), kind(a)) < std::tuple_cat(place(b), kind(b));
  });
  return all;
}

}  // namespace kerr::emu
