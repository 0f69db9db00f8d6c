// The complete programs of docs/hardware/tensix-datapath.md Appendix A with their checksums.
#include <bit>
#include <cmath>

#include "tests/emu/tensix/datapath/lone_coprocessor.hpp"

namespace kerr::emu {
namespace {

constexpr uint32_t kIn = 0x20000, kOut = 0x40000;

// Row and column of the n-th datum of a tile image: four 16x16 faces.
struct Position {
  int row, column;
};
Position position(int n) {
  const int face = n / 256, r = n % 256 / 16, c = n % 16;
  return {face / 2 * 16 + r, face % 2 * 16 + c};
}

float copied_value(int n) {
  const auto [r, c] = position(n);
  return static_cast<float>((32 * r + c) % 251 - 125) / 4;
}
uint16_t bf16(float v) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(v) >> 16); }
uint16_t fp16(float v) {  // exact, normal values only
  const auto bits = std::bit_cast<uint32_t>(v);
  if (v == 0) return 0;
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | ((bits >> 23 & 0xFF) - 112) << 10 | (bits >> 13 & 0x3FF));
}

enum class Input { Bf16, Fp16, Fp32, Bfp8 };

void store_input(LoneCoprocessor& tile, Input input) {
  for (int n = 0; n < 1024; ++n) {
    const float v = copied_value(n);
    const auto address = static_cast<uint32_t>(kIn + n * (input == Input::Fp32 ? 4 : 2));
    switch (input) {
      case Input::Bf16: tile.l1().store(address, bf16(v)); break;
      case Input::Fp16: tile.l1().store(address, fp16(v)); break;
      default: tile.l1().store(address, static_cast<float>(static_cast<double>(v) * 1.0001)); break;
    }
  }
}

struct Variant {
  const char* name;
  Input input;
  std::vector<std::array<uint32_t, 2>> config;  // on top of A.1's
  unsigned bytes;
  uint32_t crc;
  bool to_dst = false;
};

// A.1, steps 1 to 20.
std::string run_copy(LoneCoprocessor& tile, const Variant& v) {
  tile.config({{0, 0}, {1, 0x0AAA0000}, {2, 0}, {220, 0}});
  tile.config({{64, 0x01000015}, {65, 0x00040001}, {72, 0x25}, {73, 0xF}});
  tile.config({{76, 0x1FFF}, {84, 0x00400040}, {86, 0x01000100}, {92, 0}});
  tile.config({{50, 0}, {56, 0}, {57, 0}, {71, 0}});
  tile.config({{12, 0x00200002}, {13, 0x08000200}, {14, 0}, {15, 0}, {17, 0}, {18, 0}});
  tile.config({{20, 0}, {24, 0xFFFF}, {28, 0x1000}});
  tile.config({{68, 0}, {69, 0x3FFF}, {70, 0x551}, {180, 0}});
  tile.config(v.config);
  for (const unsigned t : {0u, 1u, 2u, 3u, 7u, 41u, 47u}) tile.push(1, {LoneCoprocessor::setc16(t, 0)});
  tile.push(1, {LoneCoprocessor::setc16(5, v.to_dst ? 0 : 4), LoneCoprocessor::setc16(12, 8),
                LoneCoprocessor::setc16(28, 8), LoneCoprocessor::setc16(37, 4), LoneCoprocessor::setc16(38, 0x20)});
  tile.push(1, {0xA2FF8400, 0x5E2FFC00, 0x5E803C00, 0x51E0000A, 0x54E0000F, 0x3700000F, 0x10180000});
  if (v.to_dst) {
    tile.push(1, {0x42000081, 0xA2020002});
  } else {
    tile.push(1, {0x420000C1});
    tile.push(1, 8, 0x12002000);
    tile.push(1, {0x37400005, 0xA2020010});
  }
  tile.push(1, 15, 0x41000000);
  tile.push(1, {0x41008001, 0xA2010008});
  return tile.run();
}

class TileCopy : public testing::TestWithParam<Variant> {};

TEST_P(TileCopy, HasTheChecksumOfTheReference) {
  const Variant& v = GetParam();
  LoneCoprocessor tile;
  store_input(tile, v.input);
  ASSERT_EQ(run_copy(tile, v), "");
  ASSERT_EQ(tile.stuck(1), "");
  EXPECT_EQ(crc32(tile.read(kOut, v.bytes)), v.crc);
}

