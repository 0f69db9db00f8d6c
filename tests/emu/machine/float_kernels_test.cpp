// Kernels of float instructions leave the same state under both schedulers, and whatever the caller's floats are like.
#include <cfenv>
#include <functional>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tests/emu/machine/host.hpp"
#include "tests/emu/riscv/float_patterns.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using Values = std::vector<uint32_t>;

constexpr uint32_t kCount = 96, kX = 0x10000, kY = 0x11000, kResults = 0x12000;

struct FloatKernel : Kernel {
  void load(isa::FReg to, float value) {
    li(t0, std::bit_cast<int32_t>(value));
    fmv_w_x(to, t0);
  }
  /// `body` finds x[i] in fa0 and y[i] in fa1; a2 is where its result goes, words apart, and t2 is i.
  void for_each(const std::function<void()>& body) {
    li(a0, kX);
    li(a1, kY);
    li(a2, kResults);
    li(a3, kX + 4 * kCount);
    li(t2, 0);
    const isa::Label top = here();
    flw(fa0, a0);
    flw(fa1, a1);
    body();
    addi(a0, a0, 4);
    addi(a1, a1, 4);
    addi(a2, a2, 4);
    addi(t2, t2, 1);
    bne(a0, a3, top);
  }
};

void dot(FloatKernel& k) {
  k.fmv_w_x(ft0, zero);
  k.for_each([&] {
    k.fmul_s(fa0, fa0, fa1);
    k.fadd_s(ft0, ft0, fa0);
    k.fsw(ft0, a2);
  });
}

void fused_dot(FloatKernel& k) {
  k.fmv_w_x(ft0, zero);
  k.fmv_w_x(ft1, zero);
  k.for_each([&] {
    k.fmadd_s(ft0, fa0, fa1, ft0);
    k.fnmsub_s(ft1, fa0, fa1, ft1);
    k.fsub_s(ft2, ft0, ft1);
    k.fsw(ft2, a2);
  });
}

void scaled_sum(FloatKernel& k) {
  k.load(ft0, -1.75f);
  k.for_each([&] {
    k.fmul_s(fa0, fa0, ft0);
    k.fadd_s(fa1, fa0, fa1);
    k.fsw(fa1, a2);
    k.fsw(fa0, a1);
  });
}

// exp(x): 2^n times a polynomial of the rest.
void exponential(FloatKernel& k) {
  k.load(ft0, 1.44269504f);
  k.load(ft1, -0.69314718f);
  k.load(ft2, 87.0f);
  k.load(ft3, 1.0f);
  k.load(ft4, 0.5f);
  k.load(ft5, 0.1666667f);
  k.for_each([&] {
    k.fmin_s(fa0, fa0, ft2);
    k.fsgnjn_s(ft6, ft2, ft2);
    k.fmax_s(fa0, fa0, ft6);
    k.fmul_s(ft6, fa0, ft0);
    k.fcvt_w_s(t1, ft6);
    k.fcvt_s_w(ft6, t1);
    k.fmul_s(ft6, ft6, ft1);
    k.fadd_s(fa0, fa0, ft6);
    k.fmul_s(ft6, fa0, ft5);
    k.fadd_s(ft6, ft6, ft4);
    k.fmul_s(ft6, ft6, fa0);
    k.fadd_s(ft6, ft6, ft3);
    k.fmul_s(ft6, ft6, fa0);
    k.fadd_s(ft6, ft6, ft3);
    k.fmv_x_w(t0, ft6);
    k.slli(t1, t1, 23);
    k.add(t0, t0, t1);
    k.fmv_w_x(ft6, t0);
    k.fsw(ft6, a2);
  });
}

void largest(FloatKernel& k) {
  k.load(ft0, -1e38f);
  k.li(t4, 0);
  k.for_each([&] {
    const isa::Label no = k.label();
    k.flt_s(t0, ft0, fa0);
    k.beqz(t0, no);
    k.fsgnj_s(ft0, fa0, fa0);
    k.mv(t4, t2);
    k.bind(no);
    k.fle_s(t1, fa0, fa1);
    k.feq_s(t3, fa0, fa1);
    k.add(t3, t3, t1);
    k.add(t3, t3, t4);
    k.sw(t3, a2);
  });
}

