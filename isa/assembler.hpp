#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "isa/code.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/riscv/registers.hpp"
#include "isa/source_location.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::isa {

/// A position in code that may not be known yet. Made by Assembler::label(), cheap to copy, valid for its assembler
/// only.
struct Label {
  uint32_t id = ~0u;
};

/// A label bound twice, never bound, or out of reach. what() names the label and the source line that uses it.
class AssemblerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A struct of isa/tensix/instructions.hpp.
template <class T>
concept TensixInstruction = requires(const T& i) {
  { T::kOpcode } -> std::convertible_to<tensix::Opcode>;
  { i.encode() } -> std::same_as<uint32_t>;
};

/// Emits code for one hart, in order, from C++:
///
///   using namespace kerr::isa::reg;
///   Assembler a;
///   a.function("count_down");
///   a.li(t0, 1000);
///   Label loop = a.here("loop");
///   a.tensix(tensix::MVMUL{.dst = 8, .addr_mode = 1});   // inline, as .ttinsn
///   a.addi(t0, t0, -1);
///   a.bnez(t0, loop);
///   a.ret();
///   Code code = a.finish(0x8000);
///
/// Operands are in the order of the text syntax, except that memory operands are flat: lw(rd, base, offset), sw(source,
/// base, offset), jalr(rd, base, offset), amoadd_w(rd, source, base). Every method checks its operands at once
/// (RangeError). Branches that cannot reach their label are turned into an inverted branch over a jump, so a label may
/// be anywhere within +-1 MiB. Each instruction remembers the C++ line that emitted it: the line table leads from a
/// hung PC to the generator's source.
class Assembler {
 public:
  using Where = SourceLocation;

  Assembler() = default;
  Assembler(Assembler&&) = default;
  Assembler& operator=(Assembler&&) = default;

  // Labels and symbols. A label with a name becomes a symbol; names must be unique per assembler.
  Label label(std::string name = {});
  void bind(Label label, Where where = Where::current());
  Label here(std::string name = {}, Where where = Where::current());
  /// Starts a function here: a symbol that extends to the next function or the end.
  Label function(std::string name, Where where = Where::current());
  /// Makes a label, bound or not, the start of a function.
  void mark_function(Label label);
  /// A label at a fixed address outside or inside the code: to branch and jump to, also from code that moves.
  Label absolute(uint32_t address);

  /// A remark on the next instruction; several are joined by "; ".
  void comment(std::string_view text);
  /// From here on the line table says file:line instead of the C++ line: for text sources. An empty file ends that.
  void source(std::string file, uint32_t line);
  /// What is emitted until end_call() is told as of `where`, with the line that emits it as LineEntry::inner_line.
  /// Calls nest; the outermost one counts.
  void begin_call(Where where) {
    if (calls_++ == 0) call_ = where;
  }
  void end_call() { --calls_; }

  // Any RV32 instruction.
  void emit(const riscv::Instruction& instruction, Where where = Where::current());
  /// A branch (B format) or jump (jal) to a label; imm is ignored.
  void emit(const riscv::Instruction& instruction, Label target, Where where = Where::current());

  // Tensix instructions inline: the hart pushes the word to the coprocessor.
  template <TensixInstruction T>
  void tensix(const T& instruction, Where where = Where::current()) {
    ttinsn(instruction.encode(), where);
  }
  /// A raw Tensix word inline. Throws RangeError from 0xC0000000 up.
  void ttinsn(uint32_t tensix_word, Where where = Where::current());

  // Data. Code that follows must be aligned again by the caller: align(4).
  void word(uint32_t value, Where where = Where::current());
  void word(Label target, Where where = Where::current());  // its absolute address
  void bytes(std::span<const uint8_t> values, Where where = Where::current());
  /// Pads to a multiple of `bytes` (a power of two, of the absolute address) with nop instructions, or zeros where they
  /// do not fit.
  void align(uint32_t bytes, Where where = Where::current());

