// Whole compute kernels, three threads each, as docs/hardware/kernels.md 3 builds them, with the checksums of 3.12.
#include <cstdio>
#include <sstream>

#include "tests/emu/tensix/datapath/lone_script.hpp"

namespace kerr::emu {
namespace {

constexpr uint32_t kX = 0x40000, kY = 0x41000, kOut = 0x42000;

std::string test_tile(uint32_t address, unsigned s) {
  std::ostringstream out;
  for (unsigned n = 0; n < 1024; n += 2) {
    if (n % 32 == 0) out << "\nwords " << address + 2 * n;
    uint32_t word = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const unsigned k = n + h, face = k / 256, i = face / 2 * 16 + k % 256 / 16, j = face % 2 * 16 + k % 16;
      word |= (((3 * i + j + s) & 1) << 15 | (120 + (i + 2 * j + s) % 8) << 7 | (29 * i + 13 * j + 7 * s) % 128)
              << 16 * h;
    }
    out << ' ' << word;
  }
  return out.str() + "\n";
}

std::string mop(std::initializer_list<uint32_t> words) {
  std::ostringstream out;
  unsigned n = 0;
  for (const uint32_t w : words) out << 'm' << n++ << '=' << w << ' ';
  return out.str() + "\n";
}
std::string words(std::initializer_list<uint32_t> all) {
  std::ostringstream out;
  for (const uint32_t w : all) {
    char text[12];
    std::snprintf(text, sizeof text, "0x%08X ", w);
    out << text;
  }
  return out.str() + "\n";
}

constexpr uint32_t kNop = 0x02000000;
constexpr uint32_t kA1 = 0x420080C1, kB1 = 0x428080C1, kB0 = 0x428000C1;

struct Kernel {
  const char* name;
  std::string t0, t1;  // everything after the common initialisation
  uint32_t crc;
  bool fp32 = false;   // Dst and output
  std::string edges;   // words of the packer's edge mask, if any
  uint16_t scale = 0;  // not 0: instead of Y, a tile with this in row 0 of each face
};

// kernels.md 3.1: `x` sets the X ends of both unpackers; SrcA is read from `a`, SrcB from `b`.
std::string unpack_thread(std::initializer_list<uint32_t> x, uint32_t a, uint32_t b, const std::string& body) {
  std::ostringstream out;
  out << "hart T0\n"
      << words({0x5160000B, 0x5460000F}) << "w57=512 w59=512\n"
      << words({0xA0000000, 0xB3FF0000, 0xB47F0000})
      << words({0xB3070001, 0xB4800001, 0xB5010001, 0xB3010002, 0xB5400047, 0xB5400077, 0xA1000000})
      << "w64=0x15 w65=0x00040001 w112=0x01000015 w113=0x00040001 w72=0x25 w120=0x25 w73=0x000F000F w121=0x000F000F\n"
      << words(x) << "w84=0x00400040 w86=0x01000100\n"
      << words({0xB2050004}) << "w50=0x100\n"
      << words({0xB2290000, 0x45008048, 0x4500804A}) << "drain\n"
      << "w76=" << a / 16 - 1 << " w124=" << b / 16 - 1 << " *0xFFE80034=0\n"
      << body << words({0xA5000080, 0xB2290101}) << "drain\n";
  return out.str();
}

// 3.4: `modifiers`, MOP and body of the operation.
std::string math_thread(const std::string& modifiers, const std::string& body, bool fp32) {
  return "hart T1\n" + modifiers +
         words({0xB2070000, 0x3700000F, 0xA3200008, 0xB2010000, 0xB30800DC, 0xA2400010, fp32 ? 0xB6E06001 : 0xB6E00001,
                0xA6A1000A, 0xB2010000}) +
         body + words({0xA2010810, 0xA4000008, 0xA2400810, 0xB2010200}) + "drain\n";
}

// 3.7
std::string pack_thread(bool fp32, const std::string& edges) {
  const std::string strides = fp32 ? words({0x45000038, 0x45004039, 0x4504003A, 0x4510003B})
                                   : words({0x45000038, 0x45002039, 0x4502003A, 0x4508003B});
  return "hart T2\n" + strides + words({0xA2400001, 0xB01C000C, 0xB01D000D, kNop, kNop, 0xA0000000}) +
         words(
             {fp32 ? 0xB61E0001 : 0xB61E0A01, 0xB3FC0002, 0xB4FF0002, 0xB53F0002, 0xA1000000, 0xB5900047, 0xB6FF0047}) +
         (fp32 ? "w68=0 w70=1 w18=1 w28=0x1000 w24=0xFFFF w20=0\n"
               : "w68=0 w70=0x551 w18=0 w28=0x1000 w24=0xFFFF w20=0\n") +
         words({0x5E803C00, 0xB2250104, 0xB2262820, 0xB2271120}) + edges + "\n" +
         mop({4, 4, kNop, kNop, kNop, 0x41000000, kNop, 0x41008001, 0x41010000}) +
         words({0xA2108008, 0x45000008, 0x45020010, 0xA2400001, 0xB00480B4, 0x60000000, 0x60000000, 0x5180000B,
                0x5480000F}) +
         words({0xA6008009, 0x508C0000, 0x4541FF18, 0x45800019, 0xA2400001, 0xB00C0045, 0x45000019, 0x60000000,
                0x60000000}) +
         words({0x01800000, 0x54800005, 0xA2200008, 0x10104000, 0xA5000008, 0xB00880B4, 0x60000000, 0x60000000}) +
         "drain\n";
}

std::string unpack_matmul() {
  return unpack_thread(
      {0x5E2FFC00, 0x5E4FFC00}, kY, kX,
      mop({0, 0, kNop, 0x04000060, kNop, kNop, kNop, 0x04018060, kNop}) +
          words({0x040000C1, 0x420000C1, 0xB10C004C, 0x5800C324, 0xA2400001, 0xB00C004C, kNop, 0x420000C1, 0xB10C004D,
                 0x5800C324, 0xA2400001, 0xB00C004D, kNop, 0x5460000F, 0xA2040400, kB0, 0x01000000}));
}

Kernel matmul(const char* name, unsigned phases, uint32_t crc, bool fp32 = false) {
  const bool low_fidelity = phases == 1;
  std::string modifiers = words({0xB20C0800, 0xB21C0008, 0xB22F0000, 0xB20D4010, 0xB21D0008, 0xB2300000, 0xB20E6040,
                                 0xB21E0008, 0xB2310000, 0xB2107060, 0xB2200400, 0xB2330000, 0xB211C0C0,
                                 low_fidelity ? 0xB2210C00 : 0xB2212C00, 0xB2340000, 0x04040101});
  uint32_t body[16];
  const unsigned modifier[16] = {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
  for (unsigned n = 0; n < 16; ++n) body[n] = 0x26000000 | modifier[n] << 14;
  if (low_fidelity) body[15] |= 1u << 22;  // gives SrcA back
  for (const uint32_t w : body) modifiers += words({w});
  modifiers += mop({1, phases, kNop, low_fidelity ? kNop : 0x3740000F, kNop, 0x04040100, kNop, 0x04040100, 0x04040100});
  return {name, unpack_matmul(), math_thread(modifiers, words({0x01800000, 0x3780000F}), fp32), crc, fp32};
}

constexpr uint32_t kFaceOfA = 0x5E23FC00, kFaceOfB = 0x5E43FC00;  // SETADCXX: 256 datums

std::string unpack_binary(std::initializer_list<uint32_t> mop_words) {
  return unpack_thread({kFaceOfA, kFaceOfB}, kX, kY, mop(mop_words) + words({0x5460000F, 0xA2040400, 0x01800000}));
}
std::string unpack_faces() { return unpack_binary({2, 2, kNop, kNop, kNop, kA1, kB1, kB1, kB1}); }

// ELWADD, ELWSUB, or ELWMUL in one phase.
Kernel elementwise(const char* name, uint32_t opcode, uint32_t crc) {
  const uint32_t op = opcode << 24;
  return {
      name, unpack_faces(),
      math_thread(words({0xB20C0808, 0xB21C0008, 0xB22F0000}) + mop({4, 2, kNop, 0x37CC0003, kNop, op, kNop, op, op}),
                  words({0x01800000, 0x37000004}), false),
      crc};
}

Kernel multiply_in_four_phases(const char* name, uint32_t crc) {
  const uint32_t op = 0x27000000;
  return {name, unpack_faces(),
          math_thread(words({0xB20C0808, 0xB21C0008, 0xB20E8080, 0xB21E2400, 0xB20F8080, 0xB21F9008}) +
                          mop({4, 2, kNop, kNop, kNop, op, kNop, op | 3u << 14 | 3u << 22, op | 2u << 14}),
                      words({0x01800000, 0x01800000, 0x01800000, 0x01800000, 0x37000004}), false),
          crc};
}

Kernel add_row(const char* name, uint32_t crc) {
  const uint32_t op = 0x28000000 | 2u << 19;
  return {name, unpack_binary({2, 2, kNop, 0x54400001, kNop, kB1, kA1, kA1, kA1}),
          math_thread(words({0xB20C0008, 0xB21C0008}) + mop({4, 2, kNop, 0x37CC0003, kNop, op, kNop, op, op}),
                      words({0x01800000, 0x37000004}), false),
          crc};
}

Kernel add_column(const char* name, uint32_t crc) {
  const uint32_t op = 0x28000000 | 1u << 19;
  return {name, unpack_binary({2, 2, kB1, 0x54400081, kNop, kA1, kNop, kA1, kA1}),
          math_thread(words({0xB20C0808, 0xB21C0008}) + mop({2, 2, kNop, 0x374C0003, kNop, op, kNop, op, op}),
                      words({0x01800000, 0x37800000, 0x01800000, 0x37800000, 0x37000004}), false),
          crc};
}

Kernel add_scalar(const char* name, uint32_t crc) {
  const uint32_t op = 0x28000000 | 3u << 19;
  return {name, unpack_binary({1, 4, kB1, kNop, kNop, kA1, kNop, kA1, kA1}),
          math_thread(words({0xB20C0008, 0xB21C0008}) + mop({4, 2, kNop, 0x374C0003, kNop, op, kNop, op, op}),
                      words({0x01800000, 0x37800000, 0x37000004}), false),
          crc};
}

// 3.8: add one on the vector unit, truncating.
Kernel add_one(const char* name, uint32_t crc) {
  const uint32_t dummy_b = 0x43800101;
  std::string faces;
  for (unsigned face = 0; face < 4; ++face) {
    for (unsigned n = 0; n < 8; ++n) faces += words({0x7000E000, 0x753F8000, 0x8F000000, 0x7200E000, 0x38008000});
    faces += words({0x37120004, 0x37120004});
  }
  return {name,
          unpack_thread({kFaceOfA, kFaceOfB}, kX, kY,
                        mop({4, 1, kA1, kNop, kNop, dummy_b, kNop, dummy_b, dummy_b}) +
                            words({0x5460000F, 0xA2040400, 0x01800000})),
          math_thread(words({0xB20E0008, 0xB21E0008, 0xB2130000, 0xB2230000, 0xB2360000}) +
                          mop({4, 2, kNop, 0x37C00003, kNop, 0x1200A000, kNop, 0x1200A000, 0x1200A000}),
                      words({0x01800000, 0x37000004, 0xB2010000, 0xA2800010}) + faces + words({0x37000004}), false),
          crc};
}

// --- reductions, 3.9 ---
enum class Reduce { Column, Row, Scalar };

std::string unpack_reduce(Reduce kind) {
  const uint32_t replay = 0x04000020, clear_a = 0x43000001;
  const bool scalar = kind == Reduce::Scalar;
  return unpack_thread(
      {kFaceOfA, 0x5E403C00}, kX, kY,
      (kind == Reduce::Row ? "w72=0x125\n" : "\n") +
          mop({1, 4, kNop, kNop, kNop, scalar ? clear_a : replay, scalar ? replay : kNop, replay, replay}) +
          words({0x04000021, kA1, kB1, 0x5460000F, 0xA2040400, 0x01800000}));
}

const std::string kPoolModifiers =
    words({0xB20C0000, 0xB21C8000, 0xB20D0100, 0xB21D0001, 0xB20E0800, 0xB21E0008, 0xB20F0000, 0xB21F2000});

Kernel reduce(const char* name, Reduce kind, bool max, uint16_t scale, uint32_t crc) {
  // A pool is one GMPOOL, or GAPOOL in four phases by the MOP. Row 4 is where the scalar reduction collects.
  const auto gapool = [](uint32_t modifier, uint32_t dst) { return 0x34080000 | modifier << 15 | dst; };
  const uint32_t collected = kind == Reduce::Scalar ? 4 : 0;
  const auto pool = [&](bool release, uint32_t dst) {
    if (max) return words({(release ? 0x33C80000 : 0x33080000) | dst});
    return words({gapool(3, dst), gapool(3, dst), gapool(3, dst), gapool(0, dst)}) +
           (release ? words({0x36C00000}) : "");
  };
  std::string body;
  switch (kind) {
    case Reduce::Column:
      for (unsigned half = 0; half < 2; ++half) {
        body += pool(false, 0) + words({0x37120004, 0x37D20004}) + pool(false, 0) + words({0x37C00005});
      }
      break;
    case Reduce::Row:
      for (unsigned half = 0; half < 2; ++half) {
        body += pool(true, 0) + pool(false, 0) + words({0x37100003, 0x0A200000, 0x16000000, 0x0A200000});
        body += words({0x37082002, 0x37082002, 0x11000009, 0x28008000, 0x28008000});
        body += half == 0 ? words({0x37120004, 0x37120004, 0x37120004, 0x37D20006}) : words({0x37C00006});
      }
      break;
    case Reduce::Scalar:
      for (unsigned face = 0; face < 4; ++face) body += pool(face < 3, collected);
      body += words({0x37100003, 0x0A200004, 0x35000003, 0x16000000, 0x35000003});
      for (unsigned k = 0; k < 16; k += 4) body += words({0x0B002010 + k * 0x00020001});
      body += words({0x35000003, 0x10000004}) + pool(true, 0);
      break;
  }
  const std::string edges = kind == Reduce::Column ? "w24=0x000A0000 w25=0xFFFF w21=1"
                            : kind == Reduce::Row  ? "w24=0x00AA0000 w25=1 w21=0x55555555"
                                                   : "w24=0x00020000 w25=1 w21=1";
  return {name, unpack_reduce(kind), math_thread(kPoolModifiers, body, false), crc, false, edges, scale};
}

std::string scale_tile(uint16_t scale) {
  std::ostringstream out;
  for (unsigned face = 0; face < 4; ++face) {
    out << "words " << kY + 512 * face;
    for (unsigned n = 0; n < 8; ++n) out << ' ' << scale * 0x10001u;
    out << '\n';
  }
  return out.str();
}

class GoldenKernel : public testing::TestWithParam<Kernel> {};

TEST_P(GoldenKernel, HasTheChecksumOfTheReference) {
  const Kernel& k = GetParam();
  char expect[64];
  std::snprintf(expect, sizeof expect, "expect-crc 0x%X %u %08X\n", kOut, k.fp32 ? 4096 : 2048, k.crc);
  const LoneScriptResult result =
      run_lone_script(test_tile(kX, 1) + (k.scale ? scale_tile(k.scale) : test_tile(kY, 2)) + k.t0 + k.t1 +
                      pack_thread(k.fp32, k.edges) + "run\n" + expect);
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(result.mismatch, "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, GoldenKernel,
                         testing::Values(matmul("matmul_lofi", 1, 0xBFA1125C), matmul("matmul_hifi2", 2, 0x361AAE58),
                                         matmul("matmul_hifi3", 3, 0xDD51C8F3), matmul("matmul_hifi4", 4, 0xDD51C8F3),
                                         matmul("matmul_hifi4_fp32", 4, 0x963F59DD, true),
                                         elementwise("add", 0x28, 0x90B4F123), elementwise("sub", 0x30, 0x6321E90E),
                                         elementwise("mul_lofi", 0x27, 0xC6F88125),
                                         multiply_in_four_phases("mul_hifi4", 0x1F988328),
                                         add_row("add_row", 0x8C4D9823), add_column("add_column", 0x77986D40),
                                         add_scalar("add_scalar", 0x4A39782D), add_one("add_one", 0x52FAE931),
                                         reduce("column_sum", Reduce::Column, false, 0x3F80, 0x9885A6A0),
                                         reduce("column_max", Reduce::Column, true, 0x3F80, 0x404816AF),
                                         reduce("row_sum", Reduce::Row, false, 0x3F80, 0x1461BE86),
                                         reduce("row_max", Reduce::Row, true, 0x3F80, 0x5E42E696),
                                         reduce("scalar_sum", Reduce::Scalar, false, 0x3D00, 0xA400CBF6),
                                         reduce("scalar_max", Reduce::Scalar, true, 0x3F80, 0x4C0739C8)),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

}  // namespace
}  // namespace kerr::emu
