// An observer that writes down everything, and a machine for it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include "emu/observe/observer.hpp"
#include "tests/emu/machine/host.hpp"

namespace kerr::emu {

/// Everything that is told, by the tile it is told of.
class Record final : public Observer {
 public:
  struct Event {
    enum class What { Retired, Pushed, Issued, Accessed, Left, Arrived, Served, ByHost };
    What what = What::Retired;
    Actor who{};
    AccessKind kind = AccessKind::Load;
    uint64_t address = 0;  // of a pushed or issued word: the word
    uint64_t bytes = 0;
    uint32_t value = 0;  // of a push: its number
    int buffer = 0;      // of a push: the thread
    MessageKind message = MessageKind::Write;
    PacketName packet{}, request{};
    friend bool operator==(const Event&, const Event&) = default;
  };
  using What = Event::What;

  void chip_made(int, Cycle now) override {
    made_at.push_back(now);
    views.clear();
  }
  void tile_made(const TileView& view) override { views.emplace(view.tile, view); }
  void retired(const Actor& who, uint32_t pc, uint32_t word) override {
    EXPECT_EQ(who.pc, pc);
    EXPECT_EQ(who.word, word);
    add({.what = What::Retired, .who = who, .address = pc});
  }
  void pushed(const Actor& who, int thread, uint32_t word, uint32_t number) override {
    add({.what = What::Pushed, .who = who, .address = word, .value = number, .buffer = thread});
  }
  void issued(const Actor& who, uint32_t word) override {
    EXPECT_EQ(who.word, word);
    add({.what = What::Issued, .who = who, .address = word});
  }
  void accessed(const Actor& who, AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override {
    add({.what = What::Accessed, .who = who, .kind = kind, .address = address, .bytes = bytes, .value = value});
  }
  void packet_left(const Actor& who, const Message& m, int buffer) override {
    add({.what = What::Left,
         .who = who,
         .buffer = buffer,
         .message = m.kind,
         .packet = m.name(),
         .request = m.request()});
  }
  void packet_arrived(const Message& m) override { add(m.destination, What::Arrived, m); }
  void served(const Message& m, Cycle) override { add(m.destination, What::Served, m); }
  void host_accessed(const Actor& who, AccessKind kind, uint64_t address, uint64_t bytes) override {
    add({.what = What::ByHost, .who = who, .kind = kind, .address = address, .bytes = bytes});
  }

  std::vector<Event>& of(arch::NocCoord raw) { return events[NocGeometry::node_of(raw)]; }
  std::vector<Event> of(arch::NocCoord raw, What what) {
    std::vector<Event> some;
    std::ranges::copy_if(of(raw), std::back_inserter(some), [&](const Event& e) { return e.what == what; });
    return some;
  }

  std::array<std::vector<Event>, arch::kGridTiles> events;
  std::map<TileId, TileView> views;
  std::vector<Cycle> made_at;

 private:
  void add(Event event) { events[event.who.tile.node].push_back(event); }
  void add(TileId where, What what, const Message& m) {
    events[where.node].push_back(
        {.what = what, .address = m.address, .message = m.kind, .packet = m.name(), .request = m.request()});
  }
};

/// A machine whose observer records, and programs of BRISC and TRISC0 on one of its tiles.
class Recorded : public ::testing::TestWithParam<Timing> {
 protected:
  using Event = Record::Event;
  using What = Record::What;
  static constexpr uint32_t kTrisc0 = arch::kDefaultResetPc[2];

  const arch::NocCoord here_ = arch::tensix_tiles(arch::kP100a.harvesting)[0];
  const arch::NocCoord there_ = arch::tensix_tiles(arch::kP100a.harvesting)[1];
  const arch::NocCoord bank_ = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 0, 0);
  TestMemory memory_;
  Record record_;
  Machine machine_{{.host_memory = &memory_, .timing = GetParam(), .observer = &record_}};
  TestHost host_{machine_};

  arch::NocCoord raw(arch::NocCoord tile) {
    return arch::raw_of(NocGeometry(arch::kP100a.harvesting).translation(0), 0, tile);
  }
  void write(uint32_t address, const Kernel& kernel) { host_.write(here_, address, kernel.finish(address).bytes); }
  void start(uint32_t harts) {  // a bit each
    uint32_t held = arch::kSoftResetAllHarts;
    for (unsigned hart = 0; hart < arch::kHarts; ++hart)
      if (harts >> hart & 1) held &= ~(1u << arch::kSoftResetBit[hart]);
    for (auto& events : record_.events) events.clear();
    host_.write32(here_, TestHost::kSoftReset, held);
  }
  void run(Cycle cycles = 6000) {
    machine_.advance(cycles);
    EXPECT_FALSE(machine_.faulted()) << machine_.faults().front().text();
  }
  void run(const Kernel& kernel) {
    write(0, kernel);
    start(1);
    run();
  }
  std::vector<Event> seen(arch::NocCoord tile, What what) { return record_.of(raw(tile), what); }
  /// The first access of `agent` of here_ at `address`.
  Event access(Agent agent, uint32_t address) {
    for (const Event& e : seen(here_, What::Accessed))
      if (e.who.agent == agent && e.address == address) return e;
    ADD_FAILURE() << fmt::format("{} has not accessed {:#x}", name(agent), address);
    return {};
  }
};

}  // namespace kerr::emu