  // One method per RV32 instruction, from the table.
#define KERR_METHOD_Register(id, method) \
  void method(Reg rd, Reg rs1, Reg rs2, Where w = Where::current()) { put(id, rd, rs1, rs2, 0, w); }
#define KERR_METHOD_Unary(id, method) \
  void method(Reg rd, Reg rs1, Where w = Where::current()) { put(id, rd, rs1, {}, 0, w); }
#define KERR_METHOD_Immediate(id, method) \
  void method(Reg rd, Reg rs1, int32_t imm, Where w = Where::current()) { put(id, rd, rs1, {}, imm, w); }
#define KERR_METHOD_Shift(id, method) KERR_METHOD_Immediate(id, method)
#define KERR_METHOD_Load(id, method) \
  void method(Reg rd, Reg base, int32_t offset = 0, Where w = Where::current()) { put(id, rd, base, {}, offset, w); }
#define KERR_METHOD_Store(id, method)                                                 \
  void method(Reg source, Reg base, int32_t offset = 0, Where w = Where::current()) { \
    put(id, {}, base, source, offset, w);                                             \
  }
#define KERR_METHOD_Branch(id, method)                                      \
  void method(Reg rs1, Reg rs2, Label target, Where w = Where::current()) { \
    emit({.op = id, .rs1 = rs1.number, .rs2 = rs2.number}, target, w);      \
  }
#define KERR_METHOD_Jump(id, method) \
  void method(Reg rd, Label target, Where w = Where::current()) { emit({.op = id, .rd = rd.number}, target, w); }
#define KERR_METHOD_Upper(id, method) /* imm20: the upper 20 bits, 0 to 0xFFFFF */ \
  void method(Reg rd, uint32_t imm20, Where w = Where::current()) { put_upper(id, rd, imm20, w); }
#define KERR_METHOD_Csr(id, method)                                        \
  void method(Reg rd, uint16_t csr, Reg rs1, Where w = Where::current()) { \
    emit({.op = id, .rd = rd.number, .rs1 = rs1.number, .csr = csr}, w);   \
  }
#define KERR_METHOD_CsrImmediate(id, method)                                   \
  void method(Reg rd, uint16_t csr, int32_t imm, Where w = Where::current()) { \
    emit({.op = id, .rd = rd.number, .csr = csr, .imm = imm}, w);              \
  }
#define KERR_METHOD_Amo(id, method) \
  void method(Reg rd, Reg source, Reg base, Where w = Where::current()) { put(id, rd, base, source, 0, w); }
#define KERR_METHOD_Fence(id, method) /* pred << 4 | succ, each i 8, o 4, r 2, w 1 */ \
  void method(int32_t sets = 0xFF, Where w = Where::current()) { put(id, {}, {}, {}, sets, w); }
#define KERR_METHOD_Plain(id, method) \
  void method(Where w = Where::current()) { put(id, {}, {}, {}, 0, w); }
#define KERR_METHOD_FLoad(id, method) \
  void method(FReg rd, Reg base, int32_t offset = 0, Where w = Where::current()) { put(id, rd, base, {}, offset, w); }
#define KERR_METHOD_FStore(id, method)                                                 \
  void method(FReg source, Reg base, int32_t offset = 0, Where w = Where::current()) { \
    put(id, {}, base, source, offset, w);                                              \
  }
#define KERR_METHOD_FRegister(id, method) \
  void method(FReg rd, FReg rs1, FReg rs2, Where w = Where::current()) { put(id, rd, rs1, rs2, 0, w); }
#define KERR_METHOD_FRounded(id, method) \
  void method(FReg rd, FReg rs1, FReg rs2, Where w = Where::current()) { put(id, rd, rs1, rs2, 0, w, kDynamic); }
#define KERR_METHOD_FFused(id, method)                                                                             \
  void method(FReg rd, FReg rs1, FReg rs2, FReg rs3, Where w = Where::current()) {                                 \
    emit({.op = id, .rd = rd.number, .rs1 = rs1.number, .rs2 = rs2.number, .rs3 = rs3.number, .rm = kDynamic}, w); \
  }
#define KERR_METHOD_FCompare(id, method) \
  void method(Reg rd, FReg rs1, FReg rs2, Where w = Where::current()) { put(id, rd, rs1, rs2, 0, w); }
#define KERR_METHOD_FToInteger(id, method) \
  void method(Reg rd, FReg rs1, Where w = Where::current()) { put(id, rd, rs1, {}, 0, w, kDynamic); }
#define KERR_METHOD_FFromInteger(id, method) \
  void method(FReg rd, Reg rs1, Where w = Where::current()) { put(id, rd, rs1, {}, 0, w, kDynamic); }
#define KERR_METHOD_FMoveOut(id, method) \
  void method(Reg rd, FReg rs1, Where w = Where::current()) { put(id, rd, rs1, {}, 0, w); }
#define KERR_METHOD_FMoveIn(id, method) \
  void method(FReg rd, Reg rs1, Where w = Where::current()) { put(id, rd, rs1, {}, 0, w); }

#define X(op, method, text, kind, format, match) KERR_METHOD_##format(riscv::Op::op, method)
#include "isa/riscv/instructions.def"

#undef KERR_METHOD_Register
#undef KERR_METHOD_Unary
#undef KERR_METHOD_Immediate
#undef KERR_METHOD_Shift
#undef KERR_METHOD_Load
#undef KERR_METHOD_Store
#undef KERR_METHOD_Branch
#undef KERR_METHOD_Jump
#undef KERR_METHOD_Upper
#undef KERR_METHOD_Csr
#undef KERR_METHOD_CsrImmediate
#undef KERR_METHOD_Amo
#undef KERR_METHOD_Fence
#undef KERR_METHOD_Plain
#undef KERR_METHOD_FLoad
#undef KERR_METHOD_FStore
#undef KERR_METHOD_FRegister
#undef KERR_METHOD_FRounded
#undef KERR_METHOD_FFused
#undef KERR_METHOD_FCompare
#undef KERR_METHOD_FToInteger
#undef KERR_METHOD_FFromInteger
#undef KERR_METHOD_FMoveOut
#undef KERR_METHOD_FMoveIn

