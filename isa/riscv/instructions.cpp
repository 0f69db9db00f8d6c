#include "isa/riscv/instructions.hpp"

#include <algorithm>
#include <array>

#include "isa/errors.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::isa::riscv {
namespace {

constexpr std::array<Row, kOpCount> kRows = {{
    {Op::Illegal, ".word", Kind::Illegal, Format::None, 0, 0},
    {Op::Ttinsn, ".ttinsn", Kind::Push, Format::Tensix, 0, 0},
#define X(op, method, text, kind, format, match) \
  {Op::op, text, Kind::kind, Format::format, match, kFormats[static_cast<size_t>(Format::format)].fixed_bits},
#include "isa/riscv/instructions.def"
}};

// Rows by major opcode and funct3, so that decoding compares with a handful of rows.
constexpr size_t bucket_of(uint32_t word) { return (word >> 2 & 0x1F) << 3 | (word >> 12 & 7); }

struct Buckets {
  static constexpr size_t kDepth = 24;
  std::array<std::array<uint8_t, kDepth>, 256> rows{};
  std::array<uint8_t, 256> size{};
};

constexpr Buckets kBuckets = [] {
  Buckets b{};
  for (size_t i = 2; i < kRows.size(); ++i) {
    const bool any_funct3 = (kRows[i].mask & 0x7000) == 0;
    for (uint32_t funct3 = 0; funct3 < 8; ++funct3) {
      if (!any_funct3 && funct3 != (kRows[i].match >> 12 & 7)) continue;
      const size_t at = bucket_of((kRows[i].match & ~0x7000u) | funct3 << 12);
      b.rows[at][b.size[at]++] = static_cast<uint8_t>(i);
    }
  }
  return b;
}();

constexpr bool well_formed() {
  for (size_t i = 2; i < kRows.size(); ++i) {
    const Row& a = kRows[i];
    if (a.op != static_cast<Op>(i) || (a.match & ~a.mask) != 0 || (a.match & 3) != 3) return false;
    for (size_t k = 2; k < i; ++k) {
      const uint32_t both = a.mask & kRows[k].mask;
      if ((a.match & both) == (kRows[k].match & both)) return false;  // some word would match two rows
    }
  }
  return true;
}
static_assert(well_formed());

constexpr uint8_t rd_of(uint32_t w) { return w >> 7 & 31; }
constexpr uint8_t rs1_of(uint32_t w) { return w >> 15 & 31; }
constexpr uint8_t rs2_of(uint32_t w) { return w >> 20 & 31; }
constexpr uint8_t rs3_of(uint32_t w) { return w >> 27 & 31; }
constexpr uint8_t rm_of(uint32_t w) { return w >> 12 & 7; }
constexpr int32_t sar(uint32_t w, int n) { return static_cast<int32_t>(w) >> n; }
constexpr int32_t i_imm(uint32_t w) { return sar(w, 20); }
constexpr int32_t s_imm(uint32_t w) { return (sar(w, 25) << 5) | rd_of(w); }
constexpr int32_t b_imm(uint32_t w) {
  return static_cast<int32_t>((static_cast<uint32_t>(sar(w, 31)) << 12) | (w << 4 & 0x800) | (w >> 20 & 0x7E0) |
                              (w >> 7 & 0x1E));
}
constexpr int32_t j_imm(uint32_t w) {
  return static_cast<int32_t>((static_cast<uint32_t>(sar(w, 31)) << 20) | (w & 0xFF000) | (w >> 9 & 0x800) |
                              (w >> 20 & 0x7FE));
}

// Puts operands into a word, each checked against what its field holds.
class Encoder {
 public:
  explicit Encoder(const Row& row) : text_(row.text.data()), word_(row.match) {}

