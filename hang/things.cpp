#include "hang/things.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/firmware_layout.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "emu/noc/niu.hpp"
#include "emu/tile/register_names.hpp"
#include "emu/wait.hpp"

namespace kerr::hang {

namespace {

using Kind = Thing::Kind;
constexpr uint32_t kFirstBufferStream = arch::kFwB.first_cb_stream;
constexpr uint32_t kPageCountMask = 0xFFFF;

const arch::note::Launched::CircularBuffer* buffer_of(const Scene& scene, const Thing& thing) {
  const arch::note::Launched* const launch = scene.tiles()[thing.tile].launch;
  if (launch == nullptr) return nullptr;
  const auto found =
      std::ranges::find(launch->circular_buffers, thing.index, &arch::note::Launched::CircularBuffer::id);
  return found == launch->circular_buffers.end() ? nullptr : &*found;
}

// How many pages a hart waits for at a circular buffer whose counter is to reach `counter`; of room, how many must be
// free.
uint32_t pages_wanted(const Scene& scene, const Want& want) {
  const auto stream = static_cast<int>(kFirstBufferStream + want.thing.index);
  const bool pushed = want.thing.kind == Kind::Pushed;
  const uint32_t other = scene.stream(want.thing.tile, stream,
                                      pushed ? arch::stream::kRemoteDestBufStart : arch::stream::kRemoteDestBufSize);
  if (pushed) return (want.wanted.value - other) & kPageCountMask;
  const auto* buffer = buffer_of(scene, want.thing);
  return buffer == nullptr ? 0 : (want.wanted.value - other + buffer->pages) & kPageCountMask;
}
uint32_t pages_there(const Scene& scene, const Thing& thing) {
  const auto stream = static_cast<int>(kFirstBufferStream + thing.index);
  return (scene.stream(thing.tile, stream, arch::stream::kRemoteDestBufSize) -
          scene.stream(thing.tile, stream, arch::stream::kRemoteDestBufStart)) &
         kPageCountMask;
}

bool only_grows(const Thing& thing) {
  return thing.kind == Kind::Pushed || thing.kind == Kind::Popped ||
         (thing.kind == Kind::NiuCounter && thing.index < arch::niu::kMstReqsOutstandingId);
}

void judge(const Scene& scene, Want& want) {
  const Thing& thing = want.thing;
  if (thing.kind == Kind::Pushed || thing.kind == Kind::Popped) {
    const auto* buffer = buffer_of(scene, thing);
    const uint32_t pages = want.wanted.kind == Wanted::Kind::AtLeast ? pages_wanted(scene, want) : 0;
    if (buffer != nullptr && pages > buffer->pages) {
      want.unreachable = true;
      want.why = fmt::format("the buffer has {} in all", check::counted(buffer->pages, "page"));
    }
  }
  // That no value ends a loop is certain of counters that are subtracted and compared only.
  if (want.wanted.kind == Wanted::Kind::Nothing) {
    want.wanted = {};
    if (thing.kind == Thing::Kind::Pushed || thing.kind == Thing::Kind::Popped) {
      want.unreachable = true;
      want.why = thing.kind == Kind::Popped ? "more pages are reserved than the buffer has"
                                            : "no number of pages would end the loop";
    }
  }
  const bool passed = want.wanted.kind == Wanted::Kind::Equal && want.has_value && want.value > want.wanted.value &&
                      want.value - want.wanted.value < 0x8000'0000;
  if (passed && (only_grows(thing) || (thing.kind == Kind::Word && thing.index != Thing::kNone))) {
    want.unreachable = true;
    want.why = only_grows(thing) ? "it has passed that value, and only grows"
                                 : "it has passed that value, and increments only take it further";
  }
}

std::vector<Want> polled(const Scene& scene, const AgentAt& agent) {
  const emu::HartState& state = scene.tile_of(agent).tile->hart(agent.hart()).state();
  const Spin* const spin = agent.state == AgentAt::State::Spins ? agent.spin : nullptr;
  const emu::TileView view = scene.tile_of(agent).tile->view();
  const size_t local = view.local_memory[static_cast<size_t>(agent.hart())].size();
  Poll poll(
      {.pc = spin == nullptr ? state.pc : spin->pc,
       .x = spin == nullptr ? state.x : spin->x,
       .code = [&](uint32_t pc) { return scene.peek(agent.tile, agent.hart(), pc, 4); },
       .load = [&](uint32_t address, uint32_t bytes) { return scene.peek(agent.tile, agent.hart(), address, bytes); },
       .is_local =
           [&](uint32_t address) {
             return address - arch::kLdmBase < local ||
                    (spin != nullptr && std::ranges::binary_search(spin->written, address & ~3u));
           }});
  std::vector<Want> out;
  for (const PolledWord& word : poll.words()) {
    out.push_back({.thing = thing_at(scene, agent.tile, word.address),
                   .pc = word.pc,
                   .wanted = word.wanted,
                   .has_value = true,
                   .value = word.value});
  }
  // What cannot end the loop is not waited for, unless nothing can.
  const auto cannot = [](const Want& want) { return want.wanted.kind == Wanted::Kind::Nothing; };
  if (!std::ranges::all_of(out, cannot)) std::erase_if(out, cannot);
  for (Want& want : out) judge(scene, want);
  if (!out.empty()) return out;
  for (const uint32_t address : scene.tile_of(agent).tile->hart(agent.hart()).polled_words())
    out.push_back({.thing = thing_at(scene, agent.tile, address)});
  return out;
}

// Things that the bits of a mask name.
std::vector<Want> by_mask(const Scene& scene, const AgentAt& agent) {
  namespace wait = emu::wait;
  std::vector<Want> out;
  const emu::WaitMask mask = agent.waits_for;
  const auto add = [&](Kind kind, uint32_t index) { out.push_back({.thing = {kind, agent.tile, index, 0, 0}}); };
  for (uint32_t i = 0; i < arch::kSemaphores; ++i) {
    if ((mask & wait::semaphore(i)) == 0) continue;
    add(Kind::HardwareSemaphore, i);
    out.back().has_value = true;
    out.back().value = scene.hardware_semaphore(agent.tile, i);
    out.back().post = out.back().value == 0;
  }
  for (uint32_t i = 0; i < 8; ++i)
    if ((mask & wait::mutex(i)) != 0) add(Kind::Mutex, i);
  if ((mask & wait::kSrcA) != 0) add(Kind::Source, 0);
  if ((mask & wait::kSrcB) != 0) add(Kind::Source, 1);
  for (int thread = 0; thread < emu::kThreads; ++thread) {
    if ((mask & wait::fifo(thread)) != 0) add(Kind::FifoRoom, static_cast<uint32_t>(thread));
    if ((mask & (wait::thread_idle(thread) | wait::mop_idle(thread) | wait::in_flight(thread))) != 0)
      add(Kind::ThreadIdle, static_cast<uint32_t>(thread));
  }
  if ((mask & wait::kPcBuf) != 0 && out.empty()) add(Kind::PcBuffer, 0);
  if ((mask & wait::kMailbox) != 0) {
    for (const emu::AgentWait& at : scene.tile_of(agent).tile->describe_waits())
      if (at.agent == agent.agent) out.push_back({.thing = thing_at(scene, agent.tile, at.address)});
  }
  if (out.empty() && (mask & wait::kTime) != 0) add(Kind::Time, 0);
  if (out.empty()) add(Kind::Unknown, 0);
  return out;
}

std::string hart_name(uint32_t mailbox) {
  constexpr const char* kNames[] = {"BRISC", "TRISC0", "TRISC1", "TRISC2"};
  return mailbox < 4 ? kNames[mailbox] : "?";
}

}  // namespace

Thing thing_at(const Scene& scene, size_t tile, uint32_t address) {
  Thing thing{.tile = tile, .address = address};
  if (address < arch::kL1Bytes) {
    thing.kind = Kind::Word;
    const arch::note::Launched* const launch = scene.tiles()[tile].launch;
    for (size_t i = 0; launch != nullptr && i < launch->semaphores.size(); ++i)
      if (launch->semaphores[i].address == (address & ~3u)) thing.index = static_cast<uint32_t>(i);
    return thing;
  }
  if (address >= arch::kOverlayBase && address - arch::kOverlayBase < arch::kStreams * arch::kStreamStride) {
    const uint32_t stream = (address - arch::kOverlayBase) / arch::kStreamStride;
    const uint32_t reg = (address - arch::kOverlayBase) % arch::kStreamStride / 4;
    const uint32_t buffer = stream - kFirstBufferStream;
    if (buffer < arch::kFwB.circular_buffers &&
        (reg == arch::stream::kRemoteDestBufSize || reg == arch::stream::kRemoteDestBufStart)) {
      thing.kind = reg == arch::stream::kRemoteDestBufSize ? Kind::Pushed : Kind::Popped;
      thing.index = buffer;
      return thing;
    }
  }
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    const uint32_t offset = address - arch::niu_base(noc) - arch::niu::kCounterBase;
    if (address >= arch::niu_base(noc) && offset < 4 * arch::niu::kCounters)
      return {.kind = Kind::NiuCounter, .tile = tile, .index = offset / 4, .address = address, .noc = noc};
  }
  const uint32_t semaphore = (address - arch::kSemaphoreBase) / 4;
  if (address >= arch::kSemaphoreBase && semaphore < arch::kSemaphores)
    return {.kind = Kind::HardwareSemaphore, .tile = tile, .index = semaphore, .address = address};
  if (address - arch::kMailboxBase < 4 * arch::kMailboxPageBytes)
    return {.kind = Kind::Mailbox,
            .tile = tile,
            .index = (address - arch::kMailboxBase) / arch::kMailboxPageBytes,
            .address = address};
  thing.kind = Kind::Register;
  return thing;
}

