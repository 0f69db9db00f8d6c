#include "isa/text/riscv_statement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "isa/errors.hpp"
#include "isa/riscv/pseudo.hpp"
#include "isa/riscv/syntax.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::isa::text {
namespace {

using riscv::Instruction;
using riscv::Op;
using riscv::Operand;

// One way to write a mnemonic.
struct Form {
  Instruction preset;
  std::span<const Operand> operands;

  size_t most() const {
    size_t n = 0;
    for (const Operand o : operands) n += o == Operand::OptionalFence ? 2 : 1;
    return n;
  }
  size_t least() const {
    return static_cast<size_t>(std::count_if(operands.begin(), operands.end(), [](Operand o) {
      return o != Operand::OptionalFence && o != Operand::OptionalRm;
    }));
  }
};

// "amoadd.w.aqrl" is amoadd.w with imm 3.
std::optional<Form> amo_with_suffix(std::string_view mnemonic) {
  for (int bits = 3; bits > 0; --bits) {
    const std::string_view suffix = riscv::kAmoSuffixes[bits];
    if (!mnemonic.ends_with(suffix)) continue;
    const riscv::Row* row = riscv::find(mnemonic.substr(0, mnemonic.size() - suffix.size()));
    if (row && row->format == riscv::Format::Amo) return Form{{.op = row->op, .imm = bits}, riscv::syntax(row->format)};
  }
  return {};
}

std::vector<Form> forms_of(std::string_view mnemonic) {
  std::vector<Form> forms;
  if (const riscv::Row* row = riscv::find(mnemonic)) {
    Instruction preset{.op = row->op};
    for (const Operand o : riscv::syntax(row->format)) {
      if (o == Operand::OptionalRm) preset.rm = 7;
      if (o == Operand::OptionalFence) preset.imm = riscv::kFenceAll;
    }
    forms.push_back({preset, riscv::syntax(row->format)});
  }
  for (const riscv::Pseudo& p : riscv::pseudos()) {
    if (p.text == mnemonic) forms.push_back({p.preset, p.operands});
  }
  if (const auto form = amo_with_suffix(mnemonic)) forms.push_back(*form);
  return forms;
}

[[noreturn]] void fail_unknown(std::string_view mnemonic, size_t column) {
  Suggestion suggestion(mnemonic);
  for (const riscv::Row& row : riscv::rows().subspan(2)) suggestion.consider(row.text);
  for (const riscv::Pseudo& p : riscv::pseudos()) suggestion.consider(p.text);
  for (const tensix::Row& row : tensix::rows()) suggestion.consider(row.mnemonic);
  Cursor::fail_at(column, fmt::format("unknown instruction '{}'{}", mnemonic, suggestion.text()));
}

// Reads the operands of one form.
class OperandReader {
 public:
  OperandReader(Cursor& cursor, const Scope& scope, Instruction preset) : cursor_(cursor), scope_(scope), i_(preset) {}

  void read(Operand operand) {
    at_ = cursor_.column();
    switch (operand) {
      case Operand::Rd: i_.rd = reg(); break;
      case Operand::Rs1: i_.rs1 = reg(); break;
      case Operand::Rs2: i_.rs2 = reg(); break;
      case Operand::Fd: i_.rd = freg(); break;
      case Operand::Fs1: i_.rs1 = freg(); break;
      case Operand::Fs2: i_.rs2 = freg(); break;
      case Operand::Fs3: i_.rs3 = freg(); break;
      case Operand::Imm: i_.imm = imm(); break;
      case Operand::UpperImm: i_.imm = upper_imm(); break;
      case Operand::Target: target(); break;
      case Operand::Csr: csr(); break;
      case Operand::Offset:
        i_.imm = cursor_.peek() == '(' ? 0 : imm();
        address();
        break;
      case Operand::Address: address(); break;
      case Operand::OptionalRm: rounding_mode(); break;
      case Operand::OptionalFence: fence(); break;
      case Operand::TensixWord: break;
    }
  }

