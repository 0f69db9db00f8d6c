// The unpackers and the packer: every pair of formats, every way of addressing that the reference simulator accepts.
#include "oracle/instructions/bodies.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

constexpr unsigned kStill = 7;

constexpr uint32_t base_of(uint32_t address) { return address / 16 - 1; }
unsigned element_bytes(unsigned format) { return (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1; }
bool is_block(unsigned format) { return format == 6 || format == 7 || format == 15; }

std::string pair_name(unsigned in, unsigned out) { return std::to_string(in) + " to " + std::to_string(out); }

void common(CaseMaker& m, unsigned source_format, unsigned pack_format, bool wide) {
  m.program().config(0, 0).config(
      1, source_format << 17 | source_format << 21 | pack_format << 25 | (wide ? 1u << 29 : 0));
  m.program().config(220, 0).config(20, 0).config(24, 0xFFFF).config(28, 0x1000).config(68, 0).config(180, 0);
  for (const unsigned t : {0u, 1u, 2u, 3u, 7u, 41u}) m.program().thread_config(t, 0);
  for (const unsigned t : {12u, 28u, 47u}) m.program().thread_config(t + kStill, 0);
  m.start_of_tile(3);
}

// Dst rows 0..rows-1 as they are.
void show_dst(CaseMaker& m, bool wide, unsigned rows) {
  const unsigned format = wide ? 0 : 9;
  m.drain();
  m.program().config(12, wide ? 0x00400004 : 0x00200002).config(13, wide ? 0x10000400 : 0x08000200);
  m.program().config(14, 0).config(15, 0).config(17, 0).config(18, wide).config(69, base_of(kOutput));
  m.program().config(70, format << 8 | format << 4 | 1).thread_config(37, 4).thread_config(38, 0x20);
  m.push(SETADCXX{.x_start = 0, .x_end2 = 15, .cnt_set_mask = 4});
  m.push(SETADCXY{.bit_mask = 10, .cnt_set_mask = 4});
  m.push(STALLWAIT{.wait_res = 0x10, .stall_res = 4});
  for (unsigned n = 0; n < rows / 4 - 1; ++n) m.push(PACR{});
  m.push(PACR{.last = 1, .addr_mode = 1});
  m.push(STALLWAIT{.wait_res = 8, .stall_res = 2});
  m.drain();
  m.show(kOutput, rows * 16 * (wide ? 4 : 2));
}

// ---------------------------------------------------------------- unpackers

struct UnpackPair {
  unsigned in, out;
  bool to_dst;
};

void unpack(CaseMaker& m) {
  constexpr std::array<UnpackPair, 13> kPairs{{{0, 4, false},
                                               {0, 5, false},
                                               {0, 1, false},
                                               {5, 5, false},
                                               {1, 1, false},
                                               {6, 6, false},
                                               {7, 7, false},
                                               {15, 15, false},
                                               {9, 9, false},
                                               {10, 10, false},
                                               {0, 0, true},
                                               {8, 8, true},
                                               {0, 4, true}}};
  const UnpackPair f = kPairs[m.below(kPairs.size())];
  const unsigned n = f.to_dst ? 0 : m.below(2);
  const bool wide = f.to_dst ? (f.out & 3) == 0 : f.out == 4;
  m.mode(pair_name(f.in, f.out) + (f.to_dst ? " Dst" : n ? " SrcB" : " SrcA"));
  common(m, f.out, wide ? 0 : 9, wide || m.one_in(6));
  m.memory(kInputA, m.tile_of(f.in, 2048));

  const unsigned base = n ? 112 : 64;
  Program& p = m.program();
  const unsigned x_dim = m.one_of({16, 16, 32, 64, 256, 1024}), y_dim = 1 + m.below(4), z_dim = 1 + m.below(4);
  const bool tilize = n == 0 && !f.to_dst && m.one_in(6) && !is_block(f.in);
  if (tilize) m.mode("tilize");
  const bool transpose = n == 0 && !tilize && m.one_in(5);
  if (transpose) m.mode("transpose");
  const uint32_t offset = n == 0 && m.one_in(4) ? m.below(5) : 0;
  p.config(2, 1).config(base, 0x10 | f.in | x_dim << 16).config(base + 1, y_dim | z_dim << 16);
  p.config(base + 8, 0x20 | f.out | (transpose ? 0x100 : 0) | (tilize ? 0x200 | (1 + m.below(8)) << 16 : 0));
  p.config(base + 9, f.to_dst ? 0xFF : 0xF);
  p.config(base + 12, base_of(kInputA) - offset).config(base + 13, base_of(kInputA) - offset);
  p.config(n ? 119 : 71, f.in == 10 && m.one_in(2) ? 1u << 22 : 0);
  if (n == 0) {
    const unsigned dest = m.one_in(2) ? 64 : 64 + 16 * m.below(32);
    p.config(84, dest | dest << 16).config(86, x_dim | x_dim << 16).config(92, offset).config(93, offset);
    p.config(50, m.one_in(3) ? 0x100 : 0).config(56, (128 * element_bytes(f.out) * m.below(3)) << 16);
    p.config(57, 256 * element_bytes(f.out));
  } else {
    p.config(59, 256 * element_bytes(f.out));
  }
  p.thread_config(5, f.to_dst ? 0 : 4);
  if (m.one_in(5)) p.thread_config(41, 0x0101);
  m.drain();

  const unsigned first = m.one_in(2) ? 0 : 16 * m.below(4), rows = 1 + m.below(16);
  const unsigned length = 16 * rows - (m.one_in(5) ? m.below(16) : 0);
  m.push(SETADCXX{.x_start = first, .x_end2 = first + length - 1, .cnt_set_mask = 1u << n});
  m.push(SETADCXY{.bit_mask = 10, .ch0_y = m.below(3), .ch1_y = n ? 0 : m.below(2), .cnt_set_mask = 1u << n});
  m.push(SETADCZW{.bit_mask = 15, .ch0_z = m.below(3), .ch1_z = m.below(2), .cnt_set_mask = 1u << n});
  const unsigned count = 1 + m.below(3);
  for (unsigned k = 0; k < count; ++k) {
    m.execute(UNPACR{.last = 1,
                     .set_dat_valid = !f.to_dst && k + 1 == count,
                     .ovrd_thread_id = 1,
                     .addr_mode = joined({m.below(3), m.below(2) << 2, m.below(2) << 4, m.below(2) << 6}),
                     .unpack_block_selection = n});
  }
  m.drain();
  m.show_counters();
  if (!f.to_dst && n == 0) {
    for (unsigned r = 0; r < 64; r += 8) m.push(MOVA2D{.dst = r, .instr_mod = 2, .addr_mode = kStill, .src = r});
  } else if (!f.to_dst) {
    for (unsigned r = 0; r < 64; r += 4) m.push(MOVB2D{.dst = r, .movb2d_instr_mod = 4, .addr_mode = kStill, .src = r});
  }
  show_dst(m, wide, 128);
  m.finish();
}

// ---------------------------------------------------------------- packer

struct PackPair {
  bool wide;
  unsigned intermediate, out;
  bool round_10b;
};

void pack(CaseMaker& m) {
  constexpr std::array<PackPair, 29> kPairs{
      {{false, 1, 0}, {false, 1, 1}, {false, 1, 5}, {false, 1, 10},     {false, 1, 10, true}, {false, 2, 6},
       {false, 5, 0}, {false, 5, 5}, {false, 5, 6}, {false, 5, 7},      {false, 5, 15},       {false, 6, 0},
       {false, 6, 5}, {false, 6, 6}, {false, 6, 7}, {false, 9, 9},      {true, 0, 0},         {true, 0, 1},
       {true, 0, 6},  {true, 0, 7},  {true, 0, 15}, {true, 1, 1, true}, {true, 1, 10, true},  {true, 5, 5},
       {true, 6, 6},  {true, 6, 7},  {true, 8, 8},  {true, 9, 9},       {true, 14, 14}}};
  const PackPair f = kPairs[m.below(kPairs.size())];
  const unsigned dst_format = f.wide ? (f.intermediate == 8 || f.intermediate == 14 ? 8 : 0)
                              : f.intermediate == 1 || f.intermediate == 2 ? (f.round_10b ? 5 : 1)
                                                                           : 5;
  m.mode((f.wide ? "32-bit Dst, " : "16-bit Dst, ") + pair_name(f.intermediate, f.out));
  common(m, dst_format, f.intermediate, f.wide);
  m.memory(kInputA, m.tile_of(dst_format));
  Program& p = m.program();
  p.config(2, 1).config(64, 0x01000010 | dst_format).config(65, 0x00040001).config(72, 0x20 | dst_format);
  p.config(73, f.wide ? 0xFF : 0xF).config(76, base_of(kInputA)).config(84, 0x00400040).config(86, 0x01000100);
  p.config(92, 0).config(50, 0).config(56, 0).config(57, 0).config(71, 0).thread_config(5, f.wide ? 0 : 4);
  m.drain();
  if (f.wide) {
    m.push(UNPACR{.last = 1, .ovrd_thread_id = 1});
    m.push(STALLWAIT{.wait_res = 2, .stall_res = 4});
  } else {
    m.push(UNPACR{.last = 1, .set_dat_valid = 1, .ovrd_thread_id = 1});
    for (unsigned r = 0; r < 64; r += 8) m.push(MOVA2D{.dst = r, .instr_mod = 2, .addr_mode = kStill, .src = r});
  }
  m.drain();

  const unsigned e = element_bytes(f.intermediate);
  const bool relu = f.intermediate != 9 && f.intermediate != 14 && m.one_in(3);
  const unsigned relu_mode = !relu ? 0 : f.intermediate == 8 ? 1 : 1 + m.below(3);
  const bool fp16 = f.intermediate == 1 || f.intermediate == 2;
  const uint32_t threshold = fp16 && !f.wide ? m.below(0x7C01)
                             : m.one_in(2)   ? 0x3C00 + m.below(0x600)
                                             : m.below(0x8000);
  if (relu) m.mode("ReLU " + std::to_string(relu_mode));
  p.config(2, 1 | relu_mode << 2 | (relu ? threshold << 6 : 0));
  p.config(12, 16 * e << 16 | e).config(13, 1024 * e << 16 | 256 * e).config(14, 0).config(15, 0).config(17, 0);
  p.config(18, (f.wide ? 1u : 0) | (f.intermediate == 14 && m.one_in(2) ? 2u : 0) | (f.round_10b ? 8u : 0));
  const bool edges = m.one_in(4);
  if (edges) {
    m.mode("edges");
    p.config(20, 0x11111111 * m.below(2)).config(21, m.any() & 0x55555555);
    p.config(24, joined({m.one_of({0, 1, 0xFFFF}), m.one_of({0, 0x55, 1}) << 17})).config(25, m.one_of({0, 1, 0xFFFF}));
    p.config(28, m.one_of({4, 8, 12, 16}) << 8);
  }
  const bool accumulate = (f.out == 0 || f.out == 1 || f.out == 5) && m.one_in(3);
  if (accumulate) m.mode("accumulated");
  p.config(68, is_block(f.out) ? 0x00040000 : 0);
  p.config(70, 1 | f.out << 4 | f.intermediate << 8)
      .config(71, (accumulate ? 1u << 19 : 0) | (f.out == 10 ? 1u << 23 : 0));
  p.config(180, m.one_in(3) ? 4 * m.below(8) : 0);
  for (unsigned k = 0; k < 4; ++k) {
    p.thread_config(37 + k, joined({4 * m.below(3), m.one_of({0, 0, 0, 1, 2}) << 4, m.one_of({0, 0, 1, 2}) << 12}));
  }
  if (accumulate || m.one_in(3)) m.memory(kOutput, m.tile_of(f.out, 2048));

  const bool narrow = !edges && !is_block(f.out) && m.one_in(8);
  m.push(SETADCXX{.x_start = 0, .x_end2 = narrow ? 7u : 15u, .cnt_set_mask = 4});
  m.push(SETADCXY{.bit_mask = 10, .ch0_y = 4 * m.below(2), .cnt_set_mask = 4});
  m.push(SETADCZW{.bit_mask = 15, .ch0_z = m.below(2), .cnt_set_mask = 4});
  m.push(STALLWAIT{.wait_res = 0x10, .stall_res = 4});
  m.drain();
  const unsigned tiles = 1 + m.below(2);
  for (unsigned tile = 0; tile < tiles; ++tile) {
    p.config(69, base_of(kOutput) + 0x80 * tile);
    const unsigned count = 1 + m.below(4);
    for (unsigned n = 0; n < count; ++n) {
      const unsigned interfaces = narrow ? 1 : edges ? 0 : m.one_of({0, 0, 0, 1, 3, 5, 10});
      m.execute(
          PACR{.last = n + 1 == count, .concat = m.one_in(8), .read_intf_sel = interfaces, .addr_mode = m.below(4)});
    }
    m.push(STALLWAIT{.wait_res = 8, .stall_res = 2});
    m.drain();
  }
  m.show_counters();
  m.show(kOutput, 0x1800);
  m.finish();
}

}  // namespace

void add_conversion_bodies(Bodies& out) {
  out["UNPACR"] = unpack;
  out["PACR"] = pack;
}

}  // namespace kerr::oracle
