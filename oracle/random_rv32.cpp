#include <cstdio>
#include <iterator>

#include "oracle/tile_case.hpp"

namespace kerr::oracle {
namespace {

constexpr uint32_t kData = 0x20000, kDataBytes = 0x800, kRegisters = 0x21000;
constexpr uint32_t kBase = 9;  // s1: middle of the data; never written by the random part

struct RType {
  uint32_t funct7, funct3;
  const char* name;
};
constexpr RType kRegister[] = {
    {0x00, 0, "add"},    {0x20, 0, "sub"},  {0x00, 1, "sll"},    {0x00, 2, "slt"},    {0x00, 3, "sltu"},
    {0x00, 4, "xor"},    {0x00, 5, "srl"},  {0x20, 5, "sra"},    {0x00, 6, "or"},     {0x00, 7, "and"},
    {0x01, 0, "mul"},    {0x01, 1, "mulh"}, {0x01, 2, "mulhsu"}, {0x01, 3, "mulhu"},  {0x01, 4, "div"},
    {0x01, 5, "divu"},   {0x01, 6, "rem"},  {0x01, 7, "remu"},   {0x10, 2, "sh1add"}, {0x10, 4, "sh2add"},
    {0x10, 6, "sh3add"}, {0x20, 7, "andn"}, {0x20, 6, "orn"},    {0x20, 4, "xnor"},   {0x05, 6, "max"},
    {0x05, 7, "maxu"},   {0x05, 4, "min"},  {0x05, 5, "minu"},   {0x30, 1, "rol"},    {0x30, 5, "ror"},
    {0x04, 4, "pack"},
};
struct Unary {
  uint32_t immediate, funct3;
  const char* name;
};
constexpr Unary kUnary[] = {{0x600, 1, "clz"},    {0x601, 1, "ctz"},   {0x602, 1, "cpop"}, {0x604, 1, "sext.b"},
                            {0x605, 1, "sext.h"}, {0x287, 5, "orc.b"}, {0x698, 5, "rev8"}, {0x687, 5, "brev8"}};
// Floating point: opcode 0x53. Operands are f registers except for the destination of comparisons and conversions.
struct Float {
  uint32_t funct7, rm, rs2;  // rs2 of conversions; 32 for a register
  bool from_x, to_x;
  const char* name;
};
constexpr Float kFloat[] = {
    {0x00, 7, 32, false, false, "fadd"},    {0x04, 7, 32, false, false, "fsub"},
    {0x08, 7, 32, false, false, "fmul"},    {0x10, 0, 32, false, false, "fsgnj"},
    {0x10, 1, 32, false, false, "fsgnjn"},  {0x10, 2, 32, false, false, "fsgnjx"},
    {0x14, 0, 32, false, false, "fmin"},    {0x14, 1, 32, false, false, "fmax"},
    {0x50, 2, 32, false, true, "feq"},      {0x50, 1, 32, false, true, "flt"},
    {0x50, 0, 32, false, true, "fle"},      {0x60, 7, 0, false, true, "fcvt.w.s"},
    {0x60, 7, 1, false, true, "fcvt.wu.s"}, {0x68, 7, 0, true, false, "fcvt.s.w"},
    {0x68, 7, 1, true, false, "fcvt.s.wu"}, {0x70, 0, 0, false, true, "fmv.x.w"},
    {0x78, 0, 0, true, false, "fmv.w.x"},   {0x70, 1, 0, false, true, "fclass"},
};

class Generator {
 public:
  Generator(std::mt19937& random, TileCase& out, bool with_float) : random_(random), case_(out), float_(with_float) {}

