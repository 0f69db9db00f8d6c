#include <algorithm>
#include <array>
#include <cstdio>

#include "oracle/tile_case.hpp"

namespace kerr::oracle {
namespace {

constexpr uint32_t kTiles = 0x20000, kTileBytes = 0x1000, kTileCount = 8, kOut = 0x40000;
constexpr unsigned kRowsPacked = 128;  // of Dst

struct SourceFormat {
  unsigned l1, cell, bytes;  // format codes in L1 and in the bank, bytes of a datum
};
constexpr SourceFormat kFormats[] = {{5, 5, 2}, {0, 4, 4}, {1, 1, 2}};

// What the generator must know of the machine so as not to run into a wait forever or into a refusal.
struct AddressModifier {
  unsigned a = 0, b = 0, dst = 0, fidelity = 0;
  bool a_cr = false, a_clear = false, b_cr = false, b_clear = false, dst_cr = false, dst_clear = false,
       fidelity_clear = false;
};

class Generator {
 public:
  Generator(std::mt19937& random, TileCase& out)
      : random_(random), case_(out), format_(kFormats[below(3)]), wide_(below(2)) {}

  void generate() {
    make_tiles();
    configure();
    const unsigned length = 20 + below(80);
    for (unsigned n = 0; n < length; ++n) instruction();
    pack();
    case_.programs[Hart::Trisc1] = program_;
    case_.after = {{kOut, kRowsPacked * 16 * (wide_ ? 4 : 2)}};
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }

  void push(uint32_t word, const char* name) {
    char text[64];
    std::snprintf(text, sizeof text, "%08X %s", word, name);
    case_.text.push_back(text);
    program_.push(word);
  }

  void make_tiles() {
    for (unsigned t = 0; t < kTileCount; ++t) {
      const unsigned spread = 1 + below(12), centre = (format_.cell == 1 ? 15 : 127) - spread / 2;
      std::vector<uint8_t> bytes;
      for (unsigned n = 0; n < 1024; ++n) {
        const unsigned exponent = one_in(8) ? 0 : centre + below(spread), sign = below(2),
                       mantissa = random_() & 0x7FFFFF;
        uint32_t v = sign << 31 | exponent << 23 | mantissa;
        if (format_.cell == 1)
          v = sign << 15 | exponent << 10 | mantissa >> 13;
        else if (format_.bytes == 2)
          v >>= 16;
        for (unsigned k = 0; k < format_.bytes; ++k) bytes.push_back(static_cast<uint8_t>(v >> 8 * k));
      }
      case_.before.push_back({kTiles + t * kTileBytes, bytes});
    }
  }

  void configure() {
    const unsigned pack = wide_ ? 0 : 9;
    program_.config(0, 0).config(1, format_.cell << 17 | format_.cell << 21 | pack << 25 | (wide_ ? 1u << 29 : 0));
    program_.config(2, 0).config(220, 0);
    for (const unsigned n : {64u, 112u}) {
      program_.config(n, 0x01000010 | format_.l1).config(n + 1, 0x00040001);
      program_.config(n + 8, 0x20 | format_.cell).config(n + 9, 0xF);
    }
    program_.config(84, 0x00400040).config(86, 0x01000100).config(92, 0);
    program_.config(50, 0).config(56, 0).config(57, 0).config(71, 0);
    program_.config(12, wide_ ? 0x00400004 : 0x00200002).config(13, wide_ ? 0x10000400 : 0x08000200);
    program_.config(14, 0).config(15, 0).config(17, 0).config(18, wide_).config(20, 0).config(24, 0xFFFF);
    program_.config(28, 0x1000)
        .config(68, 0)
        .config(69, kOut / 16 - 1)
        .config(70, pack << 8 | pack << 4 | 1)
        .config(180, 0);
    for (const unsigned t : {0u, 1u, 2u, 3u, 7u, 41u}) program_.thread_config(t, 0);
    program_.thread_config(5, 4).thread_config(37, 4).thread_config(38, 0x20);
    for (unsigned m = 0; m < 8; ++m) make_modifier(m);
    program_.push(0xA2FF8400).push(0x5E6FFC00).push(0x5E803C00).push(0x51E0000A).push(0x54E0000F);
    program_.push(0x3700000F).push(0x10180000).drain();
  }

