// What the streams of one core do to other tiles.
#include <fmt/format.h>

#include <algorithm>

#include "image/image.hpp"
#include "kernels/stream/checked_program.hpp"
#include "kernels/stream/effects.hpp"

namespace kerr::kernels {

using Kind = Effect::Kind;

namespace {

// Calls `body` for all that the kernels of all cores do.
template <class OnCores, class Body>
void each_effect(const OnCores& cores, Body&& body) {
  for (const auto& [core, kernels] : cores) {
    for (const auto& k : kernels) {
      for (const Effect& e : *k.effects) body(core, k, e);
    }
  }
}

}  // namespace

std::vector<arch::NocCoord> CheckedProgram::targets(arch::NocCoord core, const OnCore& k, const Effect& e,
                                                    uint32_t wanted, const std::string& what) const {
  std::vector<arch::NocCoord> all = tiles_of(argument(core, k, e.argument));
  if (all.size() == wanted) return all;
  refuse(core, fmt::format("{} waits for {} tiles to take {}, and sends it to {}", k.kernel->image->name, wanted, what,
                           all.size()));
}

void CheckedProgram::verify_signals(const OnCores& cores) const {
  std::map<std::pair<arch::NocCoord, uint32_t>, EffectSum> semaphores;
  each_effect(cores, [&](arch::NocCoord core, const OnCore& k, const Effect& e) {
    if (e.kind != Kind::Signal && e.kind != Kind::Await) return;
    const std::string& who = k.kernel->image->name;
    if (e.id >= program_.semaphores().size()) {
      refuse(core,
             fmt::format("{} uses semaphore {} of the program, which has {}", who, e.id, program_.semaphores().size()));
    }
    const uint64_t count = total(core, k, e);
    if (e.kind == Kind::Await) return semaphores[{core, e.id}].add(false, count, who);
    for (const arch::NocCoord target :
         targets(core, k, e, e.amount, fmt::format("semaphore {} of the program", e.id))) {
      semaphores[{target, e.id}].add(true, count, fmt::format("{} on ({},{})", who, core.x, core.y));
    }
  });
  for (const auto& [where, sum] : semaphores) {
    if (sum.even()) continue;
    refuse(where.first, fmt::format("semaphore {} of the program is raised {} times ({}) and waited for {} times ({})",
                                    where.second, sum.gives, sum.givers.empty() ? "by nobody" : sum.givers, sum.takes,
                                    sum.takers.empty() ? "by nobody" : sum.takers));
  }
}

// What comes by multicast lies in pages that the receiver's own streams reserve and push: at once, and in all.
void CheckedProgram::verify_multicasts(const OnCores& cores) const {
  struct Room {
    uint64_t at_once = 0, pushed = 0;  // bytes
    EffectSum sum{};                   // what arrives
  };
  std::map<std::pair<arch::NocCoord, uint32_t>, Room> rooms;
  each_effect(cores, [&](arch::NocCoord core, const OnCore& k, const Effect& e) {
    if (e.kind != Kind::Reserve && e.kind != Kind::Push) return;
    const uint64_t page = buffer(core, k, e.id).config.page_bytes;
    Room& room = rooms[{core, e.id}];
    if (e.kind == Kind::Push) room.pushed += total(core, k, e) * page;
    if (e.kind == Kind::Reserve) room.at_once = std::max(room.at_once, e.amount * page);
  });
  each_effect(cores, [&](arch::NocCoord core, const OnCore& k, const Effect& e) {
    if (e.kind != Kind::Sent) return;
    const std::string who = fmt::format("{} on ({},{})", k.kernel->image->name, core.x, core.y);
    for (const arch::NocCoord target :
         targets(core, k, e, e.receivers, fmt::format("pages of circular buffer {}", e.id))) {
      if (!cores.contains(target)) {
        refuse(target, fmt::format("{} sends it {} bytes, and it runs nothing of this program", who, e.amount));
      }
      Room& room = rooms[{target, e.id}];
      if (e.amount > room.at_once) {
        refuse(target, fmt::format("{} sends it {} bytes at once for circular buffer {}, of which its own streams "
                                   "reserve {}: the rest lies in others' L1",
                                   who, e.amount, e.id, room.at_once));
      }
      room.sum.add(true, total(core, k, e), who);
    }
  });
  for (const auto& [where, room] : rooms) {
    if (room.sum.gives <= room.pushed) continue;
    refuse(where.first, fmt::format("{} bytes are sent for circular buffer {} ({}), and its own streams push {}",
                                    room.sum.gives, where.second, room.sum.givers, room.pushed));
  }
}

}  // namespace kerr::kernels