  const Instruction& instruction() const { return i_; }
  size_t imm_column() const { return imm_at_; }
  /// Where a label or an address leads; nothing if the operands had neither.
  std::optional<Label> destination(Assembler& out) const {
    return absolute_ ? out.absolute(static_cast<uint32_t>(*absolute_)) : label_;
  }

 private:
  uint8_t reg() {
    const std::string_view text = cursor_.identifier();
    if (const auto r = reg_named(text)) return r->number;
    const bool is_float = freg_named(text).has_value();
    Cursor::fail_at(
        at_,
        fmt::format("'{}' is {}; expected an integer register: zero, ra, sp, gp, tp, t0-t6, s0-s11, a0-a7 or x0-x31",
                    text, is_float ? "a float register" : "no register"));
  }

  uint8_t freg() {
    const std::string_view text = cursor_.identifier();
    if (const auto r = freg_named(text)) return r->number;
    Cursor::fail_at(at_,
                    fmt::format("'{}' is no float register; expected ft0-ft11, fs0-fs11, fa0-fa7 or f0-f31", text));
  }

  // Values beyond 32 bits must not wrap into range.
  int32_t imm() {
    imm_at_ = cursor_.column();
    const int64_t value = cursor_.expression(scope_.constants);
    return static_cast<int32_t>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
  }

  int32_t upper_imm() {
    imm_at_ = cursor_.column();
    const int64_t value = cursor_.expression(scope_.constants);
    if (value < 0 || value > 0xFFFFF) {
      Cursor::fail_at(imm_at_, fmt::format("imm={} is out of range; allowed: 0 to 0xfffff (the upper 20 bits)", value));
    }
    return static_cast<int32_t>(value << 12);
  }

  // ".+8" relative, "loop" a label, a number an address.
  void target() {
    imm_at_ = at_;
    const std::string_view name = cursor_.peek_identifier();
    if (name == ".") {
      cursor_.identifier();
      const int64_t offset = cursor_.at_end() ? 0 : signed_rest();
      i_.imm = static_cast<int32_t>(std::clamp<int64_t>(offset, INT32_MIN, INT32_MAX));
    } else if (!name.empty() && !scope_.constants(name)) {
      cursor_.identifier();
      label_ = scope_.label(name, at_);
    } else {
      absolute_ = cursor_.expression(scope_.constants);
      if (*absolute_ < 0 || *absolute_ > UINT32_MAX)
        Cursor::fail_at(at_, fmt::format("{} is no 32-bit address", *absolute_));
    }
  }

  int64_t signed_rest() {
    const bool minus = cursor_.peek() == '-';
    if (!cursor_.take('+') && !cursor_.take('-')) cursor_.fail("expected + or - after '.'");
    const int64_t value = cursor_.expression(scope_.constants);
    return minus ? -value : value;
  }

  void csr() {
    if (const auto number = csr_named(cursor_.peek_identifier())) {
      cursor_.identifier();
      i_.csr = *number;
      return;
    }
    const int64_t number = cursor_.expression(scope_.constants, "CSR names such as cfg0, mcycle, mhartid");
    if (number < 0 || number > 0xFFF)
      Cursor::fail_at(at_, fmt::format("CSR {:#x} is out of range; allowed: 0 to 0xfff", number));
    i_.csr = static_cast<uint16_t>(number);
  }

  void address() {
    cursor_.expect('(', "before the base register, as in 8(a0)");
    at_ = cursor_.column();
    i_.rs1 = reg();
    cursor_.expect(')', "after the base register");
  }

  void rounding_mode() {
    const std::string_view text = cursor_.identifier();
    const auto it = std::find(std::begin(riscv::kRoundingModes), std::end(riscv::kRoundingModes), text);
    if (it == std::end(riscv::kRoundingModes)) {
      Cursor::fail_at(at_, fmt::format("'{}' is no rounding mode; expected rne, rtz, rdn, rup, rmm or dyn", text));
    }
    i_.rm = static_cast<uint8_t>(it - std::begin(riscv::kRoundingModes));
  }