INSTANTIATE_TEST_SUITE_P(
    AppendixA1, TileCopy,
    testing::Values(
        Variant{"bf16", Input::Bf16, {}, 2048, 0x04E44001},
        Variant{"bf16_remapped", Input::Bf16, {{220, 1}}, 2048, 0x04E44001},
        Variant{"bf16_swizzled", Input::Bf16, {{220, 2}}, 2048, 0x04E44001},
        Variant{"bf16_remapped_and_swizzled", Input::Bf16, {{220, 3}}, 2048, 0x04E44001},
        Variant{"bf16_to_fp32", Input::Bf16, {{70, 0x501}}, 4096, 0x08CB0C99},
        Variant{"bf16_to_bfp8", Input::Bf16, {{68, 0x00040000}, {70, 0x561}}, 1088, 0xC27BC769},
        Variant{"bf16_to_bfp4", Input::Bf16, {{68, 0x00040000}, {70, 0x571}}, 576, 0x55837E76},
        Variant{"bf16_to_bfp2", Input::Bf16, {{68, 0x00040000}, {70, 0x5F1}}, 320, 0x6DE1CABB},
        Variant{"fp16", Input::Fp16, {{1, 0x02AA0000}, {64, 0x01000011}, {72, 0x21}, {70, 0x111}}, 2048, 0x70F73623},
        Variant{"fp16_to_fp32",
                Input::Fp16,
                {{1, 0x02AA0000}, {64, 0x01000011}, {72, 0x21}, {70, 0x101}},
                4096,
                0x08CB0C99},
        Variant{"relu", Input::Bf16, {{2, 4}}, 2048, 0x46942052},
        Variant{"clamp_at_4", Input::Bf16, {{2, 0x0010200C}}, 2048, 0x211BBA93},
        Variant{"edge_mask_column_0", Input::Bf16, {{24, 1}}, 2048, 0x06020AF5},
        Variant{"fp32_as_tf32",
                Input::Fp32,
                {{1, 0x20AA0000}, {64, 0x01000010}, {72, 0x24}, {12, 0x00400004}, {13, 0x10000400}, {18, 1}, {70, 1}},
                4096,
                0x08CB0C99},
        Variant{"fp32_as_tf32_remapped_and_swizzled",
                Input::Fp32,
                {{1, 0x20AA0000},
                 {64, 0x01000010},
                 {72, 0x24},
                 {12, 0x00400004},
                 {13, 0x10000400},
                 {18, 1},
                 {70, 1},
                 {220, 3}},
                4096,
                0x08CB0C99},
        Variant{"fp32_to_dst",
                Input::Fp32,
                {{1, 0x20AA0000},
                 {64, 0x01000010},
                 {72, 0x20},
                 {73, 0x1F},
                 {12, 0x00400004},
                 {13, 0x10000400},
                 {18, 1},
                 {70, 1}},
                4096,
                0x704D3D69,
                true},
        Variant{"fp32_to_dst_packed_as_bf16",
                Input::Fp32,
                {{1, 0x2AAA0000},
                 {64, 0x01000010},
                 {72, 0x20},
                 {73, 0x1F},
                 {12, 0x00200002},
                 {13, 0x08000200},
                 {18, 1},
                 {70, 0x551}},
                2048,
                0x04E44001,
                true}),
    [](const auto& variant) { return std::string(variant.param.name); });

TEST(TileCopyThere, AndBackThroughBfp8IsExact) {
  LoneCoprocessor tile;
  store_input(tile, Input::Bf16);
  ASSERT_EQ(run_copy(tile, {"", Input::Bf16, {{68, 0x00040000}, {70, 0x561}}, 0, 0}), "");
  const std::vector<uint8_t> packed = tile.read(kOut, 1088);
  LoneCoprocessor second;
  second.l1().write(kIn, packed);
  ASSERT_EQ(run_copy(second, {"", Input::Bfp8, {{64, 0x01000016}, {72, 0x26}}, 0, 0}), "");
  EXPECT_EQ(crc32(second.read(kOut, 2048)), 0x04E44001u);
}

// A.2: B goes to SrcA, A to SrcB, three threads.
struct Product {
  const char* name;
  std::vector<std::array<uint32_t, 2>> config;
  unsigned bytes;
  uint32_t crc;
};

