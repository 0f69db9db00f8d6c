// FP32 products on the vector unit, bit for bit against the multiply-adds that they are made of, and against float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "emu/math/fma.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/vector_product/vector_product.hpp"

namespace kerr {
namespace {

using kernels::VectorProductShape;

constexpr uint32_t kTile = 32, kElements = kTile * kTile;

// Row by row, each one row below the other of a batch. B has its columns as rows.
struct Matrices {
  VectorProductShape shape;
  std::vector<float> a, b;
  uint32_t k() const { return kTile * shape.k_tiles; }
  size_t rows() const { return size_t{kTile} * shape.batch * shape.m_tiles; }
  size_t columns() const { return size_t{kTile} * shape.batch * shape.n_tiles; }
};

template <class Next>
Matrices matrices(const VectorProductShape& shape, Next&& next) {
  Matrices m{shape, {}, {}};
  m.a.resize(m.rows() * m.k());
  m.b.resize(m.columns() * m.k());
  std::ranges::generate(m.a, next);
  std::ranges::generate(m.b, next);
  return m;
}

Matrices normal(const VectorProductShape& shape, uint64_t seed) {
  return matrices(shape, [random = std::mt19937_64(seed), normal = std::normal_distribution<float>()]() mutable {
    return normal(random);
  });
}

// Tiles of `places`, which says where an element of (line, k) is.
template <class Place>
std::vector<float> in_pages(const std::vector<float>& lines, uint32_t k, Place&& place) {
  std::vector<float> pages(lines.size());
  const uint32_t k_tiles = k / kTile;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t line = i / k, column = i % k, page = line / kTile * k_tiles + column / kTile;
    pages[page * kElements + place(static_cast<uint32_t>(line % kTile), static_cast<uint32_t>(column % kTile))] =
        lines[i];
  }
  return pages;
}

class Device {
 public:
  explicit Device(const emu::Options& options = {}) : device_({.chip = options}) {}

  // C row by row, of a product after the other.
  std::vector<uint32_t> run(const Matrices& m, size_t cores) {
    const VectorProductShape& s = m.shape;
    const host::Buffer a = upload(in_pages(m.a, m.k(), kernels::place_in_a)),
                       b = upload(in_pages(m.b, m.k(),
                                           [](uint32_t column, uint32_t k) { return kernels::place_in_b(k, column); }));
    const uint32_t tiles = s.batch * s.m_tiles * s.n_tiles;
    const host::Buffer c = chip_.allocate(host::Memory::Dram, uint64_t{tiles} * 4096, 4096);
    chip_.run(kernels::vector_product_program(s, chip_.layout(), chip_.workers().first(cores),
                                              {.a = a.address(), .b = b.address(), .c = c.address()}));
    std::vector<uint32_t> pages(size_t{tiles} * kElements), result(pages.size());
    chip_.read(c, std::as_writable_bytes(std::span(pages)));
    const size_t width = size_t{kTile} * s.n_tiles;
    for (size_t i = 0; i < result.size(); ++i) {
      const size_t row = i / width, column = i % width, page = row / kTile * s.n_tiles + column / kTile;
      result[i] = pages[page * kElements +
                        kernels::place_in_c(static_cast<uint32_t>(row % kTile), static_cast<uint32_t>(column % kTile))];
    }
    return result;
  }

  host::Chip& chip() { return chip_; }

 private:
  host::Buffer upload(const std::vector<float>& pages) {
    const host::Buffer buffer = chip_.allocate(host::Memory::Dram, pages.size() * 4, 4096);
    chip_.write(buffer, std::as_bytes(std::span(pages)));
    return buffer;
  }

