#include "report/profile/profile.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "image/image.hpp"

namespace kerr::report {

using emu::Agent;

namespace {

bool is_hart(Agent agent) { return agent >= Agent::Brisc && agent <= Agent::Trisc2; }
size_t index_of(Agent hart) { return static_cast<size_t>(hart) - static_cast<size_t>(Agent::Brisc); }

constexpr size_t kMostWaiting = 4096;  // launches of a hart that it has not begun

// What is counted of one code, as it is counted quickly.
struct Counted {
  size_t code = 0;
  std::vector<CodeUse::Place> places;                      // of each word of it
  std::unordered_map<uint32_t, CodeUse::Place> elsewhere;  // by pc: of unknown code
  std::unordered_map<uint64_t, CodeUse::Word> words;       // by place and word

  CodeUse::Place& at(uint32_t place) { return places.empty() ? elsewhere[place] : places[place / 4]; }
};

// Code at an address of a hart.
struct Placed {
  uint32_t address = 0, bytes = 0, entry = 0;
  size_t use = 0;  // of HartNow::uses
  bool holds(uint32_t pc) const { return pc - address < bytes; }
};

// Where an instruction is counted.
struct There {
  Counted* use = nullptr;
  uint32_t place = 0;
};

struct HartNow {
  explicit HartNow(size_t unknown = 0) { uses.push_back(std::make_unique<Counted>(unknown)); }

  std::vector<std::unique_ptr<Counted>> uses;  // the first: unknown code
  std::optional<Placed> firmware, kernel;      // the kernel that it runs, or ran last
  std::deque<Placed> waiting;                  // launches that it has not begun
  CodeUse::Place* last = nullptr;              // where its last instruction is counted
  Cycle since = 0;                             // at which that was

