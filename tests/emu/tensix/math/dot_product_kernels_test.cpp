// Every vector form of the dot product that this CPU can run equals the definition, on operands of the kinds that
// break such code: any bits, close exponents (ties), sparse rows, powers of two, the ends of the exponent range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "emu/tensix/math/dot_product.hpp"
#include "emu/tensix/math/dot_product_kernels.hpp"
#include "tests/emu/tensix/math/vectors.hpp"

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

  std::uint16_t bits() { return static_cast<std::uint16_t>(random_()); }

 private:
  std::mt19937 random_;
};

// True if the planes' exponents are within what the kernels promise.
bool within_limits(const SrcPlanes::Block& a, const SrcPlanes::Block& b) {
  return a.largest <= kLargestExponent && b.largest <= kLargestExponent && a.largest + b.largest <= kLargestExponentSum;
}

struct Buffers {
  Fixture f, reference;
  SrcPlanes::Block a, b;
};

void fill(Buffers& x, Generator& g, Kind kind, Format source) {
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < 16; ++c) {
      x.f.a->cells[r][c] = g.cell(kind, source);
      x.f.b->cells[r][c] = g.cell(kind, source);
    }
  }
  for (unsigned n = 0; n < 128; ++n) {
    // Dst near the products' magnitude half the time, so that the alignment matters.
    const std::uint16_t close =
        encode_bf16(static_cast<std::uint16_t>((g.bits() & 0x8000) | (100 + g.below(54)) << 7 | g.below(128)));
    x.reference.high[n] = g.below(2) ? g.bits() : close;
    x.reference.low[n] = g.bits();
  }
  std::copy(std::begin(x.reference.high), std::end(x.reference.high), x.f.high);
  std::copy(std::begin(x.reference.low), std::end(x.reference.low), x.f.low);
}

TEST(DotKernels, EqualTheDefinitionBitForBit) {
  auto x = std::make_unique<Buffers>();
  for (const DotKernel& kernel : dot_kernels()) {
    unsigned compared = 0;
    for (unsigned seed = 0; seed < 1200; ++seed) {
      Generator g(seed);
      const Operands& operands = kModes[seed % std::size(kModes)];
      const Kind kind = static_cast<Kind>(seed / std::size(kModes) % static_cast<unsigned>(Kind::Count));
      FpuMode mode;
      mode.src_a = mode.src_b = operands.source;
      mode.fp32_dst = operands.fp32_dst;
      mode.phase = static_cast<std::uint8_t>(g.below(4));
      fill(*x, g, kind, operands.source);
      kernel.split(x->f.a->cells, Side::A, mode.src_a, mode.wide_exponent(), x->a);
      kernel.split(x->f.b->cells, Side::B, mode.src_b, mode.wide_exponent(), x->b);
      if (!within_limits(x->a, x->b)) continue;
      const unsigned row_b = g.below(9), rows = g.below(2) ? 8 : 4;
      kernel.multiply(mode, x->a, x->b, row_b, x->f.dst(mode), rows);
      dot_product_reference(mode, *x->f.a, 0, *x->f.b, row_b, x->reference.dst(mode), rows);
      ASSERT_EQ(std::memcmp(x->f.high, x->reference.high, sizeof x->f.high), 0) << kernel.name << " seed " << seed;
      ASSERT_EQ(std::memcmp(x->f.low, x->reference.low, sizeof x->f.low), 0) << kernel.name << " seed " << seed;
      ++compared;
    }
    EXPECT_GT(compared, 700u) << kernel.name;
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
        mode.phase = static_cast<std::uint8_t>(slice / 16 % 4);
        for (unsigned c = 0; c < 16; ++c) {
          const unsigned s = slice + c;
          x->f.a->cells[0][c] = make_cell(false, 127, 0);
          x->f.a->cells[1][c] = make_cell(s & 1, 127 - distance, s >> 2 & 0x3FF);
        }
        for (unsigned r = 0; r < 8; ++r) {
          x->f.b->cells[r][0] = make_cell(false, 127, 0);
          x->f.b->cells[r][1] = make_cell(false, 127, (slice * 7 + r * 73) & 0x3FF);
        }
        kernel.split(x->f.a->cells, Side::A, mode.src_a, true, x->a);
        kernel.split(x->f.b->cells, Side::B, mode.src_b, true, x->b);
        std::memset(x->f.high, 0, sizeof x->f.high);
        std::memset(x->f.low, 0, sizeof x->f.low);
        std::memset(x->reference.high, 0, sizeof x->f.high);
        std::memset(x->reference.low, 0, sizeof x->f.low);
        kernel.multiply(mode, x->a, x->b, 0, x->f.dst(mode), 8);
        dot_product_reference(mode, *x->f.a, 0, *x->f.b, 0, x->reference.dst(mode), 8);
        ASSERT_EQ(std::memcmp(x->f.high, x->reference.high, sizeof x->f.high), 0)
            << kernel.name << " distance " << distance;
        ASSERT_EQ(std::memcmp(x->f.low, x->reference.low, sizeof x->f.low), 0)
            << kernel.name << " distance " << distance;
      }
    }
  }
}

TEST(DotProductFallback, TakesTheDefinitionWhereTheKernelsCannotGo) {
  auto x = std::make_unique<Buffers>();
  for (unsigned seed = 0; seed < 300; ++seed) {
    Generator g(seed);
    const Operands& operands = kModes[seed % std::size(kModes)];
    FpuMode mode;
    mode.src_a = mode.src_b = operands.source;
    mode.fp32_dst = operands.fp32_dst;
    fill(*x, g, seed % 2 ? Kind::High : Kind::Any, operands.source);
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
  auto bank = std::make_unique<SrcBank>();
  bank->cells[0][0] = make_cell(false, 130, 0x3FF);
  EXPECT_EQ(bank->planes(Side::A, Format::Bf16, true, 0).exponent[0][0], 130);
  EXPECT_EQ(bank->planes(Side::A, Format::Fp16, false, 0).exponent[0][0], (130 & 31) + 112);
  bank->cells[0][0] = make_cell(false, 140, 0);
  bank->changed();
  EXPECT_EQ(bank->planes(Side::A, Format::Bf16, true, 0).exponent[0][0], 140);
  EXPECT_EQ(bank->planes(Side::A, Format::Bf16, true, 0).exponent[0][1], SrcPlanes::kEmpty);
}

}  // namespace
}  // namespace kerr::emu::math::test
