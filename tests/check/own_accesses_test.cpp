// The short way of a hart's accesses, TileChecker::own_access(), against the long one: with and without it everybody
// finds the same.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "check/tile_checker.hpp"
#include "isa/assembler.hpp"

namespace kerr::check {
namespace {

using namespace isa::reg;
using emu::AccessKind;
using emu::Actor;

constexpr uint32_t kCode = 0x9000, kData = 0x2'0000;
constexpr uint32_t kDataBytes = 0x200;

class NoDirectory final : public Directory {
 public:
  const Names& names() const override { return names_; }
  std::shared_ptr<const CodeLibrary> code() const override { return nullptr; }
  const DeviceMemory& memory(int) const override { return memory_; }
  bool saw_all(int) const override { return true; }
  const KnownLaunch* launch_of(Place, emu::Agent) const override { return nullptr; }
  const Transfers* transfers_of(Place) const override { return nullptr; }

 private:
  Names names_{{arch::kP100a}};
  DeviceMemory memory_;
};

// A tile's L1, registers and code, of which two checkers are told.
struct World {
  std::vector<uint8_t> l1 = std::vector<uint8_t>(arch::kL1Bytes);
  std::array<std::array<uint32_t, 32>, arch::kHarts> registers{};
  NoDirectory directory;
  std::vector<uint32_t> loads, waits, stores, others;  // pcs

  World() {
    isa::Assembler a;
    const auto note = [&](std::vector<uint32_t>& to) { to.push_back(kCode + static_cast<uint32_t>(a.size_bytes())); };
    for (int i = 0; i < 24; ++i) {
      note(loads);
      a.lw(t0, a0, 0);
      a.add(t1, t1, t0);
      note(stores);
      a.sw(t1, a0, 0);
      if (i % 6 == 5) {  // one that waits
        const isa::Label top = a.here();
        note(waits);
        a.lw(t0, a1, 0);
        a.beqz(t0, top);
      }
    }
    for (int i = 0; i < 4; ++i) {
      note(others);
      a.addi(t2, t2, 1);
      note(others);
      a.fence();
      note(others);
      a.csrrsi(zero, isa::csr::kCfg0, 8);
      note(others);
      a.csrrci(zero, isa::csr::kCfg0, 8);
    }
    const isa::Code code = a.finish(kCode);
    std::memcpy(l1.data() + kCode, code.bytes.data(), code.bytes.size());
  }

  emu::TileView view() {
    return {
        .tile = {0, 7}, .l1 = l1, .registers = {registers[0], registers[1], registers[2], registers[3], registers[4]}};
  }
  uint32_t word(uint32_t pc) const {
    uint32_t out;
    std::memcpy(&out, l1.data() + pc, 4);
    return out;
  }
};

std::vector<std::string> lines(const TileChecker& tile) {
  std::vector<std::string> out;
  for (const Finding& f : tile.log().all()) {
    const auto site = [](const Site& s) {
      return std::string(s.op) + " " + std::to_string(static_cast<int>(s.agent)) + " " +
             std::to_string(s.pc.value_or(0)) + " " + std::to_string(s.cycle) + " " + std::to_string(s.word);
    };
    out.push_back(std::string(name(f.rule)) + " " + f.what + ": " + (f.first ? site(*f.first) : "-") + " -> " +
                  site(f.then) + " x" + std::to_string(f.count) + " " + std::to_string(f.sequence));
  }
  return out;
}

// What a step tells; harts that have much to themselves, and seldom another one there.
class Steps {
 public:
  Steps(World& world, uint32_t seed)
      : world_(world), random_(seed), harts_(1 + static_cast<int>(seed % 4)), caches_(seed % 3 == 0) {}