void quantised(FloatKernel& k) {
  k.load(ft0, 16.0f);
  k.load(ft1, 0.0625f);
  k.for_each([&] {
    k.fmul_s(fa0, fa0, ft0);
    k.fcvt_w_s(t0, fa0);
    k.fcvt_wu_s(t1, fa1);
    k.fclass_s(t3, fa1);
    k.fcvt_s_wu(fa1, t1);
    k.fcvt_s_w(fa0, t0);
    k.fmul_s(fa0, fa0, ft1);
    k.fsgnjx_s(fa0, fa0, fa1);
    k.fsw(fa0, a1);
    k.add(t0, t0, t3);
    k.sw(t0, a2);
  });
}

struct Outcome {
  uint64_t hash = 0;
  Values results;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Rounds up, and where the test knows how: flushes denormals, and traps on everything.
class StrangeFloats {
 public:
  StrangeFloats() {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(kStrange);
#endif
  }
  ~StrangeFloats() {
    EXPECT_EQ(std::fegetround(), FE_UPWARD) << "the machine has not put back what it found";
#if defined(__x86_64__)
    EXPECT_EQ(_mm_getcsr(), kStrange);
#endif
    std::fesetenv(&before_);
  }

 private:
  static constexpr unsigned kStrange = 0x8040 | 0x4000;  // flush results and operands; upwards; no exception is masked
  std::fenv_t before_;
};

// Each kernel on two tiles: on numbers of middling size, and on what is difficult.
Outcome run(Options options, Cycle slice, bool strange = false) {
  constexpr Cycle kCycles = 60 * 256;
  Machine machine(std::move(options));
  TestHost host(machine);
  const auto workers = arch::tensix_tiles(machine.options().boards[0].harvesting);
  size_t tile = 0;
  for (void (*kernel)(FloatKernel&) : {dot, fused_dot, scaled_sum, exponential, largest, quantised}) {
    FloatKernel code;
    kernel(code);
    code.stop();
    for (const bool difficult : {false, true}) {
      Values data = float_patterns(2 * kCount + 1024, static_cast<uint32_t>(tile));
      data.erase(data.begin(), data.begin() + 1024);
      for (uint32_t& value : data) {
        if (!difficult) value = (value & 0x807FFFFF) | (124 + (value >> 23) % 6) << 23;
      }
      for (const uint32_t at : {kX, kY}) {
        const auto* const bytes = reinterpret_cast<const uint8_t*>(data.data() + (at == kX ? 0 : kCount));
        host.write(workers[tile], at, {bytes, bytes + 4 * kCount});
      }
      host.start(workers[tile++], code);
    }
  }
  for (Cycle spent = 0; spent < kCycles; spent += slice) {
    const std::unique_ptr<StrangeFloats> floats(strange ? new StrangeFloats : nullptr);
    machine.advance(std::min(slice, kCycles - spent));
  }
  EXPECT_FALSE(machine.faulted()) << machine.faults().front().text();
  Outcome outcome{machine.state_hash(), {}};
  for (size_t t = 0; t < tile; ++t) {
    for (uint32_t i = 0; i < kCount; ++i) outcome.results.push_back(host.read32(workers[t], kResults + 4 * i));
  }
  return outcome;
}

TEST(FloatKernels, LeaveTheStateThatTheReferenceSchedulerLeaves) {
  const Outcome fast = run({}, 60 * 256);
  EXPECT_EQ(run({.scheduler = Scheduler::Reference}, 60 * 256), fast);
  EXPECT_EQ(run({.parking = false}, 60 * 256), fast);
  EXPECT_EQ(run({}, 777), fast);
  EXPECT_NE(fast.results[kCount - 1], 0u);
}

TEST(FloatKernels, ComputeTheSameWhateverTheCallersFloatsAreLike) {
  const Outcome usual = run({}, 60 * 256);
  EXPECT_EQ(run({}, 1024, true), usual);
  EXPECT_EQ(run({.shards = 3, .always_in_parallel = true}, 1024, true), usual);
}

TEST(FloatKernels, ComputeTheSameInExactTiming) {
  const Outcome exact = run({.timing = Timing::Exact}, 60 * 256);
  EXPECT_EQ(exact, run({.scheduler = Scheduler::Reference, .timing = Timing::Exact}, 60 * 256));
  EXPECT_EQ(exact.results, run({}, 60 * 256).results);
}

}  // namespace
}  // namespace kerr::emu
