#include "hang/providers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/firmware_layout.hpp"
#include "arch/stream_registers.hpp"

namespace kerr::hang {

namespace {

using Kind = Thing::Kind;

bool stores_to_overlay(const Footprint& footprint) {
  const auto first = footprint.stores.lower_bound(arch::kOverlayBase);
  return first != footprint.stores.end() && *first < arch::kOverlayBase + arch::kStreams * arch::kStreamStride;
}

class Search {
 public:
  Search(const Scene& scene, const NamedTiles& named, size_t agent, const Want& want)
      : scene_(scene), named_(named), self_(agent), thing_(want.thing), want_(want) {}

  Providers run() {
    switch (thing_.kind) {
      case Kind::Pushed:
      case Kind::Popped: buffer(); break;
      case Kind::Word: word(); break;
      case Kind::NiuCounter: out_.nobody = niu(); break;
      case Kind::HardwareSemaphore: semaphore(); break;
      case Kind::Mutex: mutex(); break;
      case Kind::Source: add_thread(self_thread() == 0 ? 1 : 0); break;
      case Kind::FifoRoom:
      case Kind::ThreadIdle: add_thread(static_cast<int>(thing_.index)); break;
      case Kind::PcBuffer: add(scene_.agent(thing_.tile, emu::Agent::Brisc)); break;
      case Kind::Mailbox: mailbox(); break;
      case Kind::Register:
      case Kind::Time:
      case Kind::Endless:
      case Kind::Unknown: out_.known = false; break;
    }
    return out_;
  }

 private:
  const AgentAt& self() const { return scene_.agents()[self_]; }
  // Packets do not leave their chip.
  bool on_chip(const AgentAt& other) const {
    return scene_.tile_of(other).id.chip == scene_.tiles()[thing_.tile].id.chip;
  }
  int self_thread() const { return self().is_thread() ? self().thread() : emu::thread_of(self().hart()); }
  void add(size_t agent) {
    if (agent != Scene::kNobody && agent != self_) out_.agents.push_back(agent);
  }
  // The thread while it holds something, otherwise the hart that feeds it.
  void add_thread(int thread) {
    const size_t agent = scene_.agent(thing_.tile, emu::agent_of_thread(thread));
    if (agent != Scene::kNobody && scene_.agents()[agent].state == AgentAt::State::Blocked && agent != self_) {
      add(agent);
      return;
    }
    const auto hart = static_cast<arch::Hart>(static_cast<int>(arch::Hart::Trisc0) + thread);
    const size_t feeder = scene_.agent(thing_.tile, emu::agent_of(hart));
    add(feeder);
    if (feeder == Scene::kNobody) out_.nobody = fmt::format("TRISC{} runs no kernel", thread);
  }
  template <class Is>
  void add_harts_of_tile(Is is) {
    const TileAt& tile = scene_.tiles()[thing_.tile];
    for (size_t h = 0; h < arch::kHarts; ++h)
      if (tile.footprints[h] != nullptr && is(*tile.footprints[h]))
        add(tile.agents[static_cast<size_t>(emu::agent_of(static_cast<arch::Hart>(h)))]);
  }

  void buffer() {
    if (!scene_.knows_programs()) {
      for (const size_t agent : scene_.tiles()[thing_.tile].agents)
        if (agent != Scene::kNobody && scene_.agents()[agent].is_hart()) add(agent);
      out_.certain = false;
      out_.nobody = "no other hart of this core is out of reset";
      return;
    }
    const bool pushed = thing_.kind == Kind::Pushed;
    const uint32_t address =
        arch::stream_address(static_cast<int>(arch::kFwB.first_cb_stream + thing_.index),
                             pushed ? arch::stream::kRemoteDestBufSize : arch::stream::kRemoteDestBufStart);
    add_harts_of_tile([&](const Footprint& f) { return f.stores.contains(address); });
    if (out_.agents.empty()) {
      // Whoever takes the numbers of its buffers from somewhere.
      add_harts_of_tile([&](const Footprint& f) { return f.buffers.empty() && !stores_to_overlay(f); });
      out_.certain = out_.agents.empty();
    }
    out_.nobody = fmt::format("no other kernel of this core {} circular buffer {}", pushed ? "pushes to" : "pops from",
                              thing_.index);
  }

