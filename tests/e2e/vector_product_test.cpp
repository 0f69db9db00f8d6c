// FP32 products on the vector unit, bit for bit against the multiply-adds that they are made of, and against float64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "emu/math/fma.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
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

}  // namespace
}  // namespace kerr