  size_t use_of(size_t code, uint32_t bytes) {
    const auto same = std::ranges::find_if(uses, [&](const auto& use) { return use->code == code; });
    if (same != uses.end()) return static_cast<size_t>(same - uses.begin());
    uses.push_back(std::make_unique<Counted>(code));
    uses.back()->places.resize((bytes + 3) / 4);
    return uses.size() - 1;
  }
  There in(uint32_t pc) {
    for (const std::optional<Placed>* placed : {&kernel, &firmware}) {
      if (!*placed || !(*placed)->holds(pc)) continue;
      Counted* use = uses[(*placed)->use].get();
      if (pc - (*placed)->address < use->places.size() * 4) return {use, pc - (*placed)->address};
    }
    return {uses.front().get(), pc};
  }
  // Launches are told before they are written: the next one begins when the hart comes to where its code begins.
  void come_to(uint32_t pc) {
    for (auto next = waiting.begin(); next != waiting.end(); ++next) {
      if (next->entry != pc) continue;
      kernel = *next;
      waiting.erase(waiting.begin(), next + 1);
      return;
    }
  }
};

}  // namespace

struct Profile::Tile {
  std::array<HartNow, emu::kHarts> harts{HartNow(0), HartNow(1), HartNow(2), HartNow(3), HartNow(4)};
  std::array<CodeUse::Word*, emu::kThreads> issued{};  // what each thread issued last
  std::vector<CreditStored> credits;
};

Profile::Profile(const std::vector<arch::Board>& boards) : noted_(boards), tiles_(boards.size() * arch::kGridTiles) {
  for (int h = 0; h < emu::kHarts; ++h)
    code_.push_back({.name = "other code", .hart = static_cast<arch::Hart>(h), .kind = ProfiledCode::Kind::Unknown});
}
Profile::~Profile() = default;

Profile::Tile& Profile::at(emu::TileId id) {
  std::unique_ptr<Tile>& tile = tiles_.at(size_t{id.chip} * arch::kGridTiles + id.node);
  if (!tile) tile = std::make_unique<Tile>();
  return *tile;
}

const Profile::Tile* Profile::find(uint8_t node, int chip) const {
  return tiles_.at(static_cast<size_t>(chip) * arch::kGridTiles + node).get();
}

size_t Profile::code_index(const arch::note::Code& code, arch::Hart hart, ProfiledCode::Kind kind) {
  const int of = static_cast<int>(hart) * 2 + (kind == ProfiledCode::Kind::Firmware);
  const size_t at = code.image ? known_.try_emplace({code.image.get(), of}, code_.size()).first->second
                               : unnamed_.try_emplace({code.name, of}, code_.size()).first->second;
  if (at == code_.size()) code_.push_back({code.name, hart, kind, code.bytes, code.image_address, code.image});
  return at;
}

void Profile::launched(const arch::note::Launched& launch, Cycle cycle) {
  ProfiledLaunch kept{launch.program, launch.chip, cycle, {}, launch.circular_buffers};
  for (const arch::note::Launched::Group& group : launch.groups) {
    for (const arch::NocCoord core : group.cores) {
      const std::optional<emu::TileId> tile = noted_.at(launch.chip, core);
      if (!tile) continue;
      kept.nodes.push_back(tile->node);
      for (const arch::note::Launched::Kernel& kernel : group.kernels) {
        const arch::note::Code& code = kernel.code;
        HartNow& hart = at(*tile).harts[static_cast<size_t>(kernel.hart)];
        const size_t index = code_index(code, kernel.hart, ProfiledCode::Kind::Kernel);
        const uint32_t entry = code.image ? code.image->entry - code.image_address : 0;
        if (hart.waiting.size() == kMostWaiting) hart.waiting.pop_front();
        hart.waiting.push_back({code.address, code.bytes, code.address + entry, hart.use_of(index, code.bytes)});
      }
    }
  }
  if (launches_.size() < kMostLaunches)
    launches_.push_back(std::move(kept));
  else
    ++further_launches_;
}

void Profile::noted(const arch::note::Note& note, Cycle cycle) {
  if (const auto* launch = std::get_if<arch::note::Launched>(&note)) return launched(*launch, cycle);
  const auto* boot = std::get_if<arch::note::Booted>(&note);
  if (boot == nullptr) return;
  for (const arch::NocCoord core : boot->tiles) {
    const std::optional<emu::TileId> tile = noted_.at(boot->chip, core);
    if (!tile) continue;
    for (size_t h = 0; h < boot->firmware.size(); ++h) {
      const arch::note::Code& code = boot->firmware[h];
      HartNow& hart = at(*tile).harts[h];
      const size_t use =
          hart.use_of(code_index(code, static_cast<arch::Hart>(h), ProfiledCode::Kind::Firmware), code.bytes);
      hart.firmware = Placed{code.address, code.bytes, code.address, use};
    }
  }
}

void Profile::retired(const emu::Actor& who, uint32_t pc, uint32_t word) {
  if (!is_hart(who.agent)) return;
  HartNow& hart = at(who.tile).harts[index_of(who.agent)];
  if (hart.last != nullptr) hart.last->cycles += who.cycle - hart.since;
  if (!hart.waiting.empty()) hart.come_to(pc);
  const There there = hart.in(pc);
  CodeUse::Place& place = there.use->at(there.place);
  ++place.times;
  place.word = word;
  hart.last = &place;
  hart.since = who.cycle;
}

void Profile::issued(const emu::Actor& who, uint32_t word) {
  Tile& tile = at(who.tile);
  const size_t thread = static_cast<size_t>(who.agent) - static_cast<size_t>(Agent::Thread0);
  if (thread >= tile.issued.size()) return;
  tile.issued[thread] = nullptr;
  if (!is_hart(who.pusher) || who.pc == emu::Actor::kNoPc) return;
  const There from = tile.harts[index_of(who.pusher)].in(who.pc);  // if it has not gone on to other code already
  CodeUse::Word& use = from.use->words[uint64_t{from.place} << 32 | word];
  ++use.times;
  tile.issued[thread] = &use;
}

void Profile::worked(const emu::Actor& who, const emu::UnitWork& work) {
  Tile& tile = at(who.tile);
  const size_t thread = static_cast<size_t>(who.agent) - static_cast<size_t>(Agent::Thread0);
  if (thread < tile.issued.size() && tile.issued[thread] != nullptr)
    tile.issued[thread]->busy += work.until - work.start;
}

void Profile::accessed(const emu::Actor& who, emu::AccessKind kind, uint32_t address, uint32_t, uint32_t value) {
  if (kind != emu::AccessKind::Store) return;
  if (address - arch::kOverlayBase >= arch::kStreams * arch::kStreamStride) return;
  const Credit counter = credit_of(address);
  if (counter.buffer != Credit::kNoBuffer) at(who.tile).credits.push_back({who.cycle, counter, value});
}

std::vector<CodeUse> Profile::uses(uint8_t node, int chip) const {
  std::vector<CodeUse> out;
  const Tile* const tile = find(node, chip);
  if (tile == nullptr) return out;
  for (const HartNow& hart : tile->harts) {
    for (const auto& counted : hart.uses) {
      CodeUse use{.code = counted->code, .places = {counted->elsewhere.begin(), counted->elsewhere.end()}, .words = {}};
      for (size_t i = 0; i < counted->places.size(); ++i)
        if (counted->places[i].times != 0) use.places.emplace(static_cast<uint32_t>(4 * i), counted->places[i]);
      for (const auto& [key, word] : counted->words)
        use.words.emplace(std::pair{static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key)}, word);
      if (!use.places.empty()) out.push_back(std::move(use));
    }
  }
  return out;
}

const std::vector<CreditStored>& Profile::credits(uint8_t node, int chip) const {
  static const std::vector<CreditStored> none;
  const Tile* const tile = find(node, chip);
  return tile != nullptr ? tile->credits : none;
}

}  // namespace kerr::report
