#include "emu/tile/tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "arch/memory_map.hpp"
#include "emu/memory/l1_size.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/register_names.hpp"

namespace kerr::emu {

namespace {

// Relaxed timing: NIU to router and back, without a hop between them. docs/hardware/timing.md 7
constexpr Cycle kOwnTileCycles = 10;

std::array<Hart, kHarts> make_harts(TileId id, L1& l1, CodeCache& code, HartBus& bus, FaultLog& faults,
                                    const Options& options, Interrupts& interrupts) {
  const auto hart = [&](arch::Hart index) { return Hart(id, index, l1, code, bus, faults, options, &interrupts); };
  return {hart(arch::Hart::Brisc), hart(arch::Hart::Ncrisc), hart(arch::Hart::Trisc0), hart(arch::Hart::Trisc1),
          hart(arch::Hart::Trisc2)};
}

}  // namespace

// The map and the Pic are handed out before they exist: nobody uses them while the parts are put together.
Tile::Tile(TileId id, const NocGeometry& geometry, const Options& options, std::shared_ptr<DecodedLines> lines)
    : id_(id),
      code_(l1_, lines ? std::move(lines) : std::make_shared<DecodedLines>(options)),
      costs_(options.costs()),
      reorder_(options.noc_reorder),
      agents_(id, l1_, code_, inbox_, *this, options),
      harts_(make_harts(id, l1_, code_, map_, faults_, options, pic_)),
      coprocessor_(std::make_unique<Coprocessor>(id, l1_, map_, agents_, faults_, options)),
      nius_{Niu(id, 0, geometry, l1_, *this, agents_, options), Niu(id, 1, geometry, l1_, *this, agents_, options)},
      streams_(agents_, *this),
      mailboxes_(agents_),
      sync_(*coprocessor_, agents_, *this),
      tdma_(*coprocessor_, l1_, agents_, *this),
      pic_(agents_, agents_, *this),
      reset_(harts_, *coprocessor_, mailboxes_, sync_, tdma_, agents_),
      windows_(*coprocessor_, *this),
      debug_interface_(id, harts_, l1_, map_, agents_),
      debug_(reset_, sync_, *coprocessor_, windows_, debug_interface_, agents_, *this),
      ethernet_(geometry.class_of(id.node) == arch::TileClass::Ethernet
                    ? std::make_unique<EthernetRegisters>(harts_, l1_, debug_interface_, agents_,
                                                          static_cast<Reporter&>(*this))
                    : nullptr),
      map_({harts_, *coprocessor_, windows_, nius_, streams_, mailboxes_, sync_, debug_, pic_, tdma_, agents_,
            ethernet_.get()},
           *this, options) {
  std::array<Hart*, kHarts> harts;
  for (size_t i = 0; i < harts.size(); ++i) harts[i] = &harts_[i];
  agents_.attach(harts, coprocessor_.get(), &pic_);
  if (options.observer) l1_.check();  // ObservedTile tells of messages, the parts tell of the rest
  if (options.prints && !ethernet_) watch_for(*options.prints);
}

Tile::~Tile() = default;

void Tile::watch_for(const PrintListener& listener) {
  for (const PrintListener::Range& range : listener.watched()) {
    if (range.bytes == 0 || !L1::contains(range.address, range.bytes)) continue;
    const uint32_t last = (range.address + range.bytes - 1) / L1::kLineBytes;
    for (uint32_t line = range.address / L1::kLineBytes; line <= last; ++line) l1_.attributes()[line] |= kPrinting;
  }
}

RemarkLog& Tile::remarks() { return coprocessor_->remarks; }

void Tile::unpark() {
  agents_.catch_up();
  for (Hart& hart : harts_) {
    if (hart.state().parked()) hart.wake(time());
  }
}

// --- messages --------------------------------------------------------------------------------------------------------

void Tile::apply(const Message& message, Cycle now) { nius_[message.noc].apply(message, now); }

uint64_t Tile::send(Message&& message) {
  number(message);
  const uint64_t packet = message.packet;
  put(std::move(message));
  return packet;
}

void Tile::put(Message&& message) {
  if (message.destination != id_) return outbox_.push(std::move(message));
  const Cycle way = costs_ ? timing::own_tile_cycles(*costs_) : kOwnTileCycles;
  message.arrival = message.sent + way + reorder_.extra(message);
  agents_.sent_to_self(message.arrival);
  inbox_.push(std::move(message));
}

// --- faults ----------------------------------------------------------------------------------------------------------

void Tile::report(FaultCategory category, uint64_t address, std::string what, std::string advice) {
  Fault fault{.category = category,
              .cycle = agents_.now(),
              .tile = id_,
              .agent = agents_.current(),
              .address = address,
              .what = std::move(what),
              .advice = std::move(advice)};
  if (fault.agent >= Agent::Brisc && fault.agent <= Agent::Trisc2) {
    const Hart& hart = harts_[static_cast<size_t>(fault.agent) - static_cast<size_t>(Agent::Brisc)];
    fault.pc = hart.state().pc;
    if (fault.pc % 4 == 0 && in_l1(id_, fault.pc, 4)) fault.instruction = l1_.load<uint32_t>(fault.pc);
  }
  faults_.report(std::move(fault));
}

// --- the host --------------------------------------------------------------------------------------------------------

bool Tile::are_registers(const char* action, uint64_t address, size_t bytes) {
  if (address >= arch::kNocMmioBase && address + bytes <= 1ull << 32 && address % 4 == 0 && bytes % 4 == 0) return true;
  report(FaultCategory::HostError, address,
         fmt::format(
             "host {} of {} bytes at {:#x}: L1 ends at {:#x}, and registers from 0xff000000 take aligned 32-bit words",
             action, bytes, address, l1_bytes(id_)),
         "");
  return false;
}

bool Tile::host_read(uint64_t address, std::span<uint8_t> out, HostWay way) {
  if (in_l1(id_, address, out.size())) {
    l1_.read(static_cast<uint32_t>(address), out);
    if (ethernet_) ethernet_->host_has_read(address, out.size());
    nius_[static_cast<size_t>(way.noc)].count_host_read(out.size());
    return true;
  }
  if (!are_registers("read", address, out.size())) return false;
  for (size_t at = 0; at < out.size(); at += 4) {
    uint32_t value = 0;
    if (load_register(static_cast<uint32_t>(address + at), value) != Access::Done) return false;
    std::memcpy(out.data() + at, &value, 4);
    nius_[static_cast<size_t>(way.noc)].count_host_read(4);
  }
  return true;
}

bool Tile::host_write(uint64_t address, std::span<const uint8_t> bytes, HostWay way) {
  const bool done = write_for_host(address, bytes, way);
  if (stops_) stops_->tell();
  return done;
}

bool Tile::write_for_host(uint64_t address, std::span<const uint8_t> bytes, HostWay way) {
  if (in_l1(id_, address, bytes.size())) {
    l1_.write(static_cast<uint32_t>(address), bytes);
    nius_[static_cast<size_t>(way.noc)].count_host_write(way.posted, bytes.size());
    return true;
  }
  if (!are_registers("write", address, bytes.size())) return false;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t value;
    std::memcpy(&value, bytes.data() + at, 4);
    if (store_register(static_cast<uint32_t>(address + at), value) != Access::Done) return false;
    nius_[static_cast<size_t>(way.noc)].count_host_write(way.posted, 4);
  }
  return true;
}