  Encoder& rd(unsigned n) { return reg("rd", n, 7); }
  Encoder& rs1(unsigned n) { return reg("rs1", n, 15); }
  Encoder& rs2(unsigned n) { return reg("rs2", n, 20); }
  Encoder& rs3(unsigned n) { return reg("rs3", n, 27); }
  Encoder& rm(unsigned n) {
    check("rm", n, 0, 7);
    word_ |= n << 12;
    return *this;
  }
  // An unsigned operand of `width` bits at bit `low`.
  Encoder& bits(const char* name, int64_t value, int low, int width) {
    check(name, value, 0, (int64_t{1} << width) - 1);
    word_ |= static_cast<uint32_t>(value) << low;
    return *this;
  }
  Encoder& i_imm(int32_t v) {
    check("imm", v, -2048, 2047);
    word_ |= static_cast<uint32_t>(v) << 20;
    return *this;
  }
  Encoder& s_imm(int32_t v) {
    check("imm", v, -2048, 2047);
    const auto u = static_cast<uint32_t>(v);
    word_ |= (u & 0xFE0) << 20 | (u & 0x1F) << 7;
    return *this;
  }
  Encoder& b_imm(int32_t v) {
    check_even(v, -4096, 4094);
    const auto u = static_cast<uint32_t>(v);
    word_ |= (u & 0x1000) << 19 | (u & 0x7E0) << 20 | (u & 0x1E) << 7 | (u & 0x800) >> 4;
    return *this;
  }
  Encoder& j_imm(int32_t v) {
    check_even(v, -1048576, 1048574);
    const auto u = static_cast<uint32_t>(v);
    word_ |= (u & 0x100000) << 11 | (u & 0x7FE) << 20 | (u & 0x800) << 9 | (u & 0xFF000);
    return *this;
  }
  Encoder& u_imm(int32_t v) {
    if ((v & 0xFFF) != 0) throw_range(text_, "imm (must be a multiple of 4096)", v, INT32_MIN, INT32_MAX & ~0xFFF);
    word_ |= static_cast<uint32_t>(v);
    return *this;
  }
  uint32_t word() const { return word_; }

 private:
  Encoder& reg(const char* name, unsigned n, int low) { return bits(name, n, low, 5); }
  void check(const char* name, int64_t v, int64_t low, int64_t high) const {
    if (v < low || v > high) throw_range(text_, name, v, low, high);
  }
  void check_even(int32_t v, int32_t low, int32_t high) const {
    check("offset", v, low, high);
    if (v & 1) throw_range(text_, "offset (must be even)", v, low, high);
  }

  const char* text_;
  uint32_t word_;
};

}  // namespace

std::span<const Row, kOpCount> rows() { return kRows; }

const Row& row(Op op) { return kRows[static_cast<size_t>(op)]; }

const Row* find(std::string_view text) {
  const auto it = std::find_if(kRows.begin() + 2, kRows.end(), [&](const Row& r) { return r.text == text; });
  return it == kRows.end() ? nullptr : &*it;
}

