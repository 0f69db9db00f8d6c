#include "tests/emu/tensix/datapath/program_maker.hpp"

#include <bit>
#include <iomanip>

#include "isa/tensix/instructions.hpp"

namespace kerr::emu {

using namespace isa::tensix;

namespace {

constexpr unsigned kFp32 = 0, kFp16 = 1, kTf32 = 4, kBf16 = 5, kBfp8 = 6, kBfp4 = 7, kInt32 = 8, kInt16 = 9, kFp8 = 10,
                   kInt8 = 14, kBfp2 = 15;

constexpr unsigned kStill = 7;  // the address modifier that moves nothing

unsigned element_bytes(unsigned code) { return (code & 3) == 0 ? 4 : (code & 3) == 1 ? 2 : 1; }
bool is_fp16_family(unsigned code) { return code == kFp16 || code == kFp8; }

}  // namespace

const char* name(Topic topic) {
  constexpr std::array names{"unpack",      "unpack_to_dst", "tilize", "pack",   "product",
                             "elementwise", "pool",          "moves",  "clears", "vector"};
  return names[static_cast<size_t>(topic)];
}

ProgramMaker::ProgramMaker(Topic topic, uint64_t seed)
    : topic_(topic), random_(seed * 64 + static_cast<uint64_t>(topic)) {}

uint32_t ProgramMaker::pick(uint32_t lowest, uint32_t highest) {
  return lowest + static_cast<uint32_t>(random_() % (highest - lowest + 1));
}

void ProgramMaker::push(uint32_t word) {
  script_ << "0x" << std::hex << std::setw(8) << std::setfill('0') << word << std::dec << ' ';
}

// Bytes that make tame numbers most of the time and wild ones now and then.
void ProgramMaker::data(uint32_t address, unsigned format) {
  const bool tame = chance(80);
  for (uint32_t at = 0; at < kInputBytes; at += 64) {
    script_ << "bytes " << address + at << ' ' << std::hex << std::uppercase << std::setfill('0');
    for (unsigned n = 0; n < 16; ++n) {
      auto word = static_cast<uint32_t>(random_());
      if (tame && format == kBf16) {
        const auto half = [&](uint32_t v) { return (v & 0x807F) | pick(118, 134) << 7; };
        word = half(word & 0xFFFF) | half(word >> 16) << 16;
      } else if (tame && format == kFp32) {
        word = (word & 0x807FFFFF) | pick(118, 134) << 23;
      } else if (tame && (format == kBfp8 || format == kBfp4 || format == kBfp2) && at < 64) {
        word = pick(120, 130) | pick(120, 130) << 8 | pick(120, 130) << 16 | pick(120, 130) << 24;
      } else if (chance(3)) {
        word = one_of(0, 0x80008000, 0x7F807F80, 0x00010001, 0xFFFFFFFF, 0x7F800000, 0x3F803F80);
      }
      for (unsigned b = 0; b < 4; ++b) script_ << std::setw(2) << (word >> 8 * b & 0xFF);
    }
    script_ << std::dec << '\n';
  }
}

ProgramMaker::Format ProgramMaker::source_format() {
  if (int8_) return {kInt8, kInt8};
  switch (pick(0, 9)) {
    case 0: return {kFp32, kTf32};
    case 1: return {kFp32, kBf16};
    case 2: return {kFp32, kFp16};
    case 3: return {kFp16, kFp16};
    case 4: return {kBfp8, kBfp8};
    case 5: return chance(50) ? Format{kBfp4, kBfp4} : Format{kBfp2, kBfp2};
    case 6: return topic_ == Topic::Unpack || topic_ == Topic::Moves ? Format{kInt16, kInt16} : Format{kBf16, kBf16};
    case 7: return {kFp8, kFp8};
    default: return {kBf16, kBf16};
  }
}

// Formats of the whole program: what arrives in SrcA and SrcB, how wide Dst is, how the packer reads it.
void ProgramMaker::set_alu() {
  int8_ = topic_ != Topic::Pack && topic_ != Topic::Pool && topic_ != Topic::UnpackToDst && chance(8);
  fp32_dst_ = !int8_ && chance(50);
  format_a_ = source_format();
  do format_b_ = chance(70) ? format_a_ : source_format();
  while (is_fp16_family(format_a_.out) != is_fp16_family(format_b_.out));
  if (topic_ == Topic::Tilize)
    format_a_ = chance(60) ? Format{kBf16, kBf16} : chance(50) ? Format{kFp32, kTf32} : Format{kFp16, kFp16};
  if (topic_ == Topic::UnpackToDst)
    format_a_ = chance(60) ? Format{kFp32, kFp32} : chance(50) ? Format{kInt32, kInt32} : Format{kFp32, kTf32};
  if (topic_ == Topic::Pool && chance(70)) {
    format_a_ = chance(50) ? Format{kBf16, kBf16} : Format{kFp32, kTf32};
    format_b_ = {kBf16, kBf16};
    scale_of_one_ = true;
  }

  const bool moves_only = topic_ == Topic::Unpack || topic_ == Topic::Tilize;
  dst_is_wide_ = moves_only ? format_a_.out == kTf32 : topic_ == Topic::UnpackToDst ? true : int8_ || fp32_dst_;
  if (topic_ == Topic::Pack) dst_is_wide_ = chance(60);
  if (topic_ == Topic::Vector) fp32_dst_ = dst_is_wide_ = true, int8_ = false;
  const bool narrow_fp16 = is_fp16_family(format_a_.out);
  if (int8_ && dst_is_wide_) {
    pack_in_ = pack_out_ = chance(60) ? kInt32 : kInt8;
  } else if (topic_ == Topic::Vector) {
    pack_in_ = pack_out_ = kInt32;  // all bits as they are
  } else if (dst_is_wide_) {
    static constexpr std::array<unsigned, 2> kWide[] = {{0, 0},  {0, 0}, {5, 5},  {0, 1}, {0, 6}, {0, 7},
                                                        {0, 15}, {1, 1}, {1, 10}, {6, 6}, {6, 7}, {8, 8}};
    const auto& p = kWide[topic_ == Topic::Pack ? pick(0, std::size(kWide) - 1) : pick(0, 3)];
    pack_in_ = p[0], pack_out_ = p[1];
    round_10b_ = pack_in_ == 1;
  } else if (narrow_fp16 && topic_ != Topic::Pack) {
    static constexpr std::array<unsigned, 2> kNarrow16[] = {{1, 1}, {1, 1}, {1, 0}, {1, 5}, {1, 10}, {2, 6}};
    const auto& p = kNarrow16[pick(0, std::size(kNarrow16) - 1)];
    pack_in_ = p[0], pack_out_ = p[1];
  } else if (format_a_.out == kInt16 || (int8_ && !dst_is_wide_)) {
    pack_in_ = pack_out_ = kInt16;
  } else {
    static constexpr std::array<unsigned, 2> kNarrow[] = {{5, 5}, {5, 5}, {5, 0}, {9, 9}, {5, 6}, {5, 7},  {5, 15},
                                                          {6, 0}, {6, 5}, {6, 6}, {6, 7}, {1, 1}, {1, 10}, {2, 6}};
    const auto& p = kNarrow[topic_ == Topic::Pack ? pick(0, std::size(kNarrow) - 1) : pick(0, 3)];
    pack_in_ = p[0], pack_out_ = p[1];
  }

  w(0, 0);
  w(1, format_a_.out << 17 | format_b_.out << 21 | pack_in_ << 25 | uint32_t{fp32_dst_} << 29 |
           (topic_ == Topic::Vector && chance(50) ? 1u << 30 : 0) | uint32_t{int8_} << 31 |
           (int8_ && chance(30) ? 1u << 15 : 0) | (int8_ && chance(30) ? 1u << 16 : 0));
  const uint32_t relu = topic_ != Topic::Vector && pack_in_ != kInt16 && pack_in_ != kInt8 && chance(25)
                            ? (pack_in_ == kInt32 ? 1 : pick(1, 3))
                            : 0;
  const uint32_t threshold = pack_in_ == kFp16 && !dst_is_wide_ ? pick(0, 0x7C00) : pick(0x3C00, 0x4200);
  const bool keep_denormals = format_a_.out == kInt16 || (topic_ == Topic::Moves && chance(20));
  w(2, relu << 2 | threshold << 6 | uint32_t{keep_denormals});
  w(220, topic_ == Topic::Clears && chance(30) ? 8 : 0);
  script_ << '\n';
}

void ProgramMaker::set_unpacker(unsigned n, Format format, uint32_t address) {
  const unsigned base = n ? 112 : 64;
  const bool free_form = topic_ == Topic::Unpack;
  const uint32_t x_dim = free_form ? one_of(16, 32, 64, 256, 1024) : topic_ == Topic::Tilize ? 1024 : 256;
  w(base, format.in | 0x10 | x_dim << 16);
  w(base + 1, (free_form ? pick(1, 4) : 1) | (free_form ? pick(1, 4) : 4) << 16);
  uint32_t mode = format.out | 2 << 4;
  if (n == 0 && topic_ == Topic::Tilize) mode |= 0x200 | pick(4, 8) << 16;
  if (n == 0 && topic_ != Topic::Tilize && topic_ != Topic::UnpackToDst && chance(20)) mode |= 0x100;
  w(base + 8, mode);
  w(base + 9, topic_ == Topic::UnpackToDst && n == 0 ? 0xFF : 0xF);
  const uint32_t offset = n == 0 && chance(20) ? pick(0, 4) : 0;
  w(base + 12, address / 16 - 1 - offset);
  w(base + 13, address / 16 - 1 - offset);
  const uint32_t dest = 64 + (free_form                      ? 16 * one_of(0, 0, 16, 32, 48)
                              : topic_ == Topic::UnpackToDst ? 16 * pick(0, 60) * 4
                                                             : 0);
  if (n == 0) {
    w(base + 20, dest | dest << 16);
    w(base + 22, x_dim | x_dim << 16);
    w(base + 28, offset), w(base + 29, offset);
  }
  if (n == 0) {
    w(50, free_form && chance(50) ? 0x100 : 0);
    w(56, (free_form ? 16 * element_bytes(format.out) * pick(0, 2) * 8 : 0) << 16);
    w(57, free_form ? 256 * element_bytes(format.out) : 0);
  } else {
    w(59, free_form ? 256 * element_bytes(format.out) : 0);
  }
  if (format.out == kFp8) w(n ? 119 : 71, chance(50) ? 1u << 22 : 0);
  script_ << '\n';
}

// Increments that keep rows aligned the way the simulator wants them.
void ProgramMaker::set_modifiers() {
  const bool matrix = topic_ == Topic::MatrixProduct || topic_ == Topic::Pool;
  const unsigned step_a = matrix ? 16 : 8, step_d = topic_ == Topic::Pool ? 4 : 8;
  for (const unsigned thread_word : {12u + kStill, 28u + kStill, 47u + kStill}) t(thread_word, 0);
  for (unsigned m = 0; m < kStill; ++m) {
    uint32_t ab = step_a * pick(0, 64 / step_a - 1) | 8 * pick(0, 7) << 8;
    ab |= chance(20) ? 1u << 6 : 0;
    ab |= chance(10) ? 1u << 7 : 0;
    ab |= chance(20) ? 1u << 14 : 0;
    ab |= chance(10) ? 1u << 15 : 0;
    t(12 + m, ab);
    uint32_t d = step_d * pick(0, 12);
    const unsigned kind = pick(0, 9);
    d |= kind == 0 ? 1u << 10 : kind == 1 ? 1u << 11 : kind == 2 ? 1u << 12 : 0;
    if (matrix || topic_ == Topic::Elementwise) d |= chance(40) ? pick(0, 3) << 13 : chance(30) ? 1u << 15 : 0;
    t(28 + m, d);
    t(47 + m, 0);
  }
  for (unsigned m = 0; m < 4; ++m) {
    const uint32_t y = 4 * pick(0, 2);
    t(37 + m, y | (chance(20) ? 1u << 4 : 0) | (chance(15) ? 1u << 5 : 0) | (chance(30) ? 1u << 12 : 0) |
                  (chance(15) ? 1u << 13 : 0));
  }
  script_ << '\n';
}

void ProgramMaker::unpack_all(unsigned n) {
  push(SETADCXX{.x_start = 0, .x_end2 = 1023, .cnt_set_mask = 1u << n}.encode());
  push(SETADCXY{.bit_mask = 0xA, .cnt_set_mask = 1u << n}.encode());
  push(SETADCZW{.bit_mask = 0xF, .cnt_set_mask = 1u << n}.encode());
  push(
      UNPACR{.last = 1, .set_dat_valid = topic_ != Topic::UnpackToDst, .ovrd_thread_id = 1, .unpack_block_selection = n}
          .encode());
}

void ProgramMaker::unpack_some(unsigned n) {
  const uint32_t first = chance(60) ? 0 : 16 * pick(0, 3);
  push(SETADCXX{.x_start = first,
                .x_end2 = first + 16 * pick(1, 16) - (chance(20) ? pick(0, 15) : 0) - 1,
                .cnt_set_mask = 1u << n}
           .encode());
  push(SETADCXY{.bit_mask = 0xA, .ch0_y = pick(0, 2), .ch1_y = n ? 0 : pick(0, 1), .cnt_set_mask = 1u << n}.encode());
  push(SETADCZW{.bit_mask = 0xF, .ch0_z = pick(0, 2), .ch1_z = pick(0, 1), .cnt_set_mask = 1u << n}.encode());
  const unsigned count = pick(1, 3);
  for (unsigned k = 0; k < count; ++k) {
    if (chance(20)) push(INCADCXY{.ch0_y = pick(0, 1), .cnt_set_mask = 1u << n}.encode());
    if (chance(20)) push(INCADCZW{.ch0_z = 1, .ch1_z = pick(0, 1), .cnt_set_mask = 1u << n}.encode());
    const uint32_t increments = pick(0, 2) | pick(0, 1) << 2 | pick(0, 1) << 4;
    push(UNPACR{.last = 1,
                .set_dat_valid = k + 1 == count,
                .ovrd_thread_id = 1,
                .addr_mode = increments,
                .unpack_block_selection = n}
             .encode());
  }
}

// All bits of Dst from L1 (32-bit view, logical rows 0..63), or moves from SrcA.
void ProgramMaker::fill_dst() {
  push(SETRWC{.bit_mask = 15}.encode());
  for (unsigned r = 0; r < 64; r += 8) push(MOVA2D{.dst = r, .instr_mod = 2, .addr_mode = kStill, .src = r}.encode());
}

void ProgramMaker::matrix_instruction() {
  const uint32_t dst = 8 * pick(0, 7), am = pick(0, 7);
  const uint32_t clear = 0;
  if (topic_ == Topic::MatrixProduct) {
    push(MVMUL{.dst = dst, .addr_mode = am, .clear_dvalid = clear}.encode());
  } else if (topic_ == Topic::Pool) {
    if (scale_of_one_ && chance(60)) {
      push(GMPOOL{.dst = dst + 4 * pick(0, 1), .pool_addr_mode = am, .instr_mod19 = 1}.encode());
    } else {
      push(GAPOOL{.dst = dst + 4 * pick(0, 1), .pool_addr_mode = am, .instr_mod19 = 1}.encode());
    }
  } else {
    const uint32_t broadcast = chance(50) ? 0 : pick(1, 3);
    switch (pick(0, 2)) {
      case 0: push(ELWMUL{.dst = dst, .addr_mode = am, .instr_mod19 = broadcast}.encode()); break;
      case 1:
        push(SETRWC{.bit_mask = 8}.encode());
        push(ELWADD{.dst = dst, .addr_mode = am, .instr_mod19 = broadcast, .dest_accum_en = pick(0, 1)}.encode());
        break;
      default:
        push(SETRWC{.bit_mask = 8}.encode());
        push(ELWSUB{.dst = dst, .addr_mode = am, .instr_mod19 = broadcast, .dest_accum_en = pick(0, 1)}.encode());
        break;
    }
  }
}

void ProgramMaker::move_instruction() {
  const bool counted = chance(50);  // rows from the counters, or from the instruction
  if (!counted) push(SETRWC{.bit_mask = 15}.encode());
  const uint32_t am = counted ? pick(0, 7) : kStill;
  const uint32_t dst = 8 * pick(0, 7), src = counted ? 0 : 8 * pick(0, 7);
  switch (pick(0, 7)) {
    case 0:
      push(MOVA2D{.dst = dst, .instr_mod = 2, .addr_mode = am, .src = src, .dest_32b_lo = chance(15)}.encode());
      break;
    case 1:
      push(MOVB2D{.dst = dst, .movb2d_instr_mod = pick(2, 5), .addr_mode = am, .src = src, .dest_32b_lo = chance(15)}
               .encode());
      break;
    case 2: push(MOVD2A{.dst = dst, .instr_mod = 2, .addr_mode = am, .src = src}.encode()); break;
    case 3:
      push(MOVD2B{.dst = dst, .instr_mod = one_of(0, 2), .addr_mode = am, .src = src, .dest_32b_lo = chance(20)}
               .encode());
      break;
    case 4:
      push(MOVB2A{.srcb = src, .instr_mod = 2, .addr_mode = am, .srca = counted ? 0 : 8 * pick(0, 7)}.encode());
      break;
    case 5: push(TRNSPSRCB{}.encode()); break;
    case 6: push(ZEROSRC{.src_mask = pick(1, 3), .write_mode = 1}.encode()); break;
    default: clear_instruction(); break;
  }
}

void ProgramMaker::clear_instruction() {
  const uint32_t am = pick(0, 7);
  const uint32_t a = topic_ == Topic::MatrixProduct || topic_ == Topic::Pool ? 0 : 8 * pick(0, 1);
  switch (pick(0, 6)) {
    case 0: push(ZEROACC{.where = pick(0, 63), .addr_mode = am}.encode()); break;
    case 1: push(ZEROACC{.where = pick(0, 7), .addr_mode = am, .clear_mode = 1}.encode()); break;
    case 2: push(ZEROACC{.where = pick(0, 7), .addr_mode = am, .use_32_bit_mode = 1, .clear_mode = 1}.encode()); break;
    case 3:
      push(ZEROACC{.where = pick(0, 7), .addr_mode = am, .clear_zero_flags = 1, .use_32_bit_mode = 1, .clear_mode = 1}
               .encode());
      break;
    case 4: push(ZEROACC{.where = pick(0, 1), .clear_mode = 2}.encode()); break;
    case 5:
      push(SETRWC{.bit_mask = pick(0, 7), .rwc_a = a, .rwc_b = 8 * pick(0, 1), .rwc_d = 8 * pick(0, 1)}.encode());
      break;
    default:
      push(INCRWC{.rwc_a = a, .rwc_b = 8 * pick(0, 1), .rwc_d = 8 * pick(0, 1), .rwc_cr = one_of(0, 4)}.encode());
      break;
  }
}

void ProgramMaker::work() {
  push(SETRWC{.bit_mask = 15}.encode());
  const unsigned steps = pick(1, 24);
  for (unsigned n = 0; n < steps; ++n) {
    if (chance(5)) t(1, 64 * pick(0, 3));
    switch (topic_) {
      case Topic::MatrixProduct:
      case Topic::Elementwise:
      case Topic::Pool:
        if (chance(85)) {
          matrix_instruction();
        } else {
          clear_instruction();
        }
        break;
      case Topic::Moves: move_instruction(); break;
      case Topic::Clears: clear_instruction(); break;
      default: return;
    }
  }
  script_ << '\n';
}

void ProgramMaker::set_packer() {
  const unsigned e = element_bytes(pack_in_);
  w(12, 16 * e << 16 | e);
  w(13, 1024 * e << 16 | 256 * e);
  w(14, 0), w(15, 0), w(17, 0);
  w(18, uint32_t{dst_is_wide_} | (pack_in_ == kInt8 && chance(50) ? 2u : 0) | uint32_t{round_10b_} << 3);
  edges_ = topic_ == Topic::Pack && chance(40);
  if (edges_) {
    w(20, 0x11111111 * pick(0, 1)), w(21, static_cast<uint32_t>(random_()) & 0x55555555);
    w(24, one_of(0, 1, 0xFFFF) | one_of(0, 0x55, 1) << 17), w(25, one_of(0, 1, 0xFFFF));
    w(28, one_of(4, 8, 12, 16) << 8);
  } else {
    w(20, 0), w(24, 0xFFFF), w(28, 0x1000);
  }
  const bool bfp = pack_out_ == kBfp8 || pack_out_ == kBfp4 || pack_out_ == kBfp2;
  w(68, bfp ? 0x00040000 : 0);
  w(69, kOutput / 16 - 1);
  w(70, 1 | pack_out_ << 4 | pack_in_ << 8);
  const bool accumulate =
      topic_ == Topic::Pack && (pack_out_ == kFp32 || pack_out_ == kBf16 || pack_out_ == kFp16) && chance(30);
  const bool unpack_fp8 = format_a_.out == kFp8;
  if (!unpack_fp8 || pack_out_ == kFp8 || accumulate)
    w(71, (accumulate ? 1u << 19 : 0) | (pack_out_ == kFp8 ? 1u << 23 : 0));
  w(180, topic_ == Topic::Pack ? 4 * pick(0, 4) : 0);
  script_ << '\n';
}

void ProgramMaker::pack_all() {
  t(37, 4), t(38, 0x20);
  push(SETADCXX{.x_start = 0, .x_end2 = 15, .cnt_set_mask = 4}.encode());
  push(SETADCXY{.bit_mask = 0xA, .cnt_set_mask = 4}.encode());
  push(SETADCZW{.bit_mask = 0xF, .cnt_set_mask = 4}.encode());
  for (unsigned n = 0; n < 63; ++n) push(PACR{}.encode());
  push(PACR{.last = 1, .addr_mode = 1}.encode());
}

void ProgramMaker::pack_some() {
  const bool narrow_rows = chance(15) && !edges_ && pack_out_ != kBfp8 && pack_out_ != kBfp4 && pack_out_ != kBfp2;
  push(SETADCXX{.x_start = 0, .x_end2 = narrow_rows ? 7u : 15u, .cnt_set_mask = 4}.encode());
  push(SETADCXY{.bit_mask = 0xA, .ch0_y = 4 * pick(0, 1), .cnt_set_mask = 4}.encode());
  push(SETADCZW{.bit_mask = 0xF, .ch0_z = pick(0, 1), .cnt_set_mask = 4}.encode());
  const unsigned tiles = pick(1, 3);
  for (unsigned tile = 0; tile < tiles; ++tile) {
    if (tile) w(69, kOutput / 16 - 1 + 0x80 * tile);
    const unsigned count = pick(1, 20);
    for (unsigned n = 0; n < count; ++n) {
      const uint32_t interfaces = narrow_rows ? 1 : edges_ ? 0 : one_of(0, 0, 0, 1, 3, 5);
      push(PACR{.last = n + 1 == count, .read_intf_sel = interfaces, .addr_mode = pick(0, 3)}.encode());
    }
    script_ << "drain\n";
  }
}

std::string ProgramMaker::make() {
  script_ << "hart T1\n";
  set_alu();
  const bool to_dst_first = topic_ == Topic::Vector || (topic_ == Topic::Pack && dst_is_wide_);
  if (to_dst_first) {  // every bit of a 32-bit Dst
    format_a_ = {kFp32, kFp32};
  }
  set_unpacker(0, format_a_, kInputA);
  if (to_dst_first) script_ << "w72=32 w73=255 ";  // no transposition there
  set_unpacker(1, format_b_, kInputB);
  set_packer();
  for (const unsigned index : {0u, 1u, 2u, 3u, 7u, 41u}) t(index, 0);
  const bool to_dst = to_dst_first || topic_ == Topic::UnpackToDst;
  t(5, to_dst ? 0 : 4);
  set_modifiers();
  push(STALLWAIT{.wait_res = 0x400, .stall_res = 0x1FF}.encode());
  if (chance(20) && !to_dst) t(41, 0x0101);
  if (to_dst) {
    push(SETADCXX{.x_start = 0, .x_end2 = 1023, .cnt_set_mask = 1}.encode());
    push(SETADCXY{.bit_mask = 0xA, .cnt_set_mask = 1}.encode());
    push(SETADCZW{.bit_mask = 0xF, .cnt_set_mask = 1}.encode());
    push(UNPACR{.last = 1, .ovrd_thread_id = 1}.encode());
  } else {
    if (topic_ == Topic::Unpack) {
      unpack_some(0);
      unpack_some(1);
    } else {
      unpack_all(0);
      unpack_all(1);
    }
    script_ << '\n';
    if (topic_ == Topic::Clears || topic_ == Topic::Moves || topic_ == Topic::Unpack || topic_ == Topic::Tilize ||
        topic_ == Topic::Pack || chance(30)) {
      fill_dst();
    }
    if (topic_ == Topic::Unpack) {  // SrcB behind it
      push(SETRWC{.bit_mask = 15}.encode());
      for (unsigned r = 0; r < 64; r += 4)
        push(MOVB2D{.dst = 64 + r, .movb2d_instr_mod = 4, .addr_mode = kStill, .src = r}.encode());
    }
  }
  if (topic_ == Topic::Vector) {
    vector_work();
  } else {
    work();
  }
  script_ << '\n';
  push(STALLWAIT{.wait_res = 0x10, .stall_res = 4}.encode());
  if (topic_ == Topic::Pack) {
    pack_some();
  } else {
    pack_all();
  }
  push(STALLWAIT{.wait_res = 8, .stall_res = 2}.encode());
  script_ << "drain\nrun\n";

  std::string body = script_.str();
  script_.str({});
  data(kInputA, format_a_.in);

  if (scale_of_one_) {
    script_ << "words " << kInputB;
    for (unsigned n = 0; n < 512; ++n) script_ << " 0x3F803F80";
    script_ << '\n';
  } else {
    data(kInputB, format_b_.in);
  }
  const bool dirty_output = chance(50);
  if (dirty_output) data(kOutput, pack_out_ == kFp32 ? kFp32 : kBf16);
  return script_.str() + body;
}

}  // namespace kerr::emu