std::vector<Want> wants_of(const Scene& scene, size_t index) {
  const AgentAt& agent = scene.agents()[index];
  if (agent.state == AgentAt::State::Spins) return polled(scene, agent);
  if (agent.state != AgentAt::State::Blocked) return {};
  if (agent.is_hart() && scene.tile_of(agent).tile->hart(agent.hart()).state().parked()) {
    std::vector<Want> out = polled(scene, agent);
    if (!out.empty()) return out;
    if (scene.tile_of(agent).tile->hart(agent.hart()).alarm() == emu::kNever && agent.waits_for == emu::wait::kTime)
      return {{.thing = {Kind::Endless, agent.tile, 0, 0, 0}, .unreachable = true, .why = "nothing can end it"}};
  }
  return by_mask(scene, agent);
}

std::string name(const Scene&, const Thing& thing) {
  switch (thing.kind) {
    case Kind::Pushed:
    case Kind::Popped: return fmt::format("circular buffer {}", thing.index);
    case Kind::Word:
      return thing.index == Thing::kNone ? fmt::format("L1 {:#x}", thing.address)
                                         : fmt::format("semaphore {} (L1 {:#x})", thing.index, thing.address);
    case Kind::NiuCounter:
      return fmt::format("{} of NoC {}",
                         emu::niu_register_name(arch::niu::counter_offset(static_cast<int>(thing.index))), thing.noc);
    case Kind::HardwareSemaphore: return fmt::format("hardware semaphore {}", thing.index);
    case Kind::Mutex: return fmt::format("mutex {}", thing.index);
    case Kind::Source: return thing.index == 0 ? "SrcA" : "SrcB";
    case Kind::FifoRoom: return fmt::format("the instruction FIFO of T{}", thing.index);
    case Kind::ThreadIdle: return fmt::format("T{}", thing.index);
    case Kind::PcBuffer: return "PCBuf";
    case Kind::Mailbox: return "the mailbox from " + hart_name(thing.index);
    case Kind::Register: return emu::register_name(thing.address);
    case Kind::Time: return "the time";
    case Kind::Endless: return "nothing";
    case Kind::Unknown: return "something";
  }
  return "";
}