// --- inspection ------------------------------------------------------------------------------------------------------

std::string Tile::last_access(arch::Hart hart) const {
  const uint32_t address = map_.last_access(hart);
  if (ethernet_ && EthernetRegisters::holds(address)) return EthernetRegisters::name(address);
  return register_name(address, thread_of(hart) >= 0 ? arch::kByTrisc : arch::kByBrisc);
}

void Tile::tell_made(Observer& observer) {
  observer.tile_made(view());
  const bool& wants_all = observer.wants_all_retired(id_);
  for (Hart& hart : harts_) hart.tell_retired_if(wants_all);
}

TileView Tile::view() {
  const auto registers = [this](size_t hart) { return std::span<const uint32_t, 32>(harts_[hart].state().x); };
  const auto local = [this](unsigned hart) {
    return std::span<const uint8_t>(l1_.local_memory(hart), arch::kLdmBytes[hart]);
  };
  return {.tile = id_,
          .l1 = {l1_.data(), l1_bytes(id_)},
          .registers = {registers(0), registers(1), registers(2), registers(3), registers(4)},
          .local_memory = {local(0), local(1), local(2), local(3), local(4)}};
}

TileStops& Tile::stops(Debugger& debugger) {
  if (!stops_) {
    stops_ = std::make_unique<TileStops>(id_, agents_, harts_, code_, l1_, map_, debugger);
    agents_.stop_at(*stops_);
  }
  return *stops_;
}