  host::EmulatedDevice device_;
  host::Chip chip_{device_};
};

Device& device() {
  static Device device;
  return device;
}

// An element's index in `result`, with its row of A and column of B.
struct Element {
  size_t index;
  std::span<const float> a, b;
};

template <class Body>
void for_each_element(const Matrices& m, size_t step, Body&& body) {
  const VectorProductShape& s = m.shape;
  const size_t width = size_t{kTile} * s.n_tiles, height = size_t{kTile} * s.m_tiles;
  for (size_t i = 0; i < m.rows() * width; i += step) {
    const size_t row = i / width, column = row / height * width + i % width;
    body(Element{i, std::span(m.a).subspan(row * m.k(), m.k()), std::span(m.b).subspan(column * m.k(), m.k())});
  }
}

// The definition: four sums, one for each eight k of a tile. Within the eight a lane begins with its own column's.
uint32_t expected(const Element& e, uint32_t column) {
  const auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  uint32_t sums[4] = {};
  for (uint32_t k0 = 0; k0 < e.a.size(); k0 += kTile) {
    for (uint32_t eight = 0; eight < 4; ++eight) {
      for (uint32_t turn = 0; turn < 8; ++turn) {
        const uint32_t k = k0 + 8 * eight + ((column - turn) & 7);
        sums[eight] = emu::math::fma(bits(e.a[k]), bits(e.b[k]), sums[eight]);
      }
    }
  }
  const auto add = [](uint32_t x, uint32_t y) { return emu::math::fma(0x3F800000, x, y); };
  return add(add(sums[0], sums[1]), add(sums[2], sums[3]));
}

size_t wrong_elements(const Matrices& m, const std::vector<uint32_t>& result, size_t step = 1) {
  size_t wrong = 0;
  for_each_element(m, step, [&](const Element& e) {
    wrong += result[e.index] != expected(e, static_cast<uint32_t>(e.index % (size_t{kTile} * m.shape.n_tiles)));
  });
  return wrong;
}

TEST(VectorProduct, PlacesFillATileAndFollowTheLoopsThatArePromised) {
  uint32_t at = 0;
  for (uint32_t pair = 0; pair < 16; ++pair) {
    for (uint32_t k = 0; k < 32; ++k) {
      for (uint32_t i = 0; i < 2; ++i) EXPECT_EQ(kernels::place_in_a(2 * pair + i, k), at++);
    }
  }
  at = 0;
  for (uint32_t half = 0; half < 2; ++half) {
    for (uint32_t turn = 0; turn < 8; ++turn) {
      for (uint32_t eight = 0; eight < 4; ++eight) {
        for (uint32_t c = 0; c < 8; ++c) {
          for (uint32_t i = 0; i < 2; ++i)
            EXPECT_EQ(kernels::place_in_b(8 * eight + ((c - turn) & 7), 16 * half + 8 * i + c), at++);
        }
      }
    }
  }
}

TEST(VectorProduct, IsItsMultiplyAddsBitForBit) {
  std::mt19937_64 random(1);
  const auto size = [&](uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); };
  for (int i = 0; i < 12; ++i) {
    const VectorProductShape shape{size(3), size(4), size(4), size(6)};
    const Matrices m = normal(shape, random());
    EXPECT_EQ(wrong_elements(m, device().run(m, size(20))), 0u)
        << shape.batch << " times " << shape.m_tiles << " x " << shape.n_tiles << " x " << shape.k_tiles;
  }
}

TEST(VectorProduct, DoesNotDependOnCoresThreadsTimingOrTheOrderOfPackets) {
  const Matrices m = normal({2, 3, 2, 5}, 7);
  const std::vector<uint32_t> result = device().run(m, 12);
  EXPECT_EQ(wrong_elements(m, result), 0u);
  for (const size_t cores : {1, 5, 11, 118}) EXPECT_EQ(device().run(m, cores), result) << cores << " cores";
  const auto on = [&](const emu::Options& options) { return Device(options).run(m, 12); };
  EXPECT_EQ(on({.shards = 2, .always_in_parallel = true}), result);
  EXPECT_EQ(on({.timing = emu::Timing::Exact}), result);
  EXPECT_EQ(on({.strict = true, .noc_reorder = 3}), result);
}