  // Steps are multiples of 16 rows of SrcA and 8 of SrcB and Dst, so that no instruction is misaligned.
  void make_modifier(unsigned m) {
    AddressModifier& x = modifier_[m];
    x.a = 16 * below(4);
    x.b = 8 * below(8);
    x.dst = 8 * below(4);
    x.a_cr = one_in(4), x.a_clear = one_in(6), x.b_cr = one_in(4), x.b_clear = one_in(6);
    x.dst_cr = one_in(4), x.dst_clear = one_in(5);
    x.fidelity = one_in(3) ? below(4) : 0;
    x.fidelity_clear = one_in(6);
    program_.thread_config(12 + m, x.a | x.a_cr << 6 | x.a_clear << 7 | x.b << 8 | x.b_cr << 14 | x.b_clear << 15);
    program_.thread_config(28 + m,
                           x.dst | x.dst_cr << 10 | x.dst_clear << 11 | x.fidelity << 13 | x.fidelity_clear << 15);
    program_.thread_config(47 + m, 0);
  }

  struct Counter {
    unsigned value = 0, cr = 0;
    void apply(unsigned step, bool use_cr, bool clear) {
      if (clear)
        value = cr = 0;
      else if (use_cr)
        value = cr = (cr + step) & 63;
      else
        value = (value + step) & 63;
    }
    // A row field of an instruction, a multiple of `step`, that stays inside the bank.
    unsigned field(unsigned random, unsigned step) const { return step * (random % ((64 - value + step - 1) / step)); }
  };

  // The counters restrict what may come next.
  void apply(unsigned m) {
    const AddressModifier& x = modifier_[m];
    a_.apply(x.a, x.a_cr, x.a_clear);
    b_.apply(x.b, x.b_cr, x.b_clear);
    if (x.dst_clear) {
      dst_ = dst_cr_ = 0;
    } else if (x.dst_cr) {
      dst_ = dst_cr_ = (dst_cr_ + x.dst) & 1023;
    } else {
      dst_ = (dst_ + x.dst) & 1023;
    }
    phase_ = x.fidelity_clear ? 0 : (phase_ + x.fidelity) & 3;
  }

  void need_banks(bool a, bool b) {
    while (a && a_valid_ == 0) unpack(0);
    while (b && b_valid_ == 0) unpack(1);
  }

  void unpack(unsigned unpacker) {
    unsigned& valid = unpacker ? b_valid_ : a_valid_;
    if (valid == 2) return;
    program_.drain().config(unpacker ? 124 : 76, (kTiles + below(kTileCount) * kTileBytes) / 16 - 1);
    push(0xA2FF8400, "STALLWAIT");
    push(unpacker ? 0x428000C1 : 0x420000C1, unpacker ? "UNPACR 1" : "UNPACR 0");
    ++valid;
  }

  // Bits 23:22 of an instruction that may release its sources.
  uint32_t clear_dvalid() {
    const unsigned bits = one_in(4) ? below(4) : 0;
    if (bits & 1) --a_valid_;
    if (bits & 2) --b_valid_;
    return bits << 22;
  }

  unsigned dst_field() {
    if (dst_ >= kRowsPacked - 64) reset_dst();
    return 8 * below(8);
  }

  void reset_dst() {
    push(0x37000004, "SETRWC d = 0");
    dst_ = dst_cr_ = 0;
  }

  void reset_phase() {
    if (phase_ == 0) return;
    push(0x37000008, "SETRWC fidelity = 0");
    phase_ = 0;
  }