  /// All harts leave their firmware for a kernel.
  template <class Tell>
  void begin(Tell tell) {
    for (size_t h = 0; h < arch::kHarts; ++h) {
      const auto hart = static_cast<emu::Agent>(static_cast<size_t>(emu::Agent::Brisc) + h);
      for (const uint32_t pc : {arch::kFwB.firmware_base[h], kCode}) {
        const Actor a{.tile = {0, 7}, .agent = hart, .pc = pc, .word = world_.word(kCode)};
        tell([&](TileChecker& t) { t.retired(a, a.pc, a.word); });
      }
    }
  }
  /// tell(what) for each of the two checkers, then the bytes change.
  template <class Tell>
  void step(Tell tell) {
    ++cycle_;
    const int h = pick(harts_);
    const auto hart = static_cast<emu::Agent>(static_cast<int>(emu::Agent::Brisc) + h);
    Actor a{.tile = {0, 7}, .agent = hart, .cycle = cycle_};
    const uint32_t bytes = 1u << pick(3);
    // Mostly in a part of its own.
    const uint32_t own = kDataBytes / 4 * static_cast<uint32_t>(h);
    const uint32_t address = kData + (pick(12) != 0 ? own + static_cast<uint32_t>(pick(64)) / bytes * bytes
                                                    : static_cast<uint32_t>(pick(kDataBytes)) / bytes * bytes);
    const auto at = [&](const std::vector<uint32_t>& pcs) {
      a.pc = pcs[static_cast<size_t>(pick(static_cast<int>(pcs.size())))];
      a.word = world_.word(a.pc);
    };
    // Words of a few lines become flags.
    const uint32_t flag = kData + kDataBytes - (pick(8) != 0 ? 0 : 64) + static_cast<uint32_t>(pick(16)) * 4;
    uint32_t value = static_cast<uint32_t>(pick(4));
    switch (pick(40)) {
      case 0:  // an atomic, which makes a flag
        at(world_.stores);
        tell([&](TileChecker& t) { t.accessed(a, AccessKind::Atomic, flag, 4, value); });
        return put(flag, 4, value);
      case 1: {  // the host, and much at once
        const Actor host{.tile = {0, 7}, .agent = emu::Agent::Host, .cycle = cycle_};
        const uint32_t many = pick(4) == 0 ? 1024 : 64;
        const bool writes = pick(2) == 0;
        if (pick(4) != 0) return;
        tell([&](TileChecker& t) {
          t.accessed(host, writes ? AccessKind::Store : AccessKind::Load, kData / many * many, many, 0);
        });
        return;
      }
      case 2:  // code is fetched
      case 3:
        at(world_.others);
        if ((a.word & 0x7F) == 0x73 && !caches_) return;
        return tell([&](TileChecker& t) { t.retired(a, a.pc, a.word); });
      case 4:  // and overwritten, with what is there
        at(world_.stores);
        if (pick(8) != 0) return;
        value = world_.word(world_.others.front());
        return tell([&](TileChecker& t) { store(t, a, world_.others.front(), 4, value); });
      case 5: at(world_.waits); return load(tell, a, flag, 4);
      case 6:
        at(world_.stores);
        tell([&](TileChecker& t) { store(t, a, flag, 4, value); });
        return put(flag, 4, value);
      default: break;
    }
    if (pick(3) == 0) {
      at(world_.stores);
      tell([&](TileChecker& t) { store(t, a, address, bytes, value); });
      return put(address, bytes, value);
    }
    at(world_.loads);
    load(tell, a, address, bytes);
  }

  const TileChecker* takes_short_ways = nullptr;
  uint64_t short_ways = 0;

 private:
  int pick(uint32_t n) { return static_cast<int>(random_() % n); }
  int pick(int n) { return pick(static_cast<uint32_t>(n)); }
  bool short_way(TileChecker& t, const Actor& a, AccessKind kind, uint32_t address, uint32_t bytes) {
    if (&t != takes_short_ways || !t.own_access(a, kind, address, bytes)) return false;
    ++short_ways;
    return true;
  }
  template <class Tell>
  void load(Tell tell, const Actor& a, uint32_t address, uint32_t bytes) {
    uint32_t loaded = 0;
    std::memcpy(&loaded, world_.l1.data() + address, bytes);
    tell([&](TileChecker& t) {
      if (!short_way(t, a, AccessKind::Load, address, bytes)) t.accessed(a, AccessKind::Load, address, bytes, loaded);
    });
  }
  void store(TileChecker& t, const Actor& a, uint32_t address, uint32_t bytes, uint32_t value) {
    if (!short_way(t, a, AccessKind::Store, address, bytes)) t.accessed(a, AccessKind::Store, address, bytes, value);
  }
  void put(uint32_t address, uint32_t bytes, uint32_t value) { std::memcpy(world_.l1.data() + address, &value, bytes); }

  World& world_;
  std::minstd_rand random_;
  const int harts_;
  const bool caches_;  // harts switch their data caches on and off
  emu::Cycle cycle_ = 0;
};

TEST(OwnAccesses, FindTheSameAsTheLongWay) {
  size_t findings = 0;
  uint64_t short_ways = 0, all = 0;
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    World world;
    Host hosts[2];
    TileChecker with(world.view(), world.directory, hosts[0]), without(world.view(), world.directory, hosts[1]);
    Steps steps(world, seed);
    steps.takes_short_ways = &with;
    const auto both = [&](auto&& tell) {
      tell(with);
      tell(without);
    };
    steps.begin(both);
    for (int i = 0; i < 1500; ++i) {
      steps.step(both);
      ASSERT_EQ(with.wants_all_retired(), without.wants_all_retired());
    }
    ASSERT_EQ(lines(with), lines(without)) << seed;
    ASSERT_EQ(with.accesses(), without.accesses());
    ASSERT_EQ(with.lost().total(), without.lost().total());
    findings += with.log().all().size();
    short_ways += steps.short_ways;
    all += with.accesses();
  }
  // It is the usual one, and there was something to find.
  EXPECT_GT(short_ways * 3, all);
  EXPECT_GT(findings, 1000u);
}

}  // namespace
}  // namespace kerr::check
