#include "hang/past.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "emu/observe/agent_names.hpp"
#include "hang/requests.hpp"

namespace kerr::hang {

namespace {

using check::counted;
using check::grouped;
using Change = History::Change;
using Step = History::Step;
using Sent = History::Sent;

constexpr uint32_t kNear = 256;  // bytes
constexpr size_t kMostTiles = 4;

std::string number(uint32_t value) { return value < 0x10000 ? fmt::format("{}", value) : fmt::format("{:#x}", value); }

class Past {
 public:
  Past(const Scene& scene, const History& history, size_t agent)
      : scene_(scene), history_(history), self_(scene.agents()[agent]) {}

  std::vector<std::string> of(const Want& want) {
    if (want.thing.kind != Thing::Kind::Word) return {};
    address_ = want.thing.address & ~3u;
    tile_ = scene_.tiles()[want.thing.tile].id;
    lost(want);
    count(want);
    elsewhere(want);
    beside(want);
    return std::move(lines_);
  }

  Event event(const Step& step) const {
    std::string what = step.kind == Step::Kind::Sent ? sent(step.packet) : access(step);
    if (step.times > 1)
      what += step.kind == Step::Kind::Load ? fmt::format(", {} times", grouped(step.times))
                                            : fmt::format(", the last of {}", grouped(step.times));
    const std::string place = scene_.place(self_, step.pc);
    return {step.last, what + "  " + (place.empty() ? fmt::format("pc {:#x}", step.pc) : place)};
  }

 private:
  // The hart behind a packet, as far as it is remembered.
  History::By resolved(const History::By& by) const {
    const Sent* const sent = by.agent == emu::Agent::Inbox ? history_.sent(by.tile, by.packet) : nullptr;
    if (sent == nullptr) return by;
    History::By out = sent->by;
    out.cycle = by.cycle;
    return out;
  }
  bool is_self(const History::By& by) const { return by.tile == scene_.tile_of(self_).id && by.agent == self_.agent; }
  // "(1,2) BRISC  send()  sender.cpp:12"
  std::string who(const History::By& made) const {
    const History::By by = resolved(made);
    if (by.agent == emu::Agent::Host) return "the host";
    const std::string tile = scene_.places().text(by.tile);
    if (by.agent == emu::Agent::Inbox) return "a packet of " + tile;
    std::string out = is_self(by) ? "it itself" : fmt::format("{} {}", tile, emu::name(by.tile, by.agent));
    if (by.pc == emu::Actor::kNoPc) return out;
    const std::string place = place_of(by);
    return out + (place.empty() ? fmt::format(" at pc {:#x}", by.pc) : "  " + place);
  }
  std::string place_of(const History::By& by) const {
    const auto tile = scene_.tile_at(by.tile);
    if (!tile) return {};
    const size_t agent = scene_.agent(*tile, by.agent);
    return agent == Scene::kNobody ? "" : scene_.place(scene_.agents()[agent], by.pc);
  }

  // What was stored over: the value itself, or increments on the way to it.
  void lost(const Want& want) {
    const History::Word* const word = history_.word(tile_, address_);
    if (word == nullptr) return;
    for (auto store = word->stores.rbegin(); store != word->stores.rend(); ++store) {
      if (store->before == store->value) continue;
      const bool had_it = satisfies(want, store->before) && !satisfies(want, store->value);
      if (had_it && !store->was_read) {
        const Change* const maker = before(*word, *store);
        lines_.push_back(fmt::format("it was {}{}; at cycle {} {} stored {} over it before a hart had read it",
                                     number(store->before), maker == nullptr ? "" : ", by " + who(maker->by),
                                     grouped(store->by.cycle), who(store->by), number(store->value)));
        return;
      }
      if (!had_it && store->wiped > 0 && !satisfies(want, store->before)) {
        const Change* const maker = before(*word, *store);
        lines_.push_back(fmt::format("{} had come{}; at cycle {} {} stored {} over that",
                                     counted(store->wiped, "increment"),
                                     maker == nullptr ? "" : ", the last by " + who(maker->by),
                                     grouped(store->by.cycle), who(store->by), number(store->value)));
        return;
      }
    }
    const History::Range* const range = history_.over(tile_, address_);
    if (range == nullptr || begins_launch(range->by)) return;  // what was before that was another one's
    if (word->atomics.empty() || word->atomics.back().by.order > range->by.order) return;
    if (!word->stores.empty() && word->stores.back().by.order > range->by.order) return;
    lines_.push_back(fmt::format("it was {}, by {}; at cycle {} {} stored {} bytes from L1 {:#x} on over it",
                                 number(word->atomics.back().value), who(word->atomics.back().by),
                                 grouped(range->by.cycle), who(range->by), range->bytes, range->address));
  }
  // Who had made it what `store` found there; nullptr: that is forgotten.
  static const Change* before(const History::Word& word, const Change& store) {
    const Change* out = nullptr;
    for (const auto* all : {&word.atomics, &word.stores})
      for (const Change& change : *all)
        if (change.by.order < store.by.order && (out == nullptr || change.by.order > out->by.order)) out = &change;
    return out != nullptr && out->value == store.before ? out : nullptr;
  }