  void generate() {
    std::vector<uint8_t> data(kDataBytes);
    for (uint8_t& b : data) b = static_cast<uint8_t>(random_());
    case_.before.push_back({kData, data});
    for (uint32_t r = 1; r < 32; ++r) set(r, r == kBase ? kData + kDataBytes / 2 : value());
    for (uint32_t r = 0; float_ && r < 32; ++r) emit(0x78u << 25 | (1 + r % 31) << 15 | r << 7 | 0x53, "fmv.w.x");
    for (unsigned n = 0; n < 400; ++n) instruction();
    // All registers to memory; s1's value is known, so it can hold the address.
    set(kBase, kRegisters);
    for (uint32_t r = 1; r < 32; ++r) store(0x23, r, 4 * r, "sw");
    for (uint32_t r = 0; float_ && r < 32; ++r) store(0x27, r, 128 + 4 * r, "fsw");
    set(8, arch::kInstructionPushBase);  // what Program expects in s0
    const Hart harts[] = {Hart::Brisc, Hart::Trisc0, Hart::Trisc1, Hart::Trisc2, Hart::Ncrisc};
    case_.programs[harts[below(5)]] = program_;
    case_.after = {{kData, kDataBytes}, {kRegisters, 256}};
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  uint32_t value() {
    constexpr uint32_t kSpecial[] = {0,          1,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF,
                                     0x3F800000, 0x7F800000, 0x7FC00001, 0x00000001, 0xBF000000};
    if (below(4) == 0) return kSpecial[below(std::size(kSpecial))];
    if (below(3) == 0) return (random_() & 0x807FFFFF) | (120 + below(40)) << 23;
    return static_cast<uint32_t>(random_()) >> below(32);
  }

  void emit(uint32_t word, const char* name) {
    char text[64];
    std::snprintf(text, sizeof text, "%08X %s", word, name);
    case_.text.push_back(text);
    program_.raw(word);
  }
  void set(uint32_t rd, uint32_t v) {
    const uint32_t upper = (v + 0x800) & 0xFFFFF000;
    emit(upper | rd << 7 | 0x37, "lui");
    emit((v - upper) << 20 | rd << 15 | rd << 7 | 0x13, "addi");
  }
  void store(uint32_t opcode, uint32_t rs2, uint32_t offset, const char* name) {
    emit((offset >> 5 & 0x7F) << 25 | rs2 << 20 | kBase << 15 | 2 << 12 | (offset & 31) << 7 | opcode, name);
  }

  uint32_t source() { return below(32); }
  uint32_t target() {
    const uint32_t r = below(32);
    return r == kBase ? 0 : r;
  }

  void instruction() {
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        const RType& i = kRegister[below(std::size(kRegister))];
        emit(i.funct7 << 25 | source() << 20 | source() << 15 | i.funct3 << 12 | target() << 7 | 0x33, i.name);
        break;
      }
      case 3: {
        const uint32_t funct3[] = {0, 2, 3, 4, 6, 7};
        emit(random_() << 20 | source() << 15 | funct3[below(6)] << 12 | target() << 7 | 0x13, "op-imm");
        break;
      }
      case 4: {
        const uint32_t kind = below(4);  // slli, srli, srai, rori
        const uint32_t funct7[] = {0, 0, 0x20, 0x30};
        emit(funct7[kind] << 25 | below(32) << 20 | source() << 15 | (kind == 0 ? 1u : 5u) << 12 | target() << 7 | 0x13,
             "shift-imm");
        break;
      }
      case 5: {
        const Unary& i = kUnary[below(std::size(kUnary))];
        emit(i.immediate << 20 | source() << 15 | i.funct3 << 12 | target() << 7 | 0x13, i.name);
        break;
      }
      case 6: {  // aligned accesses around s1
        const uint32_t width = below(3), offset = (random_() & 0x3FF & ~((1u << width) - 1)) - (below(2) ? 0x400u : 0u);
        if (below(2))
          emit(offset << 20 | kBase << 15 | (width + (width < 2 && below(2) ? 4 : 0)) << 12 | target() << 7 | 0x03,
               "load");
        else
          emit((offset >> 5 & 0x7F) << 25 | source() << 20 | kBase << 15 | width << 12 | (offset & 31) << 7 | 0x23,
               "store");
        break;
      }
      case 7: {
        if (below(2)) {
          const uint32_t funct5[] = {0x01, 0x00, 0x04, 0x0C, 0x08, 0x10, 0x14, 0x18, 0x1C};
          emit(funct5[below(9)] << 27 | source() << 20 | kBase << 15 | 2 << 12 | target() << 7 | 0x2F, "amo");
        } else {  // over one instruction
          const uint32_t funct3[] = {0, 1, 4, 5, 6, 7};
          emit(source() << 20 | source() << 15 | funct3[below(6)] << 12 | 8 << 7 | 0x63, "branch +8");
          emit(0x00000013 | target() << 7 | source() << 15 | 1 << 20, "addi");
        }
        break;
      }
      case 8: {
        if (!float_) break;
        const Float& i = kFloat[below(std::size(kFloat))];
        const uint32_t rs2 = i.rs2 == 32 ? source() : i.rs2, rd = i.to_x ? target() : source();
        emit(i.funct7 << 25 | rs2 << 20 | source() << 15 | i.rm << 12 | rd << 7 | 0x53, i.name);
        break;
      }
      default: {
        const uint32_t opcode[] = {0x43, 0x47, 0x4B, 0x4F};
        if (float_ && below(2))
          emit(source() << 27 | source() << 20 | source() << 15 | 7 << 12 | source() << 7 | opcode[below(4)], "fused");
        else
          emit((random_() & 0xFFFFF000) | target() << 7 | (below(2) ? 0x37u : 0x17u), "lui/auipc");
        break;
      }
    }
  }

  std::mt19937& random_;
  TileCase& case_;
  bool float_;
  Program program_;
};

}  // namespace

TileCase random_rv32_case(std::mt19937& random) {
  TileCase c;
  Generator(random, c, false).generate();
  return c;
}

TileCase random_rv32_float_case(std::mt19937& random) {
  TileCase c;
  Generator(random, c, true).generate();
  return c;
}

}  // namespace kerr::oracle
