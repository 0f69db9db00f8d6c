// Every pair of formats through the unpackers and the packer: it converts as the documents say, or it is refused with a
// reason. The expectations are a second, small model (format_model.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/emu/tensix/datapath/format_model.hpp"
#include "tests/emu/tensix/datapath/units.hpp"

namespace kerr::emu::tensix {
namespace {

namespace model = format_model;
using math::Format;

constexpr uint32_t kEdges[] = {0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x3F800000, 0xBF800000,
                               0x3F807FFF, 0x3F808000, 0x3F81FFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFFFFFFF,
                               0x7F7FFFFF, 0x387FFFFF, 0x38000000, 0x37FFFFFF, 0x47800000, 0x47FFFFFF, 0x00017FFF,
                               0x0000FF80, 0x3C003C00, 0x7C0103FF, 0xFBFF0400, 0x7FF87FFF, 0x00807F80, 0x000000FF};

class FormatPairs : public testing::Test, protected DataPathUnits {
 protected:
  /// Edge values, noise, and noise around one.
  uint32_t draw() {
    switch (random_() % 3) {
      case 0: return kEdges[random_() % std::size(kEdges)];
      case 1: return random_();
      default: return (random_() & 0x80FFFFFF) | 0x3F000000;
    }
  }
  std::mt19937 random_{1};
};

enum class Target { SrcA, SrcB, Dst };

class UnpackPairs : public FormatPairs {
 protected:
  static constexpr unsigned kDatums = 16, kTrials = 20;

