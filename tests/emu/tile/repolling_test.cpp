// A coprocessor thread that waits is looked at once, and again only when what it waits for has changed: everything else
// in the tile may change as often as it likes.   docs/architecture.md "Nothing spins"
#include <gtest/gtest.h>

#include <ostream>

#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

namespace tx = isa::tensix;
using namespace isa::reg;

constexpr int kOther = 0, kRestless = 1, kWaiting = 2;  // threads
constexpr uint32_t kAwaitedWord = 0x3000;               // what ATCAS compares
constexpr uint32_t kPolledWord = 0x2000;                // of a parked hart
constexpr unsigned kGpr = 5;

constexpr uint32_t kEverything = 0x1FF;  // block mask
const uint32_t kMark = tx::SETDMAREG{.reg_index_16b = 2 * kGpr, .payload_sig_sel = 77}.encode();

uint32_t phase_of(int stream) { return arch::stream_address(stream, 29); }

class Threads {
 public:
  explicit Threads(Timing timing) : options_{.timing = timing} {
    // BRISC polls a word of L1, so that writes to watched lines happen too.
    start(tile_, arch::Hart::Brisc, [](isa::Assembler& a) {
      a.li(t0, kPolledWord);
      const isa::Label loop = a.here();
      a.lw(t1, t0);
      a.beqz(t1, loop);
    });
    run();
  }

  void push(int thread, std::initializer_list<uint32_t> words) {
    for (const uint32_t w : words) {
      ASSERT_TRUE(cop().threads[thread].front.push_before_mop(w)) << "the FIFO is full";
    }
    run();
  }
  void run() { tile_.run(tile_.time() + 1024); }

  Tile& tile() { return tile_; }
  Coprocessor& cop() { return tile_.coprocessor(); }
  uint64_t looks() { return cop().threads[kWaiting].fruitless_looks; }
  bool marked() { return cop().state.gpr.read(kWaiting, kGpr) == 77; }

 private:
  const NocGeometry geometry_{arch::kP100a.harvesting};
  const Options options_;
  Tile tile_{TileId::at(0, 1, 2), geometry_, options_};
};

/// Something in the tile that changes, and by what name others can wait for it.
struct Change {
  std::string name;
  WaitMask announced;
  std::function<void(Threads&)> make;
};

std::vector<Change> all_changes() {
  std::vector<Change> all;
  const auto by_thread = [&](std::string name, WaitMask what, std::initializer_list<uint32_t> words) {
    const std::vector<uint32_t> kept(words);
    all.push_back({std::move(name), what, [kept](Threads& t) {
                     const uint64_t done = t.cop().threads[kRestless].instructions;
                     for (const uint32_t w : kept) t.push(kRestless, {w});
                     EXPECT_EQ(t.cop().threads[kRestless].instructions, done + kept.size())
                         << t.cop().describe(kRestless);
                   }});
  };
  for (unsigned s = 0; s < 8; ++s) {
    by_thread("semaphore " + std::to_string(s), wait::semaphore(s),
              {tx::SEMPOST{.sem_sel = 1u << s}.encode(), tx::SEMGET{.sem_sel = 1u << s}.encode()});
  }
  for (const unsigned m : {0u, 2u, 3u, 4u}) {
    by_thread("mutex " + std::to_string(m), wait::mutex(m),
              {tx::ATGETM{.mutex_index = m}.encode(), tx::ATRELM{.mutex_index = m}.encode()});
  }
  by_thread("SrcA", wait::kSrcA, {tx::SETDVALID{.setvalid = 1}.encode(), tx::SETRWC{.clear_ab_vld = 1}.encode()});
  by_thread("SrcB", wait::kSrcB, {tx::SETDVALID{.setvalid = 2}.encode(), tx::SETRWC{.clear_ab_vld = 2}.encode()});
  by_thread("configuration", wait::kConfig,
            {tx::RMWCIB0{.cfg_reg_addr = 20, .data = 1, .mask = 255}.encode(),
             tx::SETC16{.setc16_value = 1, .setc16_reg = 40}.encode()});
  by_thread("another thread's words", wait::fifo(kRestless), {tx::NOP{}.encode(), tx::NOP{}.encode()});
  all.push_back({"GPRs", wait::kGpr, [](Threads& t) { t.cop().state.gpr.write(kWaiting, 9, 1); }});
  for (unsigned s = 8; s < 16; ++s) {
    all.push_back({"stream " + std::to_string(s), wait::stream(s),
                   [s](Threads& t) { set(t.tile(), arch::stream_address(static_cast<int>(s), 10), 1); }});
  }
  all.push_back({"a line of L1 that a hart polls", 0, [](Threads& t) { set(t.tile(), kPolledWord, 0); }});
  all.push_back({"some line of L1", 0, [](Threads& t) { set(t.tile(), kAwaitedWord + 64, 3); }});
  all.push_back({"time", 0, [](Threads& t) { t.tile().run(t.tile().time() + 64 * 1024); }});
  return all;
}

