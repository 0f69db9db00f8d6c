// Every vector form of the dot product that this CPU can run equals the definition, on operands of the kinds that
// break such code: any bits, close exponents (ties), sparse rows, powers of two, the ends of the exponent range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "emu/math/dot_product.hpp"
#include "emu/math/dot_product_kernels.hpp"
#include "tests/emu/math/vectors.hpp"

namespace kerr::emu::math::test {
namespace {

struct Operands {
  Format source;
  bool fp32_dst;
};
constexpr Operands kModes[] = {{Format::Bf16, true},  {Format::Bf16, false}, {Format::Tf32, true},
                               {Format::Tf32, false}, {Format::Fp16, true},  {Format::Fp16, false},
                               {Format::Bfp8, true},  {Format::Bfp8a, false}};

enum class Kind { Any, Close, Sparse, Powers, Low, High, Count };

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Cell cell(Kind kind, Format f) {
    const bool fp16 = style_of(f) == Style::Fp16;
    const unsigned top = fp16 ? 31 : 255, centre = fp16 ? 15 : 127;
    unsigned exponent = 0, mantissa = below(1024);
    switch (kind) {
      case Kind::Any: exponent = below(top + 1); break;
      case Kind::Close: exponent = centre - 4 + below(8); break;
      case Kind::Sparse: exponent = below(4) ? 0 : centre - 1 + below(3); break;
      case Kind::Powers:
        exponent = centre - 7 + below(14);
        mantissa = below(2) ? 0 : 0x200 >> below(10);
        break;
      case Kind::Low: exponent = fp16 ? below(6) : 56 + below(16); break;
      default: exponent = top - below(fp16 ? 6 : 70); break;
    }
    return make_cell(below(2), exponent, mantissa);
  }

  uint16_t bits() { return static_cast<uint16_t>(random_()); }

 private:
  std::mt19937 random_;
};

struct Buffers {
  Fixture f, reference;
  SrcPlanes::Block a, b;