  void configure(unsigned in, unsigned out, Target to, bool e4m3, bool is_unsigned) {
    const unsigned unpacker = to == Target::SrcB;
    config({{cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned, is_unsigned},
            {cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned, is_unsigned},
            {of_unpacker(cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format, unpacker), in},
            {of_unpacker(cfg::THCON_SEC0_REG2_Out_data_format, unpacker), out},
            {of_unpacker(cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, unpacker), to == Target::Dst},
            {of_unpacker(cfg::THCON_SEC0_REG1_Unp_LF8_4b_exp, unpacker), e4m3}});
    thread_config(0, {thread_cfg::SRCA_SET_SetOvrdWithAddr, to != Target::Dst});
  }
  /// Shared exponents that leave room for leading zeros in the 5-bit family.
  unsigned shared_exponent(bool five) { return five ? 7 + random_() % 25 : random_() & 0xFF; }
};

TEST_F(UnpackPairs, ConvertOrAreRefusedWithAReason) {
  unsigned converted = 0, refused = 0;
  for (unsigned turn = 0; turn < kTrials * 16; ++turn) {
    const unsigned in = turn % 16;
    for (unsigned out = 0; out < 16; ++out) {
      for (const Target to : {Target::SrcA, Target::SrcB, Target::Dst}) {
        for (unsigned option = 0; option < (in == model::F8 || in == model::I8 ? 2u : 1u); ++option) {
          const bool e4m3 = in == model::F8 && option, is_unsigned = in == model::I8 && option;
          const std::string name =
              fmt::format("from {} to {}, target {}, option {}", in, out, static_cast<int>(to), option);
          configure(in, out, to, e4m3, is_unsigned);
          const bool expected = to == Target::Dst ? model::unpacks_to_dst(in, out) : model::unpacks_to_src(in, out);
          const unsigned unpacker = to == Target::SrcB ? 1 : 0;
          const isa::tensix::UNPACR i{.last = 1, .ovrd_thread_id = 1, .unpack_block_selection = unpacker};
          if (!expected) {
            const std::string why = run(unpackers, i);
            const Format from = math::format_from_code(in), into = math::format_from_code(out);
            const bool odd =
                to != Target::Dst && math::is_named(from) && math::is_named(into);  // a fault only if it is read
            const std::string expected_why =
                odd ? fmt::format("UNPACR between formats {:#04x}", in << 4 | out)
                    : fmt::format("unpacker {}: {} to {}", unpacker, name_of(from), name_of(into));
            EXPECT_NE(why.find(expected_why), std::string::npos) << name << ": " << why;
            ++refused;
            continue;
          }
          const Format f = math::format_from_code(in);
          const bool block = math::has_shared_exponent(f);
          const unsigned bits = math::datum_bits(f), shared = shared_exponent(math::style_of(f) == math::Style::Fp16);
          l1.store(kIn, static_cast<uint8_t>(shared));
          std::array<uint32_t, kDatums> datums;
          for (unsigned n = 0; n < kDatums; ++n) {
            datums[n] = draw() >> (random_() % 2 ? 32 - bits : 0) & (bits == 32 ? ~0u : (1u << bits) - 1);
          }
          const uint32_t data = kIn + (block ? 16 : 0);
          for (unsigned n = 0; n < kDatums; ++n) {
            const uint32_t at = data + n * bits / 8;
            if (bits == 32) l1.store(at, datums[n]);
            if (bits == 16) l1.store(at, static_cast<uint16_t>(datums[n]));
            if (bits > 8) continue;
            const unsigned shift = n * bits % 8;
            const uint8_t before = shift == 0 ? uint8_t{0} : l1.load<uint8_t>(at);
            l1.store(at, static_cast<uint8_t>(before | datums[n] << shift));
          }
          ASSERT_EQ(run(unpackers, i), "") << name;
          ++converted;
          for (unsigned n = 0; n < kDatums; ++n) {
            const std::string where = fmt::format("{}, datum {:#x}, exponent {}", name, datums[n], shared);
            if (to != Target::Dst) {
              const uint32_t cell = (to == Target::SrcA ? state.src_a : state.src_b).bank(0).cells[0][n];
              ASSERT_EQ(cell, model::cell_of(in, out, datums[n], shared, e4m3, is_unsigned)) << where;
            } else if (math::datum_bits(math::format_from_code(out)) == 32) {
              const uint32_t cell = uint32_t{state.dst.row(0)[n]} << 16 | state.dst.row(Dst::kLowHalf)[n];
              ASSERT_EQ(math::decode_32(cell), datums[n]) << where;
            } else {
              const uint32_t cell = model::cell_of(in, out, datums[n], shared, e4m3, is_unsigned);
              const bool five = math::style_of(math::format_from_code(out)) == math::Style::Fp16;
              const uint16_t stored = state.dst.row(0)[n];
              ASSERT_EQ(five ? math::decode_fp16(stored) : math::decode_bf16(stored),
                        five ? (cell >> 18) << 15 | (cell & 0x7FFF) : cell >> 3)
                  << where;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(converted + refused, kTrials * 3 * (256 + 2 * 16));
  EXPECT_EQ(converted, kTrials * (2 * 28 + 28)) << "as docs/reference/formats.md counts them";
}

class PackPairs : public FormatPairs {
 protected:
  static constexpr unsigned kColumns = 16, kTrials = 8;

  void configure(const model::Path& p) {
    const Format out = math::format_from_code(p.out);
    config({{cfg::ALU_FORMAT_SPEC_REG2_Dstacc, p.intermediate},
            {cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp, p.e4m3},
            {cfg::PCK_DEST_RD_CTRL_Read_32b_data, p.wide},
            {cfg::PCK_DEST_RD_CTRL_Read_unsigned, p.is_unsigned},
            {cfg::PCK_DEST_RD_CTRL_Read_int8, p.raw},
            {cfg::PCK_DEST_RD_CTRL_Round_10b_mant, p.ten},
            {cfg::THCON_SEC0_REG1_Exp_section_size, math::has_shared_exponent(out)},
            {cfg::THCON_SEC0_REG1_Out_data_format, p.out},
            {cfg::THCON_SEC0_REG1_In_data_format, p.late_tf32 ? uint32_t{model::T32} : p.intermediate}});
  }

  // The stored bits are drawn; a row that begins with a one has no block of denormals alone.
  std::array<uint32_t, kColumns> fill(const model::Path& p, std::array<uint32_t, kColumns>& values) {
    std::array<uint32_t, kColumns> stored;
    const unsigned i = p.intermediate;
    const bool five = !p.wide && (i == model::B8a || i == model::F8 || (i == model::F16 && !p.ten));
    for (unsigned c = 0; c < kColumns; ++c) {
      uint32_t v = c == 0 ? 0x3F800000 : draw();
      if (!p.wide) v = v >> (random_() % 2 || c == 0 ? 16 : 0) & 0xFFFF;
      values[c] = v;
      stored[c] = p.wide ? math::encode_32(v)
                  : five ? math::encode_fp16(static_cast<uint16_t>(v))
                         : math::encode_bf16(static_cast<uint16_t>(v));
      state.dst.row(0)[c] = static_cast<uint16_t>(p.wide ? stored[c] >> 16 : stored[c]);
      state.dst.row(Dst::kLowHalf)[c] = static_cast<uint16_t>(stored[c]);
    }
    return stored;
  }

  uint32_t packed(unsigned out, unsigned n) const {
    const unsigned bits = math::datum_bits(math::format_from_code(out));
    const uint32_t data = kOut + (math::has_shared_exponent(math::format_from_code(out)) ? 16 : 0);
    const uint64_t word = l1.load<uint32_t>(data + n * bits / 8 / 4 * 4);
    return static_cast<uint32_t>(word >> n * bits % 32 & ((uint64_t{1} << bits) - 1));
  }
};

TEST_F(PackPairs, ConvertOrAreRefusedWithAReason) {
  unsigned converted = 0, refused = 0;
  for (unsigned turn = 0; turn < kTrials * 64; ++turn) {
    const unsigned flags = turn % 64;
    for (unsigned intermediate = 0; intermediate < 16; ++intermediate) {
      for (unsigned out = 0; out < 16; ++out) {
        const model::Path p{.wide = (flags & 1) != 0,
                            .raw = (flags & 2) != 0,
                            .ten = (flags & 4) != 0,
                            .late_tf32 = (flags & 8) != 0,
                            .is_unsigned = (flags & 16) != 0,
                            .e4m3 = (flags & 32) != 0,
                            .intermediate = intermediate,
                            .out = out};
        if (p.late_tf32 && (intermediate == model::T32 || !(intermediate == model::BF && p.ten))) continue;
        const std::string name =
            fmt::format("{}-bit Dst, intermediate {}, out {}, raw {}, ten {}, late {}, unsigned {}, e4m3 {}",
                        p.wide ? 32 : 16, intermediate, out, p.raw, p.ten, p.late_tf32, p.is_unsigned, p.e4m3);
        configure(p);
        std::array<uint32_t, kColumns> values;
        const auto stored = fill(p, values);
        std::array<std::optional<uint32_t>, kColumns> expected;
        bool exists = out != 12 && out != 13;
        for (unsigned c = 0; c < kColumns && exists; ++c) {
          const auto middle = model::early(p, values[c], stored[c]);
          expected[c] = middle ? model::late(p, *middle) : std::nullopt;
          exists = expected[c].has_value();
        }
        const std::string answer = pack();
        if (!exists) {
          EXPECT_NE(answer.find(fmt::format("packer: {}-bit Dst, intermediate format {}, output format {}",
                                            p.wide ? 32 : 16, intermediate, out)),
                    std::string::npos)
              << name << ": " << answer;
          ++refused;
          continue;
        }
        ASSERT_EQ(answer, "") << name;
        ++converted;
        if (!math::has_shared_exponent(math::format_from_code(out))) {
          for (unsigned c = 0; c < kColumns; ++c) {
            ASSERT_EQ(packed(out, c), *expected[c]) << name << fmt::format(", value {:#x}", values[c]);
          }
          continue;
        }
        const bool five = math::style_of(math::format_from_code(out)) == math::Style::Fp16;
        int shared = 0;
        for (const auto& e : expected)
          shared = std::max(shared, model::take_apart(*e, five ? model::kF16 : model::kBf).exponent);
        ASSERT_EQ(l1.load<uint8_t>(kOut), shared) << name;
        for (unsigned c = 0; c < kColumns; ++c) {
          ASSERT_EQ(packed(out, c), model::in_block(out, *expected[c], shared))
              << name << fmt::format(", value {:#x}", values[c]);
        }
      }
    }
  }
  EXPECT_GT(converted, kTrials * 500);
  EXPECT_GT(refused, kTrials * 2000);
}

}  // namespace
}  // namespace kerr::emu::tensix