  // Increments that came, and cores that have sent none although they run the kernels of one that has.
  void count(const Want& want) {
    const History::Word* const word = history_.word(tile_, address_);
    const bool counts = want.wanted.kind == Wanted::Kind::Equal || want.wanted.kind == Wanted::Kind::AtLeast;
    if (word == nullptr || word->since.empty() || !counts || !want.has_value || want.value >= want.wanted.value) return;
    uint32_t came = 0;
    std::vector<emu::TileId> from, none;
    for (const History::Count& c : word->since) {
      came += c.times;
      from.push_back(c.tile);
    }
    std::ranges::sort(from);
    std::string line = fmt::format("{} came{}, from {}", counted(came, "increment"), since(*word),
                                   scene_.places().rectangles(from, kMostTiles));
    const auto sender =
        std::ranges::find_if(scene_.tiles(), [&](const TileAt& t) { return std::ranges::binary_search(from, t.id); });
    if (sender != scene_.tiles().end())
      for (const TileAt& t : scene_.tiles())
        if (t.id != tile_ && t.id.chip == tile_.chip && has_kernels_of(t, *sender) &&
            !std::ranges::binary_search(from, t.id))
          none.push_back(t.id);
    if (!none.empty() && none.size() < from.size())
      line += fmt::format("; none from {}, which {} the same kernels", scene_.places().rectangles(none, kMostTiles),
                          none.size() == 1 ? "runs" : "run");
    lines_.push_back(std::move(line));
  }
  // From when on increments are counted.
  std::string since(const History::Word& word) const {
    const Change* const store = word.stores.empty() ? nullptr : &word.stores.back();
    if (word.covered && (store == nullptr || store->by.order < word.covered->order))
      return fmt::format(" since cycle {}, when {} stored over it", grouped(word.covered->cycle), who(*word.covered));
    if (store == nullptr) return {};
    return fmt::format(" since cycle {}, when {} stored {}", grouped(store->by.cycle), who(store->by),
                       number(store->value));
  }
  static bool has_kernels_of(const TileAt& a, const TileAt& b) {
    for (size_t h = 0; h < arch::kHarts; ++h) {
      const auto image = [&](const TileAt& t) {
        return t.kernels[h] == nullptr ? nullptr : t.kernels[h]->code.image.get();
      };
      if (image(a) != image(b)) return false;
    }
    return true;
  }

  // The change that would have done, if nobody waits for the word that it was made to.
  std::optional<Change> astray(emu::TileId tile, uint32_t address, const Want& want) const {
    const History::Word* const word = history_.word(tile, address);
    if (word == nullptr || word->polled) return std::nullopt;
    if (!word->atomics.empty() && is_launched(word->atomics.back().by)) return word->atomics.back();
    for (auto store = word->stores.rbegin(); store != word->stores.rend(); ++store)
      if (store->value != 0 && satisfies(want, store->value) && is_launched(store->by)) return *store;
    return std::nullopt;
  }
  // A kernel of the programs in question has done it; whoever did it, if none is known.
  bool is_launched(const History::By& made) const {
    const History::By by = resolved(made);
    if (!scene_.knows_programs()) return by.agent != emu::Agent::Host;
    return !place_of(by).empty();
  }
  // A host, firmware or a dispatcher: they set words anew for a launch.
  bool begins_launch(const History::By& made) const {
    const History::By by = resolved(made);
    if (by.agent == emu::Agent::Host) return true;
    return by.agent != emu::Agent::Inbox && scene_.knows_programs() && place_of(by).empty();
  }
  std::string did(const Change& change) const {
    return change.value - change.before < 0x10000 && change.before != 0
               ? fmt::format("added {}", change.value - change.before)
               : fmt::format("made it {}", number(change.value));
  }

  void elsewhere(const Want& want) {
    std::vector<emu::TileId> tiles;
    std::optional<Change> first;
    for (const TileAt& t : scene_.tiles()) {
      if (t.id == tile_ || t.id.chip != tile_.chip) continue;
      const std::optional<Change> change = astray(t.id, address_, want);
      if (!change) continue;
      tiles.push_back(t.id);
      if (!first) first = change;
    }
    if (!first) return;
    lines_.push_back(fmt::format("{} {} on {}, where nobody waits for it, at cycle {}", who(first->by), did(*first),
                                 scene_.places().rectangles(tiles, kMostTiles), grouped(first->by.cycle)));
  }