// (2^-22 + K * 2^-24) * S, where S adds up 32 * max |a| * max |b| of each 32 k: the bound of what may replace a sum of
// FP32 products in its own order.
double largest_share_of_bound(const Matrices& m, const std::vector<uint32_t>& result, size_t step) {
  double worst = 0;
  for_each_element(m, step, [&](const Element& e) {
    double sum = 0, scale = 0;
    for (uint32_t k0 = 0; k0 < m.k(); k0 += kTile) {
      double a = 0, b = 0;
      for (uint32_t k = k0; k < k0 + kTile; ++k) {
        sum += double{e.a[k]} * double{e.b[k]};
        a = std::max(a, std::abs(double{e.a[k]}));
        b = std::max(b, std::abs(double{e.b[k]}));
      }
      scale += 32 * a * b;
    }
    const double bound = (0x1p-22 + m.k() * 0x1p-24) * scale;
    worst = std::max(worst, std::abs(double{std::bit_cast<float>(result[e.index])} - sum) / bound);
  });
  return worst;
}

TEST(VectorProduct, IsAsCloseToTheTrueSumAsFp32Is) {
  const VectorProductShape shape{1, 2, 2, 32};
  std::mt19937_64 random(3);
  std::normal_distribution<float> normal_number;
  const auto check = [&](const char* what, const Matrices& m) {
    const double share = largest_share_of_bound(m, device().run(m, 4), 7);
    EXPECT_LE(share, 0.25) << what;
  };
  check("normal", normal(shape, 4));
  check("all of one sign", matrices(shape, [&] { return std::abs(normal_number(random)) + 0.5f; }));
  check("a wide range",
        matrices(shape, [&] { return std::ldexp(normal_number(random), static_cast<int>(random() % 80) - 40); }));
  Matrices cancelling = normal(shape, 5);  // the second half of K undoes the first
  for (size_t i = 0; i < cancelling.a.size(); ++i) {
    const size_t k = i % cancelling.k(), half = cancelling.k() / 2;
    if (k < half) continue;
    cancelling.a[i] = -cancelling.a[i - half];
    cancelling.b[i] = std::nextafter(cancelling.b[i - half], 9.0f);
  }
  check("cancelling", cancelling);
}

TEST(VectorProduct, HasInfinitiesAndNansOfTheMultiplyAddAndNoDenormals) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float specials[] = {0.0f,     -0.0f,    1.0f,      -1.0f,     0x1p-126f,  0x1p-130f, -0x1p-149f,
                            0x1p-63f, 0x1p127f, -0x1p127f, kInfinity, -kInfinity, NAN};
  std::mt19937_64 random(8);
  // Mostly zeros, so that not all sums are NaN.
  const Matrices m =
      matrices({1, 2, 2, 2}, [&] { return random() % 12 != 0 ? 0.0f : specials[random() % std::size(specials)]; });
  const std::vector<uint32_t> result = device().run(m, 3);
  EXPECT_EQ(wrong_elements(m, result), 0u);
  size_t nans = 0, infinities = 0;
  for (const uint32_t bits : result) {
    const float x = std::bit_cast<float>(bits);
    nans += std::isnan(x);
    infinities += std::isinf(x);
    EXPECT_NE(std::fpclassify(x), FP_SUBNORMAL);
    if (std::isnan(x)) {
      EXPECT_EQ(bits, 0x7FC00000u);
    }
  }
  EXPECT_GT(nans, 0u);
  EXPECT_GT(infinities, 0u);
}

// An infinity or NaN reaches the elements of its row and column, and no other.
TEST(VectorProduct, KeepsASpecialNumberInItsRowAndColumn) {
  Matrices m = normal({1, 2, 2, 1}, 9);
  m.a[37 * m.k() + 5] = std::numeric_limits<float>::infinity();
  m.b[50 * m.k() + 31] = NAN;
  const std::vector<uint32_t> result = device().run(m, 2);
  for (size_t i = 0; i < result.size(); ++i)
    EXPECT_EQ(std::isfinite(std::bit_cast<float>(result[i])), i / 64 != 37 && i % 64 != 50) << i;
}