  bool same_dst() const {
    return std::memcmp(f.high, reference.high, sizeof f.high) == 0 &&
           std::memcmp(f.low, reference.low, sizeof f.low) == 0;
  }
};

void split(Buffers& x, const DotKernel& kernel, const FpuMode& mode) {
  kernel.split(x.f.a->cells, Side::A, mode.src_a, mode.wide_exponent(), mode.phase & 1, true, x.a);
  kernel.split(x.f.b->cells, Side::B, mode.src_b, mode.wide_exponent(), mode.phase >> 1, true, x.b);
}

// `ordinary` Dst cells are zeros and numbers near the products' magnitude, so that the alignment matters.
void fill(Buffers& x, Generator& g, Kind kind, Format source, bool ordinary) {
  for (unsigned r = 0; r < kSrcRows; ++r) {
    for (unsigned c = 0; c < 16; ++c) {
      x.f.a->cells[r][c] = g.cell(kind, source);
      x.f.b->cells[r][c] = g.cell(kind, source);
    }
  }
  for (unsigned n = 0; n < 128; ++n) {
    const unsigned exponent = g.below(16) ? 100 + g.below(54) : 0;
    const uint16_t close = static_cast<uint16_t>((g.bits() & 0x8000) | exponent << 7 | g.below(128));
    x.reference.high[n] = ordinary || g.below(2) ? encode_bf16(close) : g.bits();
    x.reference.low[n] = g.bits();
  }
  std::copy(std::begin(x.reference.high), std::end(x.reference.high), x.f.high);
  std::copy(std::begin(x.reference.low), std::end(x.reference.low), x.f.low);
}

// Every mode with every kind of operands, in an order that follows from the seed, in a random phase.
std::pair<FpuMode, Kind> mode_and_kind(Generator& g, unsigned seed) {
  const Operands& operands = kModes[seed % std::size(kModes)];
  const Kind kind = static_cast<Kind>(seed / std::size(kModes) % static_cast<unsigned>(Kind::Count));
  FpuMode mode;
  mode.src_a = mode.src_b = operands.source;
  mode.fp32_dst = operands.fp32_dst;
  mode.phase = static_cast<uint8_t>(g.below(4));
  return {mode, kind};
}

TEST(DotKernels, AnyOperandsEqualTheDefinitionBitForBit) {
  auto x = std::make_unique<Buffers>();
  for (const DotKernel& kernel : dot_kernels()) {
    for (unsigned seed = 0; seed < 1200; ++seed) {
      Generator g(seed);
      const auto [mode, kind] = mode_and_kind(g, seed);
      fill(*x, g, kind, mode.src_a, g.below(2));
      const unsigned row_a = g.below(kSrcRows), row_b = g.below(kSrcRows), rows = g.below(2) ? 8 : 4;
      kernel.any(mode, *x->f.a, row_a, *x->f.b, row_b, x->f.dst(mode), rows);
      dot_product_reference(mode, *x->f.a, row_a, *x->f.b, row_b, x->reference.dst(mode), rows);
      ASSERT_TRUE(x->same_dst()) << kernel.name << " seed " << seed;
    }
  }
}

TEST(DotKernels, IntegersEqualTheDefinitionBitForBit) {
  auto x = std::make_unique<Buffers>();
  for (const DotKernel& kernel : dot_kernels()) {
    for (unsigned seed = 0; seed < 200; ++seed) {
      Generator g(seed);
      FpuMode mode;
      mode.src_a = mode.src_b = Format::Int8;
      mode.int8_math = true;
      mode.flush_src = g.below(4) != 0;
      mode.phase = static_cast<uint8_t>(g.below(4));
      fill(*x, g, seed % 2 ? Kind::Sparse : Kind::Any, Format::Int8, false);
      kernel.any(mode, *x->f.a, 48, *x->f.b, 8, x->f.dst(mode), 8);
      dot_product_reference(mode, *x->f.a, 48, *x->f.b, 8, x->reference.dst(mode), 8);
      ASSERT_TRUE(x->same_dst()) << kernel.name << " seed " << seed;
    }
  }
}

TEST(DotKernels, FastFormEqualsTheDefinitionBitForBitOrDoesNothing) {
  auto x = std::make_unique<Buffers>();
  for (const DotKernel& kernel : dot_kernels()) {
    unsigned done = 0, refused = 0;
    for (unsigned seed = 0; seed < 6000; ++seed) {
      Generator g(seed);
      const auto [mode, kind] = mode_and_kind(g, seed);
      fill(*x, g, kind, mode.src_a, g.below(8));
      split(*x, kernel, mode);
      if (!fast_form_suits(mode, x->a, x->b)) continue;
      const unsigned row_b = g.below(9), rows = g.below(2) ? 8 : 4;
      if (kernel.fast(mode, x->a, x->b, row_b, x->f.dst(mode), rows)) {
        dot_product_reference(mode, *x->f.a, 0, *x->f.b, row_b, x->reference.dst(mode), rows);
        ++done;
      } else {
        ++refused;
      }
      ASSERT_TRUE(x->same_dst()) << kernel.name << " seed " << seed;
    }
    if (&kernel == &dot_kernels().back() && kernel.fast(FpuMode{}, x->a, x->b, 0, x->f.dst(FpuMode{}), 0) == false) {
      continue;  // without vectors there is no fast form
    }
    EXPECT_GT(done, 2000u) << kernel.name;
    EXPECT_GT(refused, 100u) << kernel.name;
  }
}

// Dst of every exponent beside products of every distance, and sums that cancel.
TEST(DotKernels, FastFormAlignsAtEveryDistance) {
  auto x = std::make_unique<Buffers>();
  for (const DotKernel& kernel : dot_kernels()) {
    for (const bool wide : {false, true}) {
      FpuMode mode;
      mode.fp32_dst = wide;
      for (unsigned e = 80; e < 140; ++e) {
        Generator g(e);
        for (unsigned k = 0; k < 16; ++k) {
          for (unsigned c = 0; c < 16; ++c) {
            // Group 1 goes its own way; both are few terms, so that sums are short and ties frequent.
            const bool there = k % 8 < 2;
            x->f.a->cells[k][c] = there ? make_cell(g.below(2), (k < 8 ? 127 : 100 + g.below(54)), g.below(2) << 9) : 0;
            x->f.b->cells[k][c] = there || c % 8 < 2 ? make_cell(g.below(2), 127, g.below(2) << 9) : 0;
          }
        }
        split(*x, kernel, mode);
        ASSERT_TRUE(fast_form_suits(mode, x->a, x->b) || kernel.fast(mode, x->a, x->b, 0, x->f.dst(mode), 0) == false);
        for (unsigned turn = 0; turn < 200; ++turn) {
          for (unsigned n = 0; n < 128; ++n) {
            const auto near = static_cast<uint16_t>((g.bits() & 0x8000) | e << 7 | (g.below(2) ? g.below(128) : 0));
            x->f.high[n] = x->reference.high[n] = encode_bf16(near);
            x->f.low[n] = x->reference.low[n] = g.below(2) ? g.bits() : static_cast<uint16_t>(1u << g.below(16));
          }
          if (!kernel.fast(mode, x->a, x->b, turn % 9, x->f.dst(mode), 8)) break;
          dot_product_reference(mode, *x->f.a, 0, *x->f.b, turn % 9, x->reference.dst(mode), 8);
          ASSERT_TRUE(x->same_dst()) << kernel.name << " exponent " << e << " turn " << turn;
        }
      }
    }
  }
}

TEST(DotKernels, RoundEveryTieOfOneProductAwayFromZero) {
  // One large product fixes the exponent; the other has every slice product and every distance.
  auto x = std::make_unique<Buffers>();
  FpuMode mode;
  mode.src_a = mode.src_b = Format::Tf32;
  mode.fp32_dst = true;
  for (const DotKernel& kernel : dot_kernels()) {
    for (unsigned distance = 0; distance < 16; ++distance) {
      for (unsigned slice = 0; slice < 32 * 128; slice += 16) {
        std::memset(static_cast<void*>(x->f.a->cells), 0, sizeof x->f.a->cells);
        std::memset(static_cast<void*>(x->f.b->cells), 0, sizeof x->f.b->cells);
        mode.phase = static_cast<uint8_t>(slice / 16 % 4);
        for (unsigned c = 0; c < 16; ++c) {
          const unsigned s = slice + c;
          x->f.a->cells[0][c] = make_cell(false, 127, 0);
          x->f.a->cells[1][c] = make_cell(s & 1, 127 - distance, s >> 2 & 0x3FF);
        }
        for (unsigned r = 0; r < 8; ++r) {
          x->f.b->cells[r][0] = make_cell(false, 127, 0);
          x->f.b->cells[r][1] = make_cell(false, 127, (slice * 7 + r * 73) & 0x3FF);
        }
        split(*x, kernel, mode);
        for (const bool fast : {false, true}) {
          for (uint16_t* half : {x->f.high, x->f.low, x->reference.high, x->reference.low}) {
            std::memset(half, 0, sizeof x->f.high);
          }
          if (!fast) {
            kernel.any(mode, *x->f.a, 0, *x->f.b, 0, x->f.dst(mode), 8);
          } else if (!fast_form_suits(mode, x->a, x->b) || !kernel.fast(mode, x->a, x->b, 0, x->f.dst(mode), 8)) {
            continue;
          }
          dot_product_reference(mode, *x->f.a, 0, *x->f.b, 0, x->reference.dst(mode), 8);
          ASSERT_TRUE(x->same_dst()) << kernel.name << (fast ? " fast" : "") << " distance " << distance;
        }
      }
    }
  }
}

TEST(DotProductDispatch, EqualsTheDefinitionWhereverTheSourcesLie) {
  auto x = std::make_unique<Buffers>();
  for (unsigned seed = 0; seed < 300; ++seed) {
    Generator g(seed);
    const Operands& operands = kModes[seed % std::size(kModes)];
    FpuMode mode;
    mode.src_a = mode.src_b = operands.source;
    mode.fp32_dst = operands.fp32_dst;
    constexpr Kind kKinds[] = {Kind::High, Kind::Any, Kind::Close, Kind::Sparse};
    fill(*x, g, kKinds[seed / 8 % 4], operands.source, seed % 16 != 0);
    x->f.a->changed();
    x->f.b->changed();
    const unsigned row_a = g.below(3) ? 0 : g.below(64), row_b = g.below(64);
    dot_product(mode, *x->f.a, row_a, *x->f.b, row_b, x->f.dst(mode), 8);
    dot_product_reference(mode, *x->f.a, row_a, *x->f.b, row_b, x->reference.dst(mode), 8);
    ASSERT_EQ(std::memcmp(x->f.high, x->reference.high, sizeof x->f.high), 0) << "seed " << seed;
    ASSERT_EQ(std::memcmp(x->f.low, x->reference.low, sizeof x->f.low), 0) << "seed " << seed;
  }
}

TEST(SrcBank, SplitsAgainWhenTheFormatOrTheCellsChange) {
  if (dot_kernels().size() == 1) GTEST_SKIP() << "no vector form on this CPU";
  auto bank = std::make_unique<SrcBank>();
  bank->cells[0][0] = make_cell(false, 130, 0x3FF);
  EXPECT_EQ(bank->planes(Side::A, Format::Bf16, true, 0, 0).largest, 130);
  EXPECT_EQ(bank->planes(Side::A, Format::Bf16, true, 0, 0).smallest, 130);
  EXPECT_EQ(bank->planes(Side::A, Format::Fp16, false, 0, 0).largest, (130 & 31) + 112);
  bank->cells[0][0] = make_cell(false, 140, 0);
  bank->changed();
  EXPECT_EQ(bank->planes(Side::A, Format::Bf16, true, 1, 0).largest, 140);
  EXPECT_EQ(bank->planes(Side::A, Format::Bf16, true, 1, 1).largest, SrcPlanes::kNoLargest);
}

}  // namespace
}  // namespace kerr::emu::math::test
