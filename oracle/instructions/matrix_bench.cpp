#include "oracle/instructions/matrix_bench.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

constexpr uint32_t kTileBytes = 0x1000;
constexpr unsigned kStill = 7;

constexpr uint32_t base_of(uint32_t address) { return address / 16 - 1; }

const char* name_of(unsigned format) {
  constexpr std::array names{"FP32",  "FP16",  "BFP8a", "BFP4a", "TF32", "BF16", "BFP8", "BFP4",
                             "INT32", "INT16", "FP8",   "BFP2a", "12",   "13",   "INT8", "BFP2"};
  return names[format & 15];
}

}  // namespace

void MatrixBench::fill_b_with_ones() {
  ones_ = true;
  b_ = a_.cell == 1 || a_.cell == 10 ? Format{1, 1} : int8_ ? b_ : Format{5, 5};
}

MatrixBench::MatrixBench(CaseMaker& m, Sources sources) : m_(m) {
  constexpr std::array<Format, 12> kFormats{
      {{5, 5}, {5, 5}, {0, 4}, {0, 4}, {1, 1}, {0, 5}, {0, 1}, {6, 6}, {7, 7}, {15, 15}, {10, 10}, {9, 9}}};
  int8_ = sources == Sources::Arithmetic && m.one_in(5);
  if (int8_) {
    a_ = b_ = {14, 14};
  } else {
    const unsigned count = sources == Sources::Movable ? 12 : 11;
    a_ = kFormats[m.below(count)];
    const auto five_bits = [](Format f) { return f.cell == 1 || f.cell == 10; };
    do b_ = m.one_in(2) ? a_ : kFormats[m.below(count)];
    while (five_bits(a_) != five_bits(b_));
  }
  wide_ = int8_ || m.one_in(2) || (a_.cell == 4 && m.one_in(2));
  flush_ = a_.cell != 9 && b_.cell != 9 && !m.one_in(4);
  m.mode(std::string(name_of(a_.cell)) + " x " + name_of(b_.cell) +
         (int8_   ? ""
          : wide_ ? ", FP32 Dst"
                  : ", 16-bit Dst") +
         (flush_ ? "" : ", denormals kept"));
}

void MatrixBench::avoid_zero_minus_zero() {
  const bool plain = b_.cell == b_.l1 ? b_.cell == 1 || b_.cell == 5 : b_.cell == 4;
  if (plain)
    no_zeros_ = !flush_;
  else
    flush_ = true;
}

std::vector<uint8_t> MatrixBench::tile_for_b() {
  std::vector<uint8_t> b = m_.tile_of(b_.l1);
  if (ones_) {
    for (size_t n = 0; n < b.size(); n += 2) b[n] = b_.l1 == 5 ? 0x80 : 0, b[n + 1] = b_.l1 == 5 ? 0x3F : 0x3C;
  } else if (no_zeros_ && b_.l1 == 0) {
    for (size_t n = 0; n < b.size(); n += 4)
      if ((b[n + 1] & 0xE0) == 0 && b[n + 2] == 0 && (b[n + 3] & 0x7F) == 0) b[n + 1] |= 0x20;
  } else if (no_zeros_) {
    for (size_t n = 0; n < b.size(); n += 2)
      if (b[n] == 0 && (b[n + 1] & 0x7F) == 0) b[n] = 1;
  }
  return b;
}

void MatrixBench::configure() {
  Program& p = m_.program();
  const uint32_t alu =
      a_.cell << 17 | b_.cell << 21 | raw_format() << 25 | (wide_ && !int8_ ? 1u << 29 : 0) | (int8_ ? 1u << 31 : 0);
  p.config(0, 0).config(1, alu).config(2, flush_ ? 0 : 1).config(220, 0);
  for (const unsigned n : {64u, 112u}) p.config(n + 1, 0x00040001);
  p.config(84, 0x00400040).config(86, 0x01000100).config(92, 0);
  p.config(50, 0).config(56, 0).config(57, 0).config(59, 0).config(71, 0).config(119, 0);
  p.config(12, wide_ ? 0x00400004 : 0x00200002).config(13, wide_ ? 0x10000400 : 0x08000200);
  p.config(14, 0).config(15, 0).config(17, 0).config(18, wide_).config(20, 0).config(24, 0xFFFF).config(28, 0x1000);
  p.config(68, 0).config(70, raw_format() << 8 | raw_format() << 4 | 1).config(180, 0);
  for (const unsigned t : {0u, 1u, 2u, 3u, 7u, 41u}) p.thread_config(t, 0);
  p.thread_config(37, 4).thread_config(38, 0x20);
}

void MatrixBench::set_modifiers(unsigned step_a, unsigned step_b, unsigned step_dst) {
  for (unsigned m = 0; m < 8; ++m) {
    const auto step = [&](unsigned size, unsigned most) { return m_.one_in(3) ? 0 : size * m_.below(most / size); };
    uint32_t ab = 0, dst = 0;
    if (m != kStill) {
      ab = joined(
          {step(step_a, 64), m_.one_of({0, 0, 0, 1, 2}) << 6, step(step_b, 64) << 8, m_.one_of({0, 0, 0, 1, 2}) << 14});
      dst = joined({step(step_dst, 32), m_.one_of({0, 0, 0, 1, 2, 4}) << 10, m_.one_of({0, 1, 1, 2, 3, 4}) << 13});
    }
    m_.program().thread_config(12 + m, ab).thread_config(28 + m, dst).thread_config(47 + m, 0);
  }
}