  // Pseudo-instructions.
  void nop(Where w = Where::current()) { addi(reg::zero, reg::zero, 0, w); }
  /// One or two instructions; `value` is taken modulo 2^32 and must lie in -2^31 .. 2^32 - 1.
  void li(Reg rd, int64_t value, Where w = Where::current());
  /// The label's address, PC-relative (auipc, addi): the code may be moved as a whole.
  void la(Reg rd, Label target, Where w = Where::current());
  void mv(Reg rd, Reg rs, Where w = Where::current()) { addi(rd, rs, 0, w); }
  void not_(Reg rd, Reg rs, Where w = Where::current()) { xori(rd, rs, -1, w); }
  void neg(Reg rd, Reg rs, Where w = Where::current()) { sub(rd, reg::zero, rs, w); }
  void seqz(Reg rd, Reg rs, Where w = Where::current()) { sltiu(rd, rs, 1, w); }
  void snez(Reg rd, Reg rs, Where w = Where::current()) { sltu(rd, reg::zero, rs, w); }
  void sltz(Reg rd, Reg rs, Where w = Where::current()) { slt(rd, rs, reg::zero, w); }
  void sgtz(Reg rd, Reg rs, Where w = Where::current()) { slt(rd, reg::zero, rs, w); }
  void zext_b(Reg rd, Reg rs, Where w = Where::current()) { andi(rd, rs, 255, w); }
  void zext_h(Reg rd, Reg rs, Where w = Where::current()) { pack(rd, rs, reg::zero, w); }
  void beqz(Reg rs, Label target, Where w = Where::current()) { beq(rs, reg::zero, target, w); }
  void bnez(Reg rs, Label target, Where w = Where::current()) { bne(rs, reg::zero, target, w); }
  void blez(Reg rs, Label target, Where w = Where::current()) { bge(reg::zero, rs, target, w); }
  void bgez(Reg rs, Label target, Where w = Where::current()) { bge(rs, reg::zero, target, w); }
  void bltz(Reg rs, Label target, Where w = Where::current()) { blt(rs, reg::zero, target, w); }
  void bgtz(Reg rs, Label target, Where w = Where::current()) { blt(reg::zero, rs, target, w); }
  void bgt(Reg rs1, Reg rs2, Label target, Where w = Where::current()) { blt(rs2, rs1, target, w); }
  void ble(Reg rs1, Reg rs2, Label target, Where w = Where::current()) { bge(rs2, rs1, target, w); }
  void bgtu(Reg rs1, Reg rs2, Label target, Where w = Where::current()) { bltu(rs2, rs1, target, w); }
  void bleu(Reg rs1, Reg rs2, Label target, Where w = Where::current()) { bgeu(rs2, rs1, target, w); }
  void j(Label target, Where w = Where::current()) { jal(reg::zero, target, w); }
  void call(Label target, Where w = Where::current()) { jal(reg::ra, target, w); }
  void jr(Reg rs, Where w = Where::current()) { jalr(reg::zero, rs, 0, w); }
  void ret(Where w = Where::current()) { jalr(reg::zero, reg::ra, 0, w); }
  void csrr(Reg rd, uint16_t csr, Where w = Where::current()) { csrrs(rd, csr, reg::zero, w); }
  void csrw(uint16_t csr, Reg rs, Where w = Where::current()) { csrrw(reg::zero, csr, rs, w); }
  void csrs(uint16_t csr, Reg rs, Where w = Where::current()) { csrrs(reg::zero, csr, rs, w); }
  void csrc(uint16_t csr, Reg rs, Where w = Where::current()) { csrrc(reg::zero, csr, rs, w); }

