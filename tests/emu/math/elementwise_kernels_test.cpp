// Every vector form of ELWADD, ELWSUB and ELWMUL that this CPU can run equals the definition, in all formats, Dst
// widths, phases and broadcasts, on operands of the kinds that break such code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "emu/math/elementwise.hpp"
#include "tests/emu/math/vectors.hpp"

namespace kerr::emu::math::test {
namespace {

constexpr Format kFormats[] = {Format::Fp32, Format::Fp16, Format::Bfp8a, Format::Tf32, Format::Bf16,
                               Format::Bfp8, Format::Fp8,  Format::Int8,  Format::Bfp2};

class ElementwiseCase {
 public:
  explicit ElementwiseCase(unsigned seed) : random_(seed) {
    mode.src_a = mode.src_b = kFormats[below(std::size(kFormats))];
    mode.int8_math = mode.src_a == Format::Int8;
    mode.fp32_dst = below(2);
    mode.flush_src = below(4) != 0;
    mode.phase = static_cast<uint8_t>(below(4));
    row_a = below(kSrcRows);
    row_b = below(kSrcRows);
    broadcast = {below(2) != 0, below(2) != 0};
    subtract = below(2);
    accumulate = below(2);
    const unsigned kind = below(5);
    for (unsigned r = 0; r < kSrcRows; ++r) {
      for (unsigned c = 0; c < kColumns; ++c) {
        vector.a->cells[r][c] = cell(kind);
        vector.b->cells[r][c] = cell(kind);
      }
    }
    for (unsigned n = 0; n < 128; ++n) {
      const auto near = static_cast<uint16_t>((random_() & 0x8000) | (centre() - 6 + below(12)) << 7 | below(128));
      vector.high[n] = below(4) ? encode_bf16(near) : below(4) ? static_cast<uint16_t>(random_()) : 0;
      vector.low[n] = static_cast<uint16_t>(below(8) ? random_() : 0xFFFF);
      if (below(16) == 0) vector.high[n] = encode_bf16(below(2) ? 0x7FFF : 0xFFFF);  // the ends of integers
    }
    std::memcpy(reference.high, vector.high, sizeof vector.high);
    std::memcpy(reference.low, vector.low, sizeof vector.low);
  }

  bool same_dst() const {
    return std::memcmp(vector.high, reference.high, sizeof vector.high) == 0 &&
           std::memcmp(vector.low, reference.low, sizeof vector.low) == 0;
  }

  FpuMode mode;
  unsigned row_a, row_b;
  Broadcast broadcast;
  bool subtract, accumulate;
  Fixture vector, reference;

 private:
  unsigned below(size_t n) { return static_cast<unsigned>(random_() % n); }
  unsigned centre() const { return style_of(mode.src_a) == Style::Fp16 ? 15 : 127; }
  Cell cell(unsigned kind) {
    switch (kind) {
      case 0: return static_cast<Cell>(random_() & kCellMask);
      case 1: return make_cell(below(2), centre() - 7 + below(14), below(2) ? 0 : 0x200 >> below(10));
      case 2: return below(3) ? make_cell(below(2), centre() - 2 + below(4), below(1024)) : below(2) ? kCellSign : 0;
      case 3: return make_cell(below(2), below(2) ? below(8) : 2 * centre() + 1 - below(6), below(1024));
      default:  // about the smallest normal number
        return make_cell(below(2), below(2), below(4) ? 1023 - below(16) : below(2));
    }
  }
  std::mt19937 random_;
};

TEST(ElementwiseKernels, EqualTheDefinitionBitForBit) {
  for (const ElementwiseKernel& kernel : elementwise_kernels()) {
    for (unsigned seed = 0; seed < 4000; ++seed) {
      ElementwiseCase x(seed);
      const SrcBank &a = *x.vector.a, &b = *x.vector.b;
      if (seed % 2 && arithmetic_refusal(x.mode) == nullptr) {
        kernel.multiply(x.mode, a, x.row_a, b, x.row_b, x.broadcast, x.vector.dst(x.mode));
        elementwise_multiply_reference(x.mode, a, x.row_a, b, x.row_b, x.broadcast, x.reference.dst(x.mode));
        ASSERT_TRUE(x.same_dst()) << kernel.name << " multiply, seed " << seed;
      } else {
        x.mode.phase = 0;  // no others have a vector form
        if (arithmetic_refusal(x.mode) != nullptr) continue;
        kernel.add(x.mode, a, x.row_a, b, x.row_b, x.broadcast, x.subtract, x.accumulate, x.vector.dst(x.mode));
        elementwise_add_reference(x.mode, a, x.row_a, b, x.row_b, x.broadcast, x.subtract, x.accumulate,
                                  x.reference.dst(x.mode));
        ASSERT_TRUE(x.same_dst()) << kernel.name << " add, seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace kerr::emu::math::test