std::vector<AgentWait> Tile::describe_waits() {
  agents_.catch_up();
  std::vector<AgentWait> waits;
  const auto in_reset = [](const Hart& hart) { return hart.state().status == HartStatus::InReset; };
  if (std::all_of(harts_.begin(), harts_.end(), in_reset)) {
    waits.push_back({.agent = Agent::Units, .text = "all harts are held in reset"});
  }
  for (const Hart& hart : harts_) {
    if (hart.state().status == HartStatus::InReset) continue;
    AgentWait wait{.agent = agent_of(hart.index()),
                   .pc = hart.state().pc,
                   .words = hart.polled_words(),
                   .waits_for = hart.state().waits_for,
                   .text = hart.describe()};
    if (hart.state().running()) {  // it may never come to an end: a time-out wants to know where it is
      waits.push_back(std::move(wait));
      continue;
    }
    const uint32_t address = map_.last_access(hart.index());
    const bool blocked = hart.state().status == HartStatus::Blocked;
    if (blocked || (map_.watch_of(hart.index(), address) & hart.state().waits_for)) {
      wait.address = address;
      wait.text += fmt::format(", {} {}", blocked ? "access to" : "last", last_access(hart.index()));
    }
    waits.push_back(std::move(wait));
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    if (!coprocessor_->stuck(thread)) continue;
    waits.push_back({.agent = agent_of_thread(thread),
                     .waits_for = coprocessor_->threads[thread].waits_for,
                     .text = coprocessor_->describe(thread)});
  }
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    const std::string outstanding = niu(noc).describe();
    if (!outstanding.empty())
      waits.push_back({.agent = Agent::Units, .text = fmt::format("NoC {}: {}", noc, outstanding)});
  }
  return waits;
}

TileCounters Tile::counters() {
  agents_.catch_up();
  TileCounters counters;
  for (size_t i = 0; i < harts_.size(); ++i) counters.hart_instructions[i] = harts_[i].state().instructions;
  for (int thread = 0; thread < kThreads; ++thread)
    counters.thread_instructions[thread] = coprocessor_->threads[thread].instructions;
  counters.mvmuls = coprocessor_->fpu.mvmuls();
  for (size_t noc = 0; noc < nius_.size(); ++noc) {
    counters.packets_sent[noc] = nius_[noc].packets_sent();
    counters.bytes_sent[noc] = nius_[noc].bytes_sent();
  }
  return counters;
}

// Parked harts first go to where spinning would have left them, so that neither file nor hash tells how they were run.
void Tile::serialize(Archive& a) {
  if (!a.loading()) agents_.catch_up();
  a(l1_, sequence_);
  a.machinery(inbox_, outbox_, faults_);
  a(agents_, harts_, *coprocessor_, nius_, streams_, mailboxes_, sync_, tdma_, pic_, reset_, debug_, map_);
  if (ethernet_) a(*ethernet_);
}

}  // namespace kerr::emu
