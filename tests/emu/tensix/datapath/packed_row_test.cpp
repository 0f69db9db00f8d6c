// One packed row: the vectors of docs/hardware/tensix-datapath.md A.3.
#include <array>
#include <vector>

#include "tests/emu/tensix/datapath/lone_coprocessor.hpp"

namespace kerr::emu {
namespace {

constexpr uint32_t kIn = 0x20000, kOut = 0x40000;
constexpr uint16_t kBf16Row[16] = {0x3F80, 0xBF80, 0x3F00, 0x3FFF, 0x4000, 0xC049, 0x3C00, 0x0001,
                                   0x8000, 0x3B80, 0x0080, 0x3E99, 0xBDCC, 0x4049, 0x3DFF, 0x3F7F};
constexpr uint32_t kFp32Row[16] = {0x3F800000, 0xBF808000, 0x3F807FFF, 0x7F800001, 0x00400000, 0x80000000,
                                   0x3F818000, 0x47800000, 0x387FFFFF, 0x38000000, 0x37FFFFFF, 0xC7000001,
                                   0x3DCCCCCD, 0x7F7FFFFF, 0x33800000, 0xFF800000};

class PackedRow : public testing::Test {
 protected:
  // Unpacks one row to Dst row 0 and packs it: `dst_words` are the words that say how Dst is read and what comes out.
  std::vector<uint8_t> pack(bool fp32, std::vector<std::array<uint32_t, 2>> dst_words, size_t bytes) {
    if (fp32) {
      tile_.write32(kIn, kFp32Row);
    } else {
      tile_.write16(kIn, kBf16Row);
    }
    tile_.config({{64, fp32 ? 0x00100010u : 0x00100015u}, {65, 0x00010001}, {76, kIn / 16 - 1}, {84, 64}, {86, 16}});
    tile_.config({{72, fp32 ? 0x20u : 0x25u}, {73, 0x1F}, {2, 1}});  // straight to Dst; denormals are kept
    tile_.config({{20, 0}, {24, 0xFFFF}, {28, 0x1000}, {69, kOut / 16 - 1}});
    tile_.config(dst_words);
    if (fp32) {
      tile_.push(1, {LoneCoprocessor::setc16(5, 0)});
      tile_.push(1, {0x5E203C00, 0x42000081});
    } else {  // SrcA and a move of one row: 16-bit data to Dst has no reference
      tile_.config(73, 0xF);
      tile_.push(1, {LoneCoprocessor::setc16(5, 4), 0x5E203C00, 0x420000C1, 0x12000000});
    }
    tile_.push(1, {0x5E803C00, 0x41000101});
    EXPECT_EQ(tile_.run(), "");
    return tile_.read(kOut, bytes);
  }
  static std::vector<uint8_t> halves(std::initializer_list<uint16_t> values) {
    std::vector<uint8_t> bytes;
    for (const uint16_t v : values) bytes.push_back(v & 0xFF), bytes.push_back(static_cast<uint8_t>(v >> 8));
    return bytes;
  }
  static std::vector<uint8_t> with_exponent(uint8_t exponent, std::vector<uint8_t> data) {
    std::vector<uint8_t> bytes(16, 0);
    bytes[0] = exponent;
    data.resize(16, 0);
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
  }

  LoneCoprocessor tile_;
};

// Words of the packer: w1 intermediate format, w12 and w13 strides, w18 how Dst is read, w68 exponents, w70 formats.
TEST_F(PackedRow, OfBf16FlushesDenormals) {
  EXPECT_EQ(pack(false, {{1, 5u << 25}, {12, 0x00200002}, {70, 0x551}}, 32),
            halves({0x3F80, 0xBF80, 0x3F00, 0x3FFF, 0x4000, 0xC049, 0x3C00, 0x0000, 0x0000, 0x3B80, 0x0080, 0x3E99,
                    0xBDCC, 0x4049, 0x3DFF, 0x3F7F}));
}

TEST_F(PackedRow, AsBfp8SharesTheLargestExponent) {
  EXPECT_EQ(pack(false, {{1, 5u << 25}, {12, 0x00200002}, {68, 1u << 16}, {70, 0x561}}, 32),
            with_exponent(0x80, {0x20, 0xA0, 0x10, 0x40, 0x40, 0xE5, 0, 0, 0, 0, 0, 0x0A, 0x83, 0x65, 0x04, 0x20}));
}

TEST_F(PackedRow, AsBfp8FromE8M6TakesStridesInDatums) {
  EXPECT_EQ(pack(false, {{1, 6u << 25}, {12, 0x00100001}, {68, 1u << 16}, {70, 0x661}}, 32),
            with_exponent(0x80, {0x20, 0xA0, 0x10, 0x40, 0x40, 0xE5, 0, 0, 0, 0, 0, 0x0A, 0x83, 0x65, 0x04, 0x20}));
}

TEST_F(PackedRow, AsBfp4AndBfp2PutsTheFirstDatumInTheLowBits) {
  EXPECT_EQ(pack(false, {{1, 5u << 25}, {12, 0x00200002}, {68, 1u << 16}, {70, 0x571}}, 32),
            with_exponent(0x80, {0xA2, 0x41, 0xE4, 0, 0, 0, 0x60, 0x20}));
}

TEST_F(PackedRow, AsBfp2KeepsOneMagnitudeBit) {
  EXPECT_EQ(pack(false, {{1, 5u << 25}, {12, 0x00200002}, {68, 1u << 16}, {70, 0x5F1}}, 32),
            with_exponent(0x80, {0x40, 0x0D, 0x00, 0x04}));
}

TEST_F(PackedRow, OfFp32RoundsToBf16HalfAway) {
  EXPECT_EQ(pack(true, {{1, 5u << 25}, {12, 0x00200002}, {18, 1}, {70, 0x551}}, 32),
            halves({0x3F80, 0xBF81, 0x3F80, 0x7F80, 0x0000, 0x0000, 0x3F82, 0x4780, 0x3880, 0x3800, 0x3800, 0xC700,
                    0x3DCD, 0x7F80, 0x3380, 0xFF80}));
}

TEST_F(PackedRow, OfFp32TruncatesToFp16Late) {
  EXPECT_EQ(pack(true, {{1, 0}, {12, 0x00400004}, {18, 1}, {70, 0x011}}, 32),
            halves({0x3C00, 0xBC04, 0x3C03, 0x7FFF, 0x0000, 0x8000, 0x3C0C, 0x7C00, 0x03FF, 0x0000, 0x0000, 0xF800,
                    0x2E66, 0x7FFF, 0x0000, 0xFFFF}));
}

TEST_F(PackedRow, OfFp32RoundsToFp16EarlyOnRequest) {
  EXPECT_EQ(pack(true, {{1, 1u << 25}, {12, 0x00200002}, {18, 9}, {70, 0x111}}, 32),
            halves({0x3C00, 0xBC04, 0x3C04, 0x7FFF, 0x0000, 0x0000, 0x3C0C, 0x7C00, 0x0400, 0x0000, 0x0000, 0xF800,
                    0x2E66, 0x7FFF, 0x0000, 0xFFFF}));
}

}  // namespace
}  // namespace kerr::emu