class TileProduct : public testing::TestWithParam<Product> {};

TEST_P(TileProduct, HasTheChecksumOfTheReference) {
  const Product& p = GetParam();
  LoneCoprocessor tile;
  for (int n = 0; n < 1024; ++n) {
    const auto [r, c] = position(n);
    const auto at = static_cast<uint32_t>(2 * n);
    tile.l1().store(0x20000 + at, bf16(static_cast<float>((3 * r + 5 * c) % 7 - 3)));
    tile.l1().store(0x21000 + at, bf16(static_cast<float>((2 * r + 7 * c) % 5 - 2)));
  }
  tile.config(
      {{64, 0x01000015}, {65, 0x00040001}, {72, 0x25}, {73, 0xF}, {76, 0x20FF}, {84, 0x00400040}, {86, 0x01000100}});
  tile.config({{112, 0x01000015}, {113, 0x00040001}, {120, 0x25}, {121, 0xF}, {124, 0x1FFF}});
  tile.push(0,
            {LoneCoprocessor::setc16(0, 0), LoneCoprocessor::setc16(5, 4), LoneCoprocessor::setc16(41, 0), 0xA2FF8400});
  tile.push(0, {0x5E6FFC00, 0x5160000A, 0x5460000F, 0x428000C1, 0x420000C1});

  tile.config({{1, 0x2AAA0000}});
  for (const unsigned t : {0u, 1u, 2u, 3u, 7u, 47u, 48u, 49u, 50u, 51u}) tile.push(1, {LoneCoprocessor::setc16(t, 0)});
  constexpr std::array<uint32_t, 2> kModifiers[] = {
      {0x0800, 8}, {0x4010, 8}, {0x6040, 8}, {0x7060, 0x0400}, {0x8080, 0x2800}};
  for (unsigned m = 0; m < 5; ++m) {
    tile.push(1,
              {LoneCoprocessor::setc16(12 + m, kModifiers[m][0]), LoneCoprocessor::setc16(28 + m, kModifiers[m][1])});
  }
  constexpr uint32_t kMop[] = {1,          4,          0x02000000, 0x37C0000F, 0x02000000,
                               0x04000100, 0x02000000, 0x04000100, 0x04000100};
  for (unsigned w = 0; w < 9; ++w) tile.coprocessor().threads[1].front.write_mop_config(w, kMop[w]);
  tile.push(1, {0xA2FF8400, 0xA3100008, 0xA620000A, 0x10180000, 0x3700000F, 0x04000101});
  for (const unsigned m : {0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 4}) tile.push(1, {0x26000000u + (m << 14)});
  tile.push(1, {0x01800000, 0xA2010010, 0xA4000008});

  tile.config({{12, 0x00200002}, {13, 0x08000200}, {18, 1}, {24, 0xFFFF}, {28, 0x1000}, {69, 0x3FFF}, {70, 0x551}});
  tile.config(p.config);
  tile.push(2, {LoneCoprocessor::setc16(0, 0), LoneCoprocessor::setc16(37, 4), LoneCoprocessor::setc16(38, 0x20),
                0xA2FF8400});
  tile.push(2, {0x5E803C00, 0x5180000A, 0x5480000F, 0xA6008009});
  tile.push(2, 15, 0x41000000);
  tile.push(2, {0x41008001, 0xA2010008, 0xA5000008});

  ASSERT_EQ(tile.run(), "");
  for (int t = 0; t < kThreads; ++t) ASSERT_EQ(tile.stuck(t), "");
  EXPECT_EQ(tile.coprocessor().fpu.mvmuls(), 64u);
  EXPECT_EQ(crc32(tile.read(kOut, p.bytes)), p.crc);
}

INSTANTIATE_TEST_SUITE_P(
    AppendixA2, TileProduct,
    testing::Values(Product{"fp32_dst", {}, 2048, 0x2A32D898},
                    Product{"bf16_dst", {{1, 0x0AAA0000}, {18, 0}}, 2048, 0x2A32D898},
                    Product{
                        "fp32_out", {{1, 0x20AA0000}, {12, 0x00400004}, {13, 0x10000400}, {70, 1}}, 4096, 0x02B32247}),
    [](const auto& product) { return std::string(product.param.name); });

}  // namespace
}  // namespace kerr::emu