  void word() {
    const bool is_semaphore = thing_.index != Thing::kNone;
    const arch::NocCoord core = scene_.tiles()[thing_.tile].core;
    std::vector<size_t> here, there, naming;
    bool noted = false;
    for (const bool only_noted : {true, false}) {
      if (only_noted && !is_semaphore) continue;
      if (noted) break;
      for (size_t a = 0; a < scene_.agents().size(); ++a) {
        const AgentAt& agent = scene_.agents()[a];
        // Without programs, a hart that is in its firmware may have run anything, or nothing.
        const bool may = scene_.knows_programs() ? agent.kernel != nullptr : agent.state != AgentAt::State::Finished;
        if (a == self_ || !agent.is_hart() || !may || !on_chip(agent)) continue;
        const Footprint* f = scene_.tile_of(agent).footprints[static_cast<size_t>(agent.hart())];
        if (only_noted && (f == nullptr || !f->semaphores.contains(thing_.index))) continue;
        if (agent.tile == thing_.tile) {
          here.push_back(a);
        } else if (only_noted || agent.hart() == arch::Hart::Brisc || agent.hart() == arch::Hart::Ncrisc) {
          there.push_back(a);
          if (named_.names(a, core)) naming.push_back(a);
        }
      }
      noted = only_noted && (!here.empty() || !there.empty());
    }
    for (const size_t a : here) add(a);
    for (const size_t a : naming.empty() ? there : naming) add(a);
    // The only one that uses the semaphore, or the only one elsewhere whose arguments name this tile.
    const size_t most = here.size() + (naming.empty() ? there.size() : naming.size());
    out_.certain = noted && most <= 1;
    out_.nobody = scene_.knows_programs() ? "no other kernel of this program can write it; a host could"
                                          : "no other hart that is at work can write it; a host could";
  }

  std::string niu() const {
    const std::string outstanding = scene_.tiles()[thing_.tile].tile->niu(thing_.noc).describe();
    if (outstanding.empty()) return fmt::format("nothing of this core is under way on NoC {}", thing_.noc);
    return fmt::format("NoC {}: {}, and no answer is under way", thing_.noc, outstanding);
  }

  void semaphore() {
    const bool post = self().is_hart() ? want_.wanted.kind != Wanted::Kind::AtMost : want_.post;
    const TileAt& tile = scene_.tiles()[thing_.tile];
    const auto add_those = [&](auto is) {
      for (int thread = 0; thread < emu::kThreads; ++thread) {
        const auto h = static_cast<size_t>(arch::Hart::Trisc0) + static_cast<size_t>(thread);
        if (thread == self_thread() || tile.kernels[h] == nullptr) continue;
        if (tile.footprints[h] != nullptr && is(*tile.footprints[h])) add_thread(thread);
      }
    };
    add_those([&](const Footprint& f) { return ((post ? f.posts : f.gets) >> thing_.index & 1) != 0; });
    if (out_.agents.empty()) {
      add_those([](const Footprint& f) { return f.pushes; });
      out_.certain = out_.agents.empty();
    }
    out_.known = scene_.knows_programs();
    out_.nobody = fmt::format("no other thread of this core {} it", post ? "posts" : "gets");
  }

  void mutex() {
    const int holder = scene_.mutex_holder(thing_.tile, thing_.index);
    if (holder >= 0) add_thread(holder);
    out_.nobody = holder >= 0 ? fmt::format("T{} holds it", holder) : "nobody holds it";
  }

  void mailbox() {
    constexpr arch::Hart kHarts[] = {arch::Hart::Brisc, arch::Hart::Trisc0, arch::Hart::Trisc1, arch::Hart::Trisc2};
    if (thing_.index >= 4) return;
    add(scene_.agent(thing_.tile, emu::agent_of(kHarts[thing_.index])));
    out_.nobody = "the hart at its other end runs no kernel";
  }

  const Scene& scene_;
  const NamedTiles& named_;
  const size_t self_;
  const Thing& thing_;
  const Want& want_;
  Providers out_;
};

}  // namespace

NamedTiles::NamedTiles(const Scene& scene) : named_(scene.agents().size()) {
  for (size_t a = 0; a < scene.agents().size(); ++a) {
    const AgentAt& agent = scene.agents()[a];
    if (agent.kernel == nullptr) continue;
    const TileAt& tile = scene.tile_of(agent);
    const auto read = [&](uint32_t address, uint32_t words) {
      uint32_t before = ~0u;
      for (uint32_t i = 0; i < std::min(words, 1024u); ++i) {
        const auto word = scene.peek(agent.tile, agent.hart(), address + 4 * i, 4);
        if (!word) return;
        if (before < 64 && *word < 16) named_[a].set((*word << 6 | before) % kBits);
        if (*word >= 64 && *word < kBits) named_[a].set(*word);
        before = *word;
      }
    };
    uint32_t words = 0;
    for (const auto& group : tile.launch->groups) {
      const auto core = std::ranges::find(group.cores, tile.core);
      const auto of = static_cast<size_t>(core - group.cores.begin());
      for (const Kernel& kernel : group.kernels)
        if (&kernel == agent.kernel && of < kernel.args_words.size()) words = kernel.args_words[of];
    }
    read(agent.kernel->args_address, words);
    read(agent.kernel->common_args_address, agent.kernel->common_args_words);
  }
}

Providers providers_of(const Scene& scene, const NamedTiles& named, size_t agent, const Want& want) {
  return Search(scene, named, agent, want).run();
}

}  // namespace kerr::hang
