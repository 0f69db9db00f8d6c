#include "hang/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "arch/firmware_layout.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "emu/observe/agent_names.hpp"
#include "emu/observe/noted_tiles.hpp"
#include "emu/tensix/coprocessor.hpp"

namespace kerr::hang {

namespace {

uint32_t low_bytes(uint32_t word, uint32_t address, uint32_t bytes) {
  const uint32_t value = word >> 8 * (address % 4);
  return bytes == 4 ? value : value & ((1u << 8 * bytes) - 1);
}

bool covers(const Kernel& kernel, uint32_t pc) { return pc - kernel.code.address < kernel.code.bytes; }

// The words that a hart polls: one that is parked or, by `spin`, has not been yet.
const std::vector<uint32_t>& polled_words(const emu::AgentWait& wait, const Spin* spin) {
  return wait.words.empty() && spin != nullptr ? spin->read : wait.words;
}

// Firmware that has no work polls its GO message.
bool is_idle(const emu::TileWaits& waits, const Livelock* livelock) {
  return std::ranges::any_of(waits.agents, [&](const emu::AgentWait& wait) {
    if (wait.agent != emu::Agent::Brisc) return false;
    const Spin* const spin = livelock == nullptr ? nullptr : livelock->find(waits.tile, arch::Hart::Brisc);
    const std::vector<uint32_t>& words = polled_words(wait, spin);
    return std::ranges::find(words, arch::kFwB.go_messages) != words.end();
  });
}

// A hart that polls nothing but the firmware's mailboxes runs no kernel.
bool is_in_firmware(const emu::AgentWait& wait, const Spin* spin) {
  const auto is_mailbox = [](uint32_t address) { return address - arch::kFwB.mailboxes < arch::kFwB.mailbox_bytes; };
  const std::vector<uint32_t>& words = polled_words(wait, spin);
  return !words.empty() && std::ranges::all_of(words, is_mailbox);
}

}  // namespace

Scene::Scene(emu::Machine& machine, const arch::HangQuestion& question, const Livelock* livelock)
    : livelock_(livelock), places_(machine.options().boards) {
  knows_programs_ = !question.programs.empty();
  knows_programs_ ? add_programs(machine, question) : add_all(machine);
}

void Scene::add_all(emu::Machine& machine) {
  for (emu::TileWaits& waits : machine.waits()) {
    if (waits.agents.empty() || is_idle(waits, livelock_)) continue;
    if (waits.agents.front().agent == emu::Agent::Units && waits.agents.size() == 1) continue;  // held in reset
    add_tile(machine, {.id = waits.tile, .core = places_.of(waits.tile)}, nullptr);
  }
}

// A core of several programs is of the one that has not finished there.
void Scene::add_programs(emu::Machine& machine, const arch::HangQuestion& question) {
  const emu::NotedTiles noted(machine.options().boards);
  std::set<emu::TileId> anywhere;
  for (const auto& [launch, unfinished] : question.programs)
    for (const arch::NocCoord core : unfinished)
      if (const auto id = noted.at(launch.chip, core)) anywhere.insert(*id);
  for (const auto& [launch, unfinished] : question.programs) {
    const std::set<arch::NocCoord> here(unfinished.begin(), unfinished.end());
    for (const arch::note::Launched::Group& group : launch.groups) {
      for (const arch::NocCoord core : group.cores) {
        const auto id = noted.at(launch.chip, core);
        const bool is_unfinished = here.contains(core);
        if (!id || index_.contains(*id) || (!is_unfinished && anywhere.contains(*id))) continue;
        add_tile(machine, {.id = *id, .core = core, .launch = &launch, .unfinished = is_unfinished}, &group);
      }
    }
  }
}

// `group`: of the tile's launch; null if there is none.
void Scene::add_tile(emu::Machine& machine, TileAt tile, const arch::note::Launched::Group* group) {
  emu::TileTable& table = machine.chip(tile.id.chip).tiles;
  if (!table.present(tile.id.node)) return;
  tile.tile = &table.at_present(tile.id.node);
  tile.agents.fill(kNobody);
  if (group != nullptr) {
    for (const Kernel& kernel : group->kernels) {
      tile.kernels[static_cast<size_t>(kernel.hart)] = &kernel;
      tile.footprints[static_cast<size_t>(kernel.hart)] = footprint_of(kernel);
    }
  }
  index_.emplace(tile.id, tiles_.size());
  tiles_.push_back(tile);
  add_agents(tiles_.size() - 1);
}

const Footprint* Scene::footprint_of(const Kernel& kernel) {
  if (!kernel.code.image) return nullptr;
  std::unique_ptr<Footprint>& known = footprints_[kernel.code.image.get()];
  if (!known) known = std::make_unique<Footprint>(*kernel.code.image);
  return known.get();
}

void Scene::add_agents(size_t index) {
  const std::vector<emu::AgentWait> waits = tiles_[index].tile->describe_waits();
  const auto find = [&](emu::Agent agent) -> const emu::AgentWait* {
    const auto found = std::ranges::find(waits, agent, &emu::AgentWait::agent);
    return found == waits.end() ? nullptr : &*found;
  };
  for (size_t h = 0; h < arch::kHarts; ++h) {
    const auto hart = static_cast<arch::Hart>(h);
    add_hart(index, hart, find(emu::agent_of(hart)));
  }
  if (tiles_[index].id.y() == 1) return;  // Ethernet
  for (int thread = 0; thread < emu::kThreads; ++thread) {
    AgentAt agent{.tile = index, .agent = emu::agent_of_thread(thread)};
    if (const emu::AgentWait* wait = tiles_[index].unfinished ? find(agent.agent) : nullptr) {
      agent.state = AgentAt::State::Blocked;
      agent.waits_for = wait->waits_for;
      agent.text = wait->text;
    }
    tiles_[index].agents[static_cast<size_t>(agent.agent)] = agents_.size();
    agents_.push_back(std::move(agent));
  }
}

void Scene::add_hart(size_t index, arch::Hart hart, const emu::AgentWait* wait) {
  TileAt& tile = tiles_[index];
  const Kernel* const kernel = tile.kernels[static_cast<size_t>(hart)];
  if (knows_programs_ ? kernel == nullptr : wait == nullptr) return;
  AgentAt agent{.tile = index, .agent = emu::agent_of(hart), .kernel = kernel};
  const Spin* const spin = livelock_ == nullptr ? nullptr : livelock_->find(tile.id, hart);
  const bool runs = wait != nullptr && (kernel == nullptr ? !is_in_firmware(*wait, spin) : covers(*kernel, wait->pc));
  if (runs && tile.unfinished) {
    using emu::HartStatus;
    const emu::HartState& state = tile.tile->hart(hart).state();
    agent.state = state.status == HartStatus::Paused   ? AgentAt::State::Paused
                  : state.asleep()                     ? AgentAt::State::Blocked
                  : state.status == HartStatus::Halted ? AgentAt::State::Paused
                                                       : AgentAt::State::Runs;
    agent.pc = wait->pc;
    agent.waits_for = wait->waits_for;
    agent.text = wait->text;
    agent.spin = spin;
    if (agent.spin != nullptr && livelock_->proved()) {
      agent.state = AgentAt::State::Spins;
      agent.pc = agent.spin->pc;
      agent.text = fmt::format("goes round for ever, pc {:#x}", agent.pc);
    }
  }
  tile.agents[static_cast<size_t>(agent.agent)] = agents_.size();
  agents_.push_back(std::move(agent));
}

std::optional<size_t> Scene::tile_at(emu::TileId id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

std::string Scene::name(const AgentAt& agent) const {
  const TileAt& tile = tile_of(agent);
  return fmt::format("{} {}", places_.text(tile.id), emu::name(tile.id, agent.agent));
}

std::string Scene::place(const AgentAt& agent, uint32_t pc) const {
  if (agent.kernel == nullptr || !agent.kernel->code.image) return {};
  const arch::note::Code& code = agent.kernel->code;
  if (pc - code.address >= code.bytes) return {};
  return code.image->describe(pc - code.address + code.image_address);
}

std::string Scene::places(const AgentAt& agent, const std::vector<uint32_t>& pcs) const {
  constexpr size_t kMostPlaces = 4;
  std::vector<std::string> all;
  for (const uint32_t pc : pcs) {
    const bool named = agent.kernel != nullptr && agent.kernel->code.image;
    if (named && pc - agent.kernel->code.address >= agent.kernel->code.bytes) continue;
    std::string text = place(agent, pc);
    if (text.empty()) text = fmt::format("pc {:#x}", pc);
    // The first instruction of a line will do.
    const size_t line = text.find("  ");
    const std::string_view where =
        line == std::string::npos ? std::string_view(text) : std::string_view(text).substr(line);
    if (line != std::string::npos &&
        std::ranges::any_of(all, [&](const std::string& known) { return known.ends_with(where); }))
      continue;
    all.push_back(std::move(text));
  }
  std::string out;
  for (size_t i = 0; i < std::min(all.size(), kMostPlaces); ++i) out += (i == 0 ? "" : ", ") + all[i];
  if (all.size() > kMostPlaces) out += fmt::format(" and {} more places", all.size() - kMostPlaces);
  return out;
}

uint32_t stream_register(emu::Tile& tile, int stream, int reg) { return tile.look(arch::stream_address(stream, reg)); }

uint8_t Scene::hardware_semaphore(size_t tile, uint32_t index) const {
  return tiles_[tile].tile->coprocessor().state.semaphores[index].value;
}

int Scene::mutex_holder(size_t tile, uint32_t index) const {
  if (!emu::tensix::Mutexes::exists(index)) return -1;
  return tiles_[tile].tile->coprocessor().state.mutexes.holder(index);
}

uint32_t Scene::stream(size_t tile, int stream, int reg) const {
  return stream_register(*tiles_[tile].tile, stream, reg);
}

uint32_t Scene::niu_word(size_t tile, int noc, int buffer, uint32_t offset) const {
  return tiles_[tile].tile->look(arch::niu_address(noc, buffer, offset));
}

// Loads that have no effect, whoever makes them.
std::optional<uint32_t> peek(emu::Tile& tile, arch::Hart hart, uint32_t address, uint32_t bytes) {
  const emu::TileView view = tile.view();
  const auto bytes_of = [&](std::span<const uint8_t> memory, uint32_t at) -> std::optional<uint32_t> {
    if (at > memory.size() || bytes > memory.size() - at) return std::nullopt;
    uint32_t value = 0;
    std::memcpy(&value, memory.data() + at, bytes);
    return value;
  };
  if (address < view.l1.size()) return bytes_of(view.l1, address);
  const auto& local = view.local_memory[static_cast<size_t>(hart)];
  if (address - arch::kLdmBase < local.size()) return bytes_of(local, address - arch::kLdmBase);
  const uint32_t aligned = address & ~3u;
  const bool is_ethernet = tile.id().y() == 1;
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    const uint32_t counter = (aligned - arch::niu_base(noc) - arch::niu::kCounterBase) / 4;
    if (aligned >= arch::niu_base(noc) + arch::niu::kCounterBase && counter < arch::niu::kSlvAtomicRespSent) {
      const uint32_t value = tile.niu(noc).counter(static_cast<int>(counter));
      return low_bytes(counter >= arch::niu::kMstReqsOutstandingId ? value & 0xFF : value, address, bytes);
    }
  }
  if (is_ethernet) return std::nullopt;
  // Behind the last register of a stream a load is a fault.
  const uint32_t in_overlay = aligned - arch::kOverlayBase;
  if (aligned >= arch::kOverlayBase && in_overlay < arch::kStreams * arch::kStreamStride &&
      in_overlay % arch::kStreamStride / 4 < uint32_t{arch::kStreamRegisters})
    return low_bytes(tile.look(aligned), address, bytes);
  const uint32_t semaphore = (aligned - arch::kSemaphoreBase) / 4;
  if (aligned >= arch::kSemaphoreBase && semaphore < arch::kSemaphores)
    return low_bytes(tile.coprocessor().state.semaphores[semaphore].value, address, bytes);
  return std::nullopt;
}

}  // namespace kerr::hang