std::string sentence(const Scene& scene, const Want& want) {
  const Thing& thing = want.thing;
  const std::string what = name(scene, thing);
  switch (thing.kind) {
    case Kind::Pushed:
      if (want.wanted.kind != Wanted::Kind::AtLeast) break;
      return fmt::format("waits for {} of {}, which has {}", check::counted(pages_wanted(scene, want), "page"), what,
                         pages_there(scene, thing));
    case Kind::Popped: {
      const auto* buffer = buffer_of(scene, thing);
      if (buffer == nullptr) break;
      const uint32_t free = buffer->pages - std::min(buffer->pages, pages_there(scene, thing));
      if (want.wanted.kind != Wanted::Kind::AtLeast)
        return fmt::format("waits for room in {}, which has {} of {} pages free", what, free, buffer->pages);
      return fmt::format("waits for {} free of {}, which has {} free of {}",
                         check::counted(pages_wanted(scene, want), "page"), what, free, buffer->pages);
    }
    case Kind::HardwareSemaphore:
      if (want.wanted.kind != Wanted::Kind::Unknown) break;
      return fmt::format("waits until somebody {} {}, which is {}", want.post ? "posts" : "gets", what, want.value);
    case Kind::Mutex: return fmt::format("waits for {}", what);
    case Kind::Source: return fmt::format("waits for a bank of {}", what);
    case Kind::FifoRoom: return fmt::format("waits for room in {}", what);
    case Kind::ThreadIdle: return fmt::format("waits until {} has done what it was given", what);
    case Kind::PcBuffer: return "waits for a word of PCBuf";
    case Kind::Endless: return "turns in a loop that reads nothing";
    case Kind::Mailbox: return fmt::format("waits at {}", what);
    default: break;
  }
  if (!want.has_value) return "waits for " + what;
  const std::string is = want.value < 0x10000 ? fmt::format("{}", want.value) : fmt::format("{:#x}", want.value);
  return fmt::format("waits until {} {}; it is {}", what, text(want.wanted), is);
}

}  // namespace kerr::hang
