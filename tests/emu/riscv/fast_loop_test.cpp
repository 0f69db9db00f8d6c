// The fast loop against the plain one, and parking against both.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