  void beside(const Want& want) {
    std::optional<Change> best;
    uint32_t at = 0;
    const auto distance = [&](uint32_t address) {
      return address < address_ ? address_ - address : address - address_;
    };
    const auto take = [&](uint32_t address, const Change& change) {
      if (best && distance(address) > distance(at)) return;
      best = change;
      at = address;
    };
    for (const uint32_t address : history_.words(tile_)) {
      if (address == address_ || distance(address) > kNear || is_semaphore(want, address)) continue;
      if (const std::optional<Change> change = astray(tile_, address, want)) take(address, *change);
    }
    // Harts store all the time: a value that is any but one tells nothing.
    const bool exact = want.wanted.kind == Wanted::Kind::Equal || want.wanted.kind == Wanted::Kind::AtLeast;
    for (const auto& [address, change] : history_.loose(tile_))
      if (exact && address != address_ && distance(address) <= kNear && change.value != 0 &&
          satisfies(want, change.value) && is_launched(change.by) && !is_semaphore(want, address))
        take(address, change);
    if (!best) return;
    lines_.push_back(fmt::format("{} made {} of the word {} bytes {} it, L1 {:#x}, for which nobody waits, at cycle {}",
                                 who(best->by), number(best->value), distance(at), at < address_ ? "before" : "behind",
                                 at, grouped(best->by.cycle)));
  }
  // The word is a semaphore of the program that somebody has waited for before, and may wait for again.
  bool is_semaphore(const Want& want, uint32_t address) const {
    const arch::note::Launched* const launch = scene_.tiles()[want.thing.tile].launch;
    if (launch == nullptr || want.thing.index == Thing::kNone) return false;
    return std::ranges::find(launch->semaphores, address, &arch::note::Launched::Semaphore::address) !=
               launch->semaphores.end() &&
           history_.word(tile_, address) != nullptr && history_.word(tile_, address)->polled;
  }

  std::string sent(uint64_t packet) const {
    const Sent* const s = history_.sent(scene_.tile_of(self_).id, packet);
    if (s == nullptr) return "a packet";
    LastRequest request{.noc = s->noc, .multicast = s->receivers > 1, .address = s->address, .bytes = s->bytes};
    using Kind = LastRequest::Kind;
    request.kind = s->kind == emu::MessageKind::ReadRequest   ? Kind::Read
                   : s->kind == emu::MessageKind::InlineWrite ? Kind::InlineWrite
                   : s->kind == emu::MessageKind::Atomic      ? Kind::Atomic
                                                              : Kind::Write;
    request.first = scene_.places().of(s->first);
    request.last = scene_.places().of(s->last);
    return text(request) + fmt::format(", NoC {}", s->noc) +
           (s->receivers > 1 ? fmt::format(", {} receivers", s->receivers) : "");
  }
  std::string access(const Step& step) const {
    const std::string what = name(scene_, thing_at(scene_, self_.tile, step.address));
    switch (step.kind) {
      case Step::Kind::Load: return fmt::format("looked at {}: {}", what, number(step.value));
      case Step::Kind::Store: return fmt::format("stored {} to {}", number(step.value), what);
      default: return fmt::format("made {} {}", what, number(step.value));
    }
  }

  const Scene& scene_;
  const History& history_;
  const AgentAt& self_;
  uint32_t address_ = 0;
  emu::TileId tile_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> past_of(const Scene& scene, const History& history, size_t agent, const Want& want) {
  return Past(scene, history, agent).of(want);
}

std::string less_than_twins(const Scene& scene, const History& history, const Node& node) {
  const Thing& thing = node.wants[node.deciding].thing;
  if (thing.kind != Thing::Kind::Pushed && thing.kind != Thing::Kind::Popped) return {};
  const auto side = thing.kind == Thing::Kind::Pushed ? History::Side::Pushed : History::Side::Popped;
  const auto pages = [&](const AgentAt& a) { return history.pages(scene.tile_of(a).id, a.hart(), thing.index, side); };
  for (const size_t provider : node.done) {
    const AgentAt& own = scene.agents()[provider];
    if (!own.is_hart() || own.kernel == nullptr) continue;
    uint32_t most = 0;
    std::vector<emu::TileId> more;
    for (const AgentAt& twin : scene.agents()) {
      if (twin.agent != own.agent || twin.kernel == nullptr || twin.kernel->code.image != own.kernel->code.image)
        continue;
      if (pages(twin) <= pages(own)) continue;
      most = std::max(most, pages(twin));
      more.push_back(scene.tile_of(twin).id);
    }
    if (more.empty()) continue;
    return fmt::format("kernel '{}' {} {} here, and up to {} on {}", own.kernel->code.name,
                       side == History::Side::Pushed ? "pushed" : "popped", counted(pages(own), "page"), most,
                       scene.places().rectangles(more, kMostTiles));
  }
  return {};
}

std::string text(const Event& event) { return fmt::format("cycle {:<10} {}", grouped(event.cycle), event.text); }

std::vector<Event> last_events(const Scene& scene, const History& history, size_t agent, size_t most) {
  std::vector<Event> out;
  const AgentAt& who = scene.agents()[agent];
  if (!who.is_hart()) return out;
  const Past past(scene, history, agent);
  std::vector<Step> steps = history.steps(scene.tile_of(who).id, who.hart());
  // Those of firmware, and of a kernel before this one, say nothing of it.
  if (who.kernel != nullptr)
    std::erase_if(steps, [&](const Step& s) { return s.pc - who.kernel->code.address >= who.kernel->code.bytes; });
  if (steps.size() > most) steps.erase(steps.begin(), steps.end() - static_cast<ptrdiff_t>(most));
  for (const Step& step : steps) out.push_back(past.event(step));
  return out;
}

}  // namespace kerr::hang