  // "iorw, iorw", each any of the letters in this order, or 0 for none; or one number for all twelve bits.
  void fence() {
    if (cursor_.count_operands() == 1) {
      i_.imm = imm();
      return;
    }
    const int32_t before = fence_set();
    cursor_.expect(',', "between the sets of fence");
    i_.imm = before << 4 | fence_set();
  }

  int32_t fence_set() {
    const size_t at = cursor_.column();
    if (cursor_.take('0')) return 0;
    const std::string_view text = cursor_.identifier();
    int32_t bits = 0;
    size_t k = 0;
    for (int bit = 3; bit >= 0; --bit) {
      if (k < text.size() && text[k] == "wroi"[bit]) bits |= 1 << bit, ++k;
    }
    if (text.empty() || k != text.size()) {
      Cursor::fail_at(at, fmt::format("'{}' is no set for fence; expected letters of iorw in this order, or 0", text));
    }
    return bits;
  }

  Cursor& cursor_;
  const Scope& scope_;
  Instruction i_;
  std::optional<Label> label_;
  std::optional<int64_t> absolute_;
  size_t at_ = 0, imm_at_ = 0;
};

// li and la: the two that may take two instructions.
bool pair_statement(Cursor& cursor, std::string_view mnemonic, const Scope& scope, Assembler& out) {
  if ((mnemonic != "li" && mnemonic != "la") || cursor.count_operands() != 2) return false;
  OperandReader reader(cursor, scope, {});
  reader.read(Operand::Rd);
  cursor.expect(',', "between operands");
  const Reg rd{reader.instruction().rd};
  if (mnemonic == "li") {
    const size_t at = cursor.column();
    const int64_t value = cursor.expression(scope.constants);
    if (value < INT32_MIN || value > UINT32_MAX) {
      Cursor::fail_at(at, fmt::format("li: imm={} is out of range; allowed: {} to {}", value, INT32_MIN, UINT32_MAX));
    }
    out.li(rd, value);
    return true;
  }
  const size_t at = cursor.column();
  reader.read(Operand::Target);
  const std::optional<Label> to = reader.destination(out);
  if (!to) Cursor::fail_at(at, "la takes a label or an address");
  out.la(rd, *to);
  return true;
}

}  // namespace

void riscv_statement(Cursor& cursor, std::string_view mnemonic, size_t column, const Scope& scope, Assembler& out) {
  if (pair_statement(cursor, mnemonic, scope, out)) return;
  const std::vector<Form> forms = forms_of(mnemonic);
  if (forms.empty() && mnemonic != "la") fail_unknown(mnemonic, column);

  const size_t given = cursor.count_operands();
  const auto form =
      std::find_if(forms.begin(), forms.end(), [&](const Form& f) { return f.least() <= given && given <= f.most(); });
  if (form == forms.end()) {
    std::string ways = mnemonic == "la" ? "rd, label" : "";
    for (const Form& f : forms) ways += (ways.empty() ? "" : " or ") + riscv::describe(f.operands);
    cursor.fail(
        fmt::format("{} takes {}, but {} operand{} given", mnemonic, ways, given, given == 1 ? " is" : "s are"));
  }

  OperandReader reader(cursor, scope, form->preset);
  bool first = true;
  for (const Operand operand : form->operands) {
    if (cursor.at_end()) break;  // optional ones left out
    if (!first) cursor.expect(',', "between operands");
    first = false;
    reader.read(operand);
  }
  try {
    const std::optional<Label> to = reader.destination(out);
    to ? out.emit(reader.instruction(), *to) : out.emit(reader.instruction());
  } catch (const RangeError& e) {
    Cursor::fail_at(reader.imm_column() != 0 ? reader.imm_column() : column, e.what());
  }
}

}  // namespace kerr::isa::text