TEST(VectorProduct, OfTilesThatEndInZerosIsThatOfTheMatrixInside) {
  Matrices m = normal({1, 2, 2, 2}, 10);
  constexpr uint32_t kRows = 41, kColumns = 33, kDepth = 35;
  for (size_t i = 0; i < m.a.size(); ++i) {
    const size_t line = i / m.k(), k = i % m.k();
    if (line >= kRows || k >= kDepth) m.a[i] = 0;
    if (line >= kColumns || k >= kDepth) m.b[i] = 0;
  }
  const std::vector<uint32_t> result = device().run(m, 4);
  EXPECT_LE(largest_share_of_bound(m, result, 1), 0.25);
  for (size_t i = 0; i < result.size(); ++i) {
    if (i / 64 >= kRows || i % 64 >= kColumns) {
      EXPECT_EQ(result[i], 0u) << i;
    }
  }
}

// Programs before and after it are none of its business.
TEST(VectorProduct, LeavesAndFindsTheCoresAsOtherProgramsDo) {
  using kernels::Format;
  kernels::Expression sum;
  sum.apply(kernels::Operation::Add, std::array{sum.input(0), sum.input(1)});
  const auto add = [&](Device& device, Format format) {
    const uint32_t page = kernels::tile_bytes(format);
    constexpr uint32_t kTiles = 9;
    std::vector<uint16_t> numbers(kTiles * page / 2);
    std::mt19937 random(1);
    for (uint16_t& x : numbers) x = static_cast<uint16_t>(0x3F80 + random() % 128);
    const auto allocate = [&] { return device.chip().allocate(host::Memory::Dram, kTiles * page, page); };
    const host::Buffer x = allocate(), y = allocate(), out = allocate();
    for (const host::Buffer& buffer : {std::cref(x), std::cref(y)})
      device.chip().write(buffer, std::as_bytes(std::span(numbers)));
    device.chip().run(kernels::elementwise_program(sum, format, kTiles, device.chip().layout(),
                                                   device.chip().workers().first(2),
                                                   {.inputs = {x.address(), y.address()}, .output = out.address()}));
    std::vector<std::byte> result(out.bytes());
    device.chip().read(out, result);
    return result;
  };
  Device fresh, used;
  const Matrices m = normal({1, 1, 3, 3}, 11);
  for (const Format format : {Format::Fp32, Format::Bf16, Format::Fp32}) {
    EXPECT_EQ(wrong_elements(m, used.run(m, 2)), 0u);
    EXPECT_EQ(add(used, format), add(fresh, format));
  }
  EXPECT_EQ(wrong_elements(m, used.run(m, 2)), 0u);
  EXPECT_EQ(wrong_elements(m, used.run(m, 1)), 0u);
}

std::string refusal(const VectorProductShape& shape, const kernels::VectorProductBuffers& buffers, size_t cores = 1) {
  try {
    kernels::vector_product_program(shape, device().chip().layout(), device().chip().workers().first(cores), buffers);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(VectorProduct, RefusesWhatItCannotAddress) {
  const kernels::VectorProductBuffers buffers{.a = 0x1000, .b = 0x2000, .c = 0x3000};
  EXPECT_EQ(refusal({1, 2, 0, 4}, buffers), "a vector product of 1 times 2 x 0 x 4 tiles (M, N, K): none may be 0");
  EXPECT_EQ(refusal({}, buffers, 0), "a vector product without cores");
  EXPECT_EQ(refusal({}, {.a = 0x1000, .b = 0x2010, .c = 0}), "B of a vector product is at 0x2010, no multiple of 64");
  EXPECT_EQ(refusal({1, 1, 1, 1u << 31}, buffers),
            "A of a vector product has 2147483648 tiles and begins at 0x1000: its end is beyond 32-bit addresses");
  EXPECT_NE(refusal({~0u, ~0u, ~0u, ~0u}, buffers), "");
  EXPECT_NE(refusal({1u << 16, 1u << 15, 1, 1}, buffers), "");  // 2^31 tiles of C
  EXPECT_EQ(refusal({1, 1, 1, 1000}, buffers), "");
}

}  // namespace
}  // namespace kerr