void MatrixBench::load(unsigned step_a, unsigned step_b, unsigned step_dst) {
  for (unsigned t = 0; t < 2; ++t) {
    m_.memory(kInputA + t * kTileBytes, m_.tile_of(a_.l1));
    m_.memory(kInputB + t * kTileBytes, tile_for_b());
  }
  configure();
  set_modifiers(step_a, step_b, step_dst);
  m_.start_of_tile(3);
  m_.drain();
  fill_dst();
  need(true, true);
}

// 32 bits straight from L1, 16 bits by way of SrcA.
void MatrixBench::fill_dst() {
  if (m_.one_in(8)) return;  // all rows invalid
  const unsigned format = int8_ ? 8 : wide_ ? 0 : a_.cell == 1 || a_.cell == 10 ? 1 : 5;
  m_.memory(kInputDst, m_.tile_of(format));
  Program& p = m_.program();
  const uint32_t alu = raw_format() << 25 | (wide_ && !int8_ ? 1u << 29 : 0) | (int8_ ? 1u << 31 : 0);
  p.config(64, 0x01000010 | format)
      .config(72, 0x20 | format)
      .config(73, wide_ ? 0x1F : 0xF)
      .config(76, base_of(kInputDst));
  p.thread_config(5, wide_ ? 0 : 4);
  m_.push(STALLWAIT{.wait_res = 0x400, .stall_res = 0x1FF});
  if (wide_) {
    m_.push(UNPACR{.last = 1, .ovrd_thread_id = 1});
    m_.push(STALLWAIT{.wait_res = 2, .stall_res = 4});
  } else {
    p.config(1, format << 17 | format << 21 | alu).config(2, 1);
    m_.push(UNPACR{.last = 1, .set_dat_valid = 1, .ovrd_thread_id = 1});
    for (unsigned r = 0; r < 64; r += 8) m_.push(MOVA2D{.dst = r, .instr_mod = 2, .addr_mode = kStill, .src = r});
    m_.push(SETRWC{.bit_mask = 15, .clear_ab_vld = 1});
    m_.drain();
    p.config(1, a_.cell << 17 | b_.cell << 21 | alu).config(2, flush_ ? 0 : 1);
  }
  m_.drain();
}

void MatrixBench::unpack(unsigned n) {
  if (valid_[n] == 2) return;
  const Format f = n ? b_ : a_;
  const unsigned base = n ? 112 : 64;
  m_.drain();
  Program& p = m_.program();
  p.config(base, 0x01000010 | f.l1).config(base + 8, 0x20 | f.cell).config(base + 9, 0xF);
  p.config(base + 12, base_of((n ? kInputB : kInputA) + next_[n] * kTileBytes));
  if (n == 0) p.thread_config(5, 4);
  m_.push(STALLWAIT{.wait_res = 0x400, .stall_res = 0x1FF});
  m_.push(UNPACR{.last = 1, .set_dat_valid = 1, .ovrd_thread_id = 1, .unpack_block_selection = n});
  ++valid_[n];
  next_[n] ^= 1;
}

void MatrixBench::need(bool a, bool b) {
  if (a && valid_[0] == 0) unpack(0);
  if (b && valid_[1] == 0) unpack(1);
}

void MatrixBench::released(uint32_t bits) {
  if (bits & 1) --valid_[0];
  if (bits & 2) --valid_[1];
}

uint32_t MatrixBench::release() {
  const uint32_t bits = m_.one_in(5) ? m_.below(4) & ((valid_[0] ? 1 : 0) | (valid_[1] ? 2 : 0)) : 0;
  released(bits);
  return bits;
}

void MatrixBench::show_dst(unsigned rows) {
  m_.drain();
  m_.program().config(69, base_of(output_)).thread_config(1, 0);
  m_.push(STALLWAIT{.wait_res = 0x10, .stall_res = 4});
  for (unsigned n = 0; n < rows / 4 - 1; ++n) m_.push(PACR{});
  m_.push(PACR{.last = 1, .addr_mode = 1});
  m_.push(STALLWAIT{.wait_res = 8, .stall_res = 2});
  m_.drain();
  const uint32_t bytes = rows * 16 * (wide_ ? 4 : 2);
  m_.show(output_, bytes);
  output_ += bytes;
}

void MatrixBench::show_sources() {
  const auto refused = [](Format f) { return f.cell == 10 || f.cell == 15; };
  if (refused(a_) || refused(b_)) return;
  m_.push(SETRWC{.bit_mask = 15});
  m_.program().thread_config(1, 0);
  need(true, true);
  for (unsigned r = 0; r < 64; r += 8) m_.push(MOVA2D{.dst = r, .instr_mod = 2, .addr_mode = kStill, .src = r});
  for (unsigned r = 0; r < 64; r += 4)
    m_.push(MOVB2D{.dst = 64 + r, .movb2d_instr_mod = 4, .addr_mode = kStill, .src = r});
  show_dst(128);
}

}  // namespace kerr::oracle