  void instruction() {
    const unsigned m = below(8);
    const uint32_t am = m << 14, pool_am = m << 15;
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        need_banks(true, true);
        const unsigned dst = dst_field();
        push(0x26000000 | clear_dvalid() | am | dst, "MVMUL");
        apply(m);
        break;
      }
      case 4: {
        need_banks(true, true);
        const unsigned dst = dst_field();
        push(0x27000000 | clear_dvalid() | below(4) << 19 | am | dst, "ELWMUL");
        apply(m);
        break;
      }
      case 5:
      case 6: {
        need_banks(true, true);
        reset_phase();
        const unsigned dst = dst_field();
        push((one_in(2) ? 0x28000000 : 0x30000000) | clear_dvalid() | below(2) << 21 | below(4) << 19 | am | dst,
             "ELWADD/SUB");
        apply(m);
        break;
      }
      case 7: {
        need_banks(true, true);
        const unsigned dst = dst_field();
        push(0x34000000 | clear_dvalid() | 1 << 19 | pool_am | dst, "GAPOOL");
        apply(m);
        break;
      }
      case 8: {
        need_banks(true, false);
        const unsigned dst = dst_field();
        push(0x12002000 | a_.field(below(64), 8) << 17 | am | dst, "MOVA2D");
        apply(m);
        break;
      }
      case 9: {
        need_banks(false, true);
        const unsigned dst = dst_field();
        push(0x13000000 | (2 + below(4)) << 11 | b_.field(below(64), 8) << 17 | am | dst, "MOVB2D");
        apply(m);
        break;
      }
      case 10: {  // FP16 comes back out of a 16-bit Dst only, TF32 out of a 32-bit one
        if (format_.cell == (wide_ ? 1 : 4)) break;
        const unsigned dst = dst_field() + 4 * below(2);
        const bool to_a = one_in(2);
        const unsigned row = (to_a ? a_ : b_).field(below(64), 4);
        push((to_a ? 0x08002000 : 0x0A002000) | row << 17 | am | dst, "MOVD2A/B");
        apply(m);
        break;
      }
      case 11:
        need_banks(false, true);
        push(0x0B002000 | a_.field(below(64), 4) << 17 | am | b_.field(below(64), 4), "MOVB2A");
        apply(m);
        break;
      case 12: {
        const unsigned kind = below(3);
        if (kind == 0)
          push(0x10180000, "ZEROACC all");
        else
          push(0x10080000 | am | (wide_ ? 1u << 18 | below(4) : below(8)), "ZEROACC 16 rows");
        if (kind != 0) apply(m);
        break;
      }
      case 13: set_or_increment(); break;
      case 14:
        if (one_in(2)) {
          need_banks(false, true);
          push(0x16000000, "TRNSPSRCB");
        } else {
          push(0x11000008 | (1 + below(3)), "ZEROSRC");
        }
        break;
      default: unpack(below(2)); break;
    }
  }

  void set_or_increment() {
    if (one_in(2)) {
      const unsigned dst = 8 * below(2), clear = (a_valid_ ? below(2) : 0) | (b_valid_ ? below(2) : 0) << 1;
      if (clear & 1) --a_valid_;
      if (clear & 2) --b_valid_;
      const unsigned mask = below(16), b = 8 * below(2);
      push(0x37000000 | clear << 22 | dst << 14 | b << 10 | mask, "SETRWC");
      if (mask & 1) a_ = {};
      if (mask & 2) b_ = {b, b};
      if (mask & 4) dst_ = dst_cr_ = dst;
      if (mask & 8) phase_ = 0;
    } else {
      const unsigned dst = 8 * below(2), b = 8 * below(2), cr = one_in(2) ? 4 : 0;
      push(0x38000000 | cr << 18 | dst << 14 | b << 10, "INCRWC");
      b_.apply(b, false, false);
      if (cr)
        dst_ = dst_cr_ = (dst_cr_ + dst) & 1023;
      else
        dst_ = (dst_ + dst) & 1023;
    }
  }

  void pack() {
    program_.push(0xA2020010);
    for (unsigned n = 0; n < kRowsPacked / 4 - 1; ++n) program_.push(0x41000000);
    program_.push(0x41008001).push(0xA2010008).drain();
  }

  std::mt19937& random_;
  TileCase& case_;
  SourceFormat format_;
  bool wide_;
  Program program_;
  std::array<AddressModifier, 8> modifier_;
  Counter a_, b_;
  unsigned a_valid_ = 0, b_valid_ = 0, dst_ = 0, dst_cr_ = 0, phase_ = 0;
};

}  // namespace

TileCase random_tensix_case(std::mt19937& random) {
  TileCase c;
  Generator(random, c).generate();
  return c;
}

}  // namespace kerr::oracle