struct Case {
  std::string name;
  std::function<void(Threads&)> prepare;
  std::vector<uint32_t> waiting;  // the last word leaves a mark
  WaitMask waits_for;
  std::function<void(Threads&)> release;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

void by_other(Threads& t, uint32_t word) { t.push(kOther, {word}); }

std::vector<Case> all_cases() {
  const auto nothing = [](Threads&) {};
  const auto other = [](auto instruction) { return [word = instruction.encode()](Threads& t) { by_other(t, word); }; };
  return {
      {"AnEmptyFifo", nothing, {}, wait::fifo(kWaiting), [](Threads& t) { t.push(kWaiting, {kMark}); }},
      {"ASemaphoreAtZero",
       nothing,
       {tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 8, .stall_res = kEverything}.encode(), kMark},
       wait::semaphore(3),
       other(tx::SEMPOST{.sem_sel = 8})},
      {"ASemaphoreAtItsMaximum",
       other(tx::SEMINIT{.sem_sel = 4, .init_value = 1, .max_value = 1}),
       {tx::SEMWAIT{.wait_sem_cond = 2, .sem_sel = 4, .stall_res = kEverything}.encode(), kMark},
       wait::semaphore(2),
       other(tx::SEMGET{.sem_sel = 4})},
      {"TheConditionThatHoldsItOfTwo",
       other(tx::SEMPOST{.sem_sel = 2}),
       {tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 6, .stall_res = kEverything}.encode(), kMark},
       wait::semaphore(2),
       other(tx::SEMPOST{.sem_sel = 4})},
      {"AWaitBehindALatchedWait",
       nothing,
       {tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = tx::gate::B0}.encode(),
        tx::STALLWAIT{.wait_res = 0x20, .stall_res = tx::gate::B0}.encode(), kMark},
       wait::semaphore(0),
       other(tx::SEMPOST{.sem_sel = 1})},
      {"SrcAToBeFree",
       [](Threads& t) {
         for (int i = 0; i < 2; ++i) by_other(t, tx::SETDVALID{.setvalid = 1}.encode());
       },
       {tx::STALLWAIT{.wait_res = 0x20, .stall_res = kEverything}.encode(), kMark},
       wait::kSrcA,
       other(tx::SETRWC{.clear_ab_vld = 1})},
      {"SrcBToBeValid",
       nothing,
       {tx::STALLWAIT{.wait_res = 0x100, .stall_res = kEverything}.encode(), kMark},
       wait::kSrcB,
       other(tx::SETDVALID{.setvalid = 2})},
      {"TheSourcesOfTheMatrixUnit",
       other(tx::SETDVALID{.setvalid = 2}),
       {tx::MVMUL{}.encode(), kMark},
       wait::kSrcA,
       other(tx::SETDVALID{.setvalid = 1})},
      {"ABankToWriteTo",
       [](Threads& t) {
         for (int i = 0; i < 2; ++i) by_other(t, tx::SETDVALID{.setvalid = 2}.encode());
       },
       {tx::STOREIND{.mode = 1}.encode(), kMark},
       wait::kSrcB,
       other(tx::SETRWC{.clear_ab_vld = 2})},
      {"AMutex",
       other(tx::ATGETM{.mutex_index = 3}),
       {tx::ATGETM{.mutex_index = 3}.encode(), kMark},
       wait::mutex(3),
       other(tx::ATRELM{.mutex_index = 3})},
      {"AStream",
       [](Threads& t) { t.push(kWaiting, {tx::SETC16{.setc16_value = 9, .setc16_reg = 61}.encode()}); },
       {tx::STREAMWAIT{.wait_stream_sel = 2, .target_value = 3, .stall_res = kEverything}.encode(), kMark},
       wait::stream(9),
       [](Threads& t) { set(t.tile(), phase_of(9), 3); }},
      {"AWordOfL1",
       [](Threads& t) { t.cop().state.gpr.write(kWaiting, 1, kAwaitedWord / 16); },
       {tx::ATCAS{.addr_reg = 1, .cmp_val = 4}.encode(), kMark},
       wait::kL1,
       [](Threads& t) { set(t.tile(), kAwaitedWord, 4); }},
      {"AUnitThatAnotherThreadHolds",
       [](Threads& t) {
         t.cop().state.gpr.write(kOther, 1, kAwaitedWord / 16);
         by_other(t, tx::ATCAS{.addr_reg = 1, .cmp_val = 4}.encode());
       },
       {kMark},
       wait::kUnitIdle,
       [](Threads& t) { set(t.tile(), kAwaitedWord, 4); }},
  };
}