  /// Identifies the next instruction that will be emitted.
  struct Position {
    uint32_t item;
  };
  Position position() const { return {static_cast<uint32_t>(items_.size())}; }
  /// Takes back the instruction there, which turned out not to be needed: what follows moves up. Throws AssemblerError
  /// if there is none.
  void erase(Position position);

  /// The registers that the code so far writes, bit n for xn.
  uint32_t written() const { return written_; }

  /// Bytes so far, before any branch has been lengthened: a lower bound of the final size.
  uint32_t size_bytes() const { return size_bytes_; }

  /// Resolves labels for code that starts at `base` (a multiple of 4). May be called again, also with another base.
  /// Throws AssemblerError: unbound label, jump out of reach, instruction not at a multiple of 4.
  Code finish(uint32_t base = 0) const;

 protected:
  /// Changes whenever the register may have got another value on the way to the next instruction: it is written,
  /// perhaps by whom the code calls, or code from elsewhere arrives here.
  struct Version {
    uint32_t writes = 0, arrivals = 0;
    bool operator==(const Version&) const = default;
  };
  Version version(Reg reg) const { return {writes_[reg.number], arrivals_}; }

 private:
  struct Item {
    enum class Kind : uint8_t { Fixed, Branch, Jump, PcRelativePair, AbsoluteWord, Bytes, Align };
    Kind kind = Kind::Fixed;
    bool code = false;               // its address must be a multiple of 4
    uint32_t word = 0;               // Fixed: the word; Bytes: index of the first byte in data_; Align: the multiple
    uint32_t size_bytes = 4;         // Align: 0, its padding depends on the address
    riscv::Instruction instruction;  // Branch, Jump; PcRelativePair: rd
    Label target;
    uint32_t line = 0;     // index into lines_
    uint32_t comment = 0;  // 1 + index into comments_, 0: none
  };
  struct LabelState {
    std::string name;
    uint32_t item = ~0u;   // bound before this item, or kAbsolute
    uint32_t address = 0;  // absolute labels
    bool function = false;
  };
  struct Line {
    std::string_view file, function;
    uint32_t line;
    std::string_view inner_file;  // LineEntry::inner_file
    uint32_t inner_line = 0;
    bool operator==(const Line& o) const {
      return line == o.line && inner_line == o.inner_line && file == o.file && inner_file == o.inner_file;
    }
  };
  class Layout;

  static constexpr uint8_t kDynamic = 7;  // rounding mode: what fcsr says
  // A register of either file; 0 where a format has none.
  struct AnyReg {
    uint8_t number = 0;
    AnyReg() = default;
    AnyReg(Reg r) : number(r.number) {}   // NOLINT
    AnyReg(FReg r) : number(r.number) {}  // NOLINT
  };
  void put(riscv::Op op, AnyReg rd, AnyReg rs1, AnyReg rs2, int32_t imm, Where w, uint8_t rm = 0) {
    emit({.op = op, .rd = rd.number, .rs1 = rs1.number, .rs2 = rs2.number, .rm = rm, .imm = imm}, w);
  }
  void put_upper(riscv::Op op, Reg rd, uint32_t imm20, Where w);
  void append(Item item, const Where& where);
  void note_write(const riscv::Instruction& instruction);
  std::string describe(Label label) const;
  std::string place(const Item& item) const;
  void check(Label label) const;

  std::vector<Item> items_;
  std::vector<LabelState> labels_;
  std::unordered_set<std::string> names_;
  std::vector<Line> lines_;
  std::vector<std::string> comments_;
  std::vector<uint8_t> data_;
  std::deque<std::string> text_files_;  // names given to source(); a deque, because lines_ views them
  uint32_t text_line_ = 0;
  uint32_t calls_ = 0;  // that have begun and not ended
  Where call_{};        // the outermost of them
  std::string pending_comment_;
  uint32_t size_bytes_ = 0;
  uint32_t written_ = 0;
  std::array<uint32_t, 32> writes_{};
  uint32_t arrivals_ = 0;
};

}  // namespace kerr::isa