Instruction decode(uint32_t w) {
  if (is_ttinsn(w)) return {.op = Op::Ttinsn, .imm = static_cast<int32_t>(tensix_of(w))};
  const size_t bucket = bucket_of(w);
  const auto candidates = std::span(kBuckets.rows[bucket]).first(kBuckets.size[bucket]);
  const auto found =
      std::ranges::find_if(candidates, [&](uint8_t row) { return (w & kRows[row].mask) == kRows[row].match; });
  if (found == candidates.end()) return {.imm = static_cast<int32_t>(w)};
  Instruction i{.op = kRows[*found].op};
  switch (kRows[*found].format) {
    case Format::Register:
    case Format::FRegister:
    case Format::FCompare: i.rd = rd_of(w), i.rs1 = rs1_of(w), i.rs2 = rs2_of(w); break;
    case Format::Unary:
    case Format::FMoveOut:
    case Format::FMoveIn: i.rd = rd_of(w), i.rs1 = rs1_of(w); break;
    case Format::Immediate:
    case Format::Load:
    case Format::FLoad: i.rd = rd_of(w), i.rs1 = rs1_of(w), i.imm = i_imm(w); break;
    case Format::Shift: i.rd = rd_of(w), i.rs1 = rs1_of(w), i.imm = rs2_of(w); break;
    case Format::Store:
    case Format::FStore: i.rs1 = rs1_of(w), i.rs2 = rs2_of(w), i.imm = s_imm(w); break;
    case Format::Branch: i.rs1 = rs1_of(w), i.rs2 = rs2_of(w), i.imm = b_imm(w); break;
    case Format::Jump: i.rd = rd_of(w), i.imm = j_imm(w); break;
    case Format::Upper: i.rd = rd_of(w), i.imm = static_cast<int32_t>(w & 0xFFFFF000); break;
    case Format::Csr: i.rd = rd_of(w), i.rs1 = rs1_of(w), i.csr = static_cast<uint16_t>(w >> 20); break;
    case Format::CsrImmediate: i.rd = rd_of(w), i.imm = rs1_of(w), i.csr = static_cast<uint16_t>(w >> 20); break;
    case Format::Amo: i.rd = rd_of(w), i.rs1 = rs1_of(w), i.rs2 = rs2_of(w), i.imm = w >> 25 & 3; break;
    case Format::Fence: i.imm = static_cast<int32_t>(w >> 20); break;
    case Format::FRounded: i.rd = rd_of(w), i.rs1 = rs1_of(w), i.rs2 = rs2_of(w), i.rm = rm_of(w); break;
    case Format::FFused:
      i.rd = rd_of(w), i.rs1 = rs1_of(w), i.rs2 = rs2_of(w), i.rs3 = rs3_of(w), i.rm = rm_of(w);
      break;
    case Format::FToInteger:
    case Format::FFromInteger: i.rd = rd_of(w), i.rs1 = rs1_of(w), i.rm = rm_of(w); break;
    case Format::Plain:
    case Format::None:
    case Format::Tensix: break;
  }
  return i;
}

uint32_t encode(const Instruction& i) {
  const Row& r = row(i.op);
  Encoder e(r);
  switch (r.format) {
    case Format::None: return static_cast<uint32_t>(i.imm);
    case Format::Tensix: {
      const auto word = static_cast<uint32_t>(i.imm);
      if (word >= tensix::kFirstInvalidWord) throw_range(".ttinsn", "word", word, 0, tensix::kFirstInvalidWord - 1);
      return ttinsn(word);
    }
    case Format::Register:
    case Format::FRegister:
    case Format::FCompare: return e.rd(i.rd).rs1(i.rs1).rs2(i.rs2).word();
    case Format::Unary:
    case Format::FMoveOut:
    case Format::FMoveIn: return e.rd(i.rd).rs1(i.rs1).word();
    case Format::Immediate:
    case Format::Load:
    case Format::FLoad: return e.rd(i.rd).rs1(i.rs1).i_imm(i.imm).word();
    case Format::Shift: return e.rd(i.rd).rs1(i.rs1).bits("shift amount", i.imm, 20, 5).word();
    case Format::Store:
    case Format::FStore: return e.rs1(i.rs1).rs2(i.rs2).s_imm(i.imm).word();
    case Format::Branch: return e.rs1(i.rs1).rs2(i.rs2).b_imm(i.imm).word();
    case Format::Jump: return e.rd(i.rd).j_imm(i.imm).word();
    case Format::Upper: return e.rd(i.rd).u_imm(i.imm).word();
    case Format::Csr: return e.rd(i.rd).rs1(i.rs1).bits("csr", i.csr, 20, 12).word();
    case Format::CsrImmediate: return e.rd(i.rd).bits("imm", i.imm, 15, 5).bits("csr", i.csr, 20, 12).word();
    case Format::Amo: return e.rd(i.rd).rs1(i.rs1).rs2(i.rs2).bits("aq/rl", i.imm, 25, 2).word();
    case Format::Fence: return e.bits("fm/pred/succ", i.imm, 20, 12).word();
    case Format::Plain: return e.word();
    case Format::FRounded: return e.rd(i.rd).rs1(i.rs1).rs2(i.rs2).rm(i.rm).word();
    case Format::FFused: return e.rd(i.rd).rs1(i.rs1).rs2(i.rs2).rs3(i.rs3).rm(i.rm).word();
    case Format::FToInteger:
    case Format::FFromInteger: return e.rd(i.rd).rs1(i.rs1).rm(i.rm).word();
  }
  return 0;
}

}  // namespace kerr::isa::riscv