class Repolling : public ::testing::TestWithParam<std::tuple<Timing, Case>> {
 protected:
  const Case& it = std::get<1>(GetParam());
  Threads threads{std::get<0>(GetParam())};

  void bring_to_wait() {
    it.prepare(threads);
    for (const uint32_t word : it.waiting) {
      ASSERT_TRUE(threads.cop().threads[kWaiting].front.push_before_mop(word));
    }
    threads.run();
    ASSERT_EQ(names(threads.cop().threads[kWaiting].waits_for), names(it.waits_for));
    ASSERT_FALSE(threads.marked());
  }
};
INSTANTIATE_TEST_SUITE_P(AThreadThatWaitsFor, Repolling,
                         ::testing::Combine(::testing::Values(Timing::Relaxed, Timing::Exact),
                                            ::testing::ValuesIn(all_cases())),
                         [](const auto& p) {
                           return std::get<1>(p.param).name +
                                  (std::get<0>(p.param) == Timing::Exact ? "Exact" : "Relaxed");
                         });

TEST_P(Repolling, IsNotLookedAtWhenAnythingElseChanges) {
  bring_to_wait();
  const uint64_t before = threads.looks();
  for (const Change& change : all_changes()) {
    if (change.announced & it.waits_for) continue;
    for (int i = 0; i < 3; ++i) {
      change.make(threads);
      threads.run();
    }
    EXPECT_EQ(threads.looks(), before) << "because of " << change.name;
  }
  EXPECT_TRUE(threads.tile().faults().take().empty());
}

// The one further look finds the FIFO empty.
TEST_P(Repolling, GoesOnWhenThatChanges) {
  bring_to_wait();
  const uint64_t before = threads.looks();
  it.release(threads);
  threads.run();
  EXPECT_TRUE(threads.marked()) << threads.cop().describe(kWaiting);
  EXPECT_EQ(threads.looks(), before + 1);
}

// A hart that waits for room in a FIFO is not woken by what makes none.
TEST(Repolling, AHartThatPushesIntoAFullFifoSleepsUntilThereIsRoom) {
  Threads threads{Timing::Relaxed};
  Tile& tile = threads.tile();
  start(tile, arch::Hart::Trisc2, [](isa::Assembler& a) {
    a.tensix(tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 8, .stall_res = kEverything});
    for (int i = 0; i < 100; ++i) a.tensix(tx::NOP{});
    a.tensix(tx::SETDMAREG{.reg_index_16b = 2 * kGpr, .payload_sig_sel = 77});
  });
  threads.run();
  const Hart& hart = tile.hart(arch::Hart::Trisc2);
  ASSERT_EQ(hart.state().status, HartStatus::Blocked);
  ASSERT_EQ(names(hart.state().waits_for), names(wait::fifo(2)));
  for (const Change& change : all_changes()) {
    if (change.announced & wait::semaphore(3)) continue;
    change.make(threads);
    EXPECT_EQ(hart.state().status, HartStatus::Blocked) << "because of " << change.name;
  }
  threads.push(kOther, {tx::SEMPOST{.sem_sel = 8}.encode()});
  threads.run();
  EXPECT_TRUE(threads.marked());
}

}  // namespace
}  // namespace kerr::emu
