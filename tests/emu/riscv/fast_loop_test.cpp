// The fast loop against the plain one, and parking against both.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <compare>

#include "tests/emu/riscv/equal.hpp"
#include "tests/emu/riscv/random_program.hpp"

namespace kerr::emu {
namespace {

RC_GTEST_PROP(FastLoop, EqualsThePlainLoopAtTheEndOfEveryQuantum, ()) {
  const RandomProgram program(*rc::gen::arbitrary<uint32_t>());
  const auto quantum = *rc::gen::element<Cycle>(1, 7, 64, 1000);
  LoneHart plain(arch::Hart::Brisc, {.scheduler = Scheduler::Reference});
  LoneHart fast(arch::Hart::Brisc, {.parking = false}), parking;
  for (LoneHart* lone : {&plain, &fast, &parking}) {
    lone->fifo_room = 1000;
    program.load(*lone);
  }
  for (int i = 0; i < 40; ++i) {
    for (LoneHart* lone : {&plain, &fast, &parking}) lone->run(lone->time + quantum);
    if (parking.hart.state().parked()) parking.hart.wake(parking.time);
    expect_equal(plain, fast);
    expect_equal(plain, parking);
    RC_ASSERT(plain.faults.count() == fast.faults.count());
    RC_ASSERT(plain.faults.count() == parking.faults.count());
    if (!plain.hart.state().running()) break;
  }
  RC_TAG(plain.hart.describe().substr(0, 7));
}

// Writes down all that a hart tells, and now and then changes its mind about what it wants to hear.
class Listens final : public Observer {
 public:
  explicit Listens(Cycle patience) : patience_(patience) {}

  const bool& wants_all_retired(TileId) const override { return all_; }
  void retired(const Actor& a, uint32_t pc, uint32_t word) override { note(a, 0, pc, word); }
  void accessed(const Actor& a, AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override {
    note(a, 1 + static_cast<uint32_t>(kind), address, bytes, value);
  }
  void stalled(const Actor& a, const Stall& stall) override { note(a, 9, static_cast<uint32_t>(stall.what), 0); }

  struct Told {
    Cycle cycle = 0;
    uint32_t pc = 0, word = 0, what = 0, first = 0, second = 0, third = 0;
    friend auto operator<=>(const Told&, const Told&) = default;
  };
  std::vector<Told> told;

 private:
  void note(const Actor& a, uint32_t what, uint32_t first, uint32_t second, uint32_t third = 0) {
    told.push_back({a.cycle, a.pc, a.word, what, first, second, third});
    if (told.size() % patience_ == 0) all_ = !all_;
  }

  const Cycle patience_;
  bool all_ = false;
};

RC_GTEST_PROP(FastLoop, TellsAnObserverWhatThePlainLoopTells, ()) {
  const RandomProgram program(*rc::gen::arbitrary<uint32_t>());
  const auto quantum = *rc::gen::element<Cycle>(1, 7, 64, 1000);
  const auto patience = *rc::gen::element<Cycle>(7, 50, 1'000'000);
  Listens to_plain(patience), to_fast(patience);
  LoneHart plain(arch::Hart::Brisc, {.scheduler = Scheduler::Reference, .observer = &to_plain}),
      fast(arch::Hart::Brisc, {.observer = &to_fast, .parking = false});
  for (LoneHart* lone : {&plain, &fast}) {
    lone->fifo_room = 1000;
    lone->l1.check();
    lone->hart.tell_retired_if(lone->options.observer->wants_all_retired({}));
    program.load(*lone);
  }
  for (int i = 0; i < 40; ++i) {
    for (LoneHart* lone : {&plain, &fast}) lone->run(lone->time + quantum);
    expect_equal(plain, fast);
    RC_ASSERT(to_plain.told == to_fast.told);
    RC_ASSERT(plain.faults.count() == fast.faults.count());
    if (!plain.hart.state().running()) break;
  }
}

// A word whose fields are anything: what the fast loop does not know it must leave alone.
RC_GTEST_PROP(FastLoop, EqualsThePlainLoopOnAnyWord, (std::vector<uint32_t> words)) {
  LoneHart plain(arch::Hart::Brisc, {.scheduler = Scheduler::Reference}), fast;
  for (LoneHart* lone : {&plain, &fast}) {
    for (uint32_t i = 0; i < words.size(); ++i) lone->l1.store(0x1000 + 4 * i, words[i]);
    lone->hart.release_reset(0x1000, 0, false);
    lone->run(100);
  }
  if (fast.hart.state().parked()) fast.hart.wake(100);
  expect_equal(plain, fast);
}

}  // namespace
}  // namespace kerr::emu
