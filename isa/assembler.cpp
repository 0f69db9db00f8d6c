#include "isa/assembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/errors.hpp"

namespace kerr::isa {
namespace {

using riscv::Instruction;
using riscv::Op;

constexpr uint32_t kNop = 0x00000013;
constexpr uint32_t kUnbound = ~0u;
constexpr uint32_t kAbsolute = ~0u - 1;

// The compiler names files with the path it was called with; a reader wants them relative to the project.
std::string_view relative(std::string_view file) {
  static constexpr std::string_view kSelf = "isa/assembler.cpp";
  const std::string_view self = SourceLocation::current().file_name();
  const std::string_view root = self.substr(0, self.size() - std::min(self.size(), kSelf.size()));
  return file.starts_with(root) ? file.substr(root.size()) : file;
}

Op inverse(Op branch) {
  switch (branch) {
    case Op::Beq: return Op::Bne;
    case Op::Bne: return Op::Beq;
    case Op::Blt: return Op::Bge;
    case Op::Bge: return Op::Blt;
    case Op::Bltu: return Op::Bgeu;
    default: return Op::Bltu;
  }
}

void append_word(std::vector<uint8_t>& bytes, uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(word >> shift));
}

constexpr bool in_branch_range(int64_t offset) { return offset >= -4096 && offset <= 4094; }
constexpr bool in_jump_range(int64_t offset) { return offset >= -1048576 && offset <= 1048574; }

}  // namespace

// ---- emission

void Assembler::append(Item item, const Where& where) {
  Line line{relative(where.file_name()), where.function_name(), where.line(), {}};
  if (calls_ != 0) {
    line = {relative(call_.file_name()), call_.function_name(), call_.line(), line.file, line.line};
  }
  if (text_line_ != 0) line = {text_files_.back(), "", text_line_, {}};
  if (lines_.empty() || !(lines_.back() == line)) lines_.push_back(line);
  item.line = static_cast<uint32_t>(lines_.size() - 1);
  if (!pending_comment_.empty()) {
    comments_.push_back(std::move(pending_comment_));
    pending_comment_.clear();
    item.comment = static_cast<uint32_t>(comments_.size());
  }
  size_bytes_ += item.size_bytes;
  items_.push_back(item);
}

// What has no rd leaves it zero.
void Assembler::note_write(const Instruction& instruction) {
  written_ |= 1u << instruction.rd;
  ++writes_[instruction.rd];
  const bool calls = riscv::row(instruction.op).format == riscv::Format::Jump || instruction.op == Op::Jalr;
  if (calls && instruction.rd != 0) {  // whoever is called may write any register
    for (uint32_t& writes : writes_) ++writes;
  }
}

void Assembler::erase(Position position) {
  if (position.item >= items_.size()) throw AssemblerError("an instruction is taken back that was never emitted");
  Item& item = items_[position.item];
  size_bytes_ -= item.size_bytes;
  item = {.kind = Item::Kind::Bytes, .size_bytes = 0, .line = item.line};
}

void Assembler::emit(const Instruction& instruction, Where where) {
  note_write(instruction);
  append({.code = true, .word = riscv::encode(instruction)}, where);
}

void Assembler::emit(const Instruction& instruction, Label target, Where where) {
  const riscv::Format format = riscv::row(instruction.op).format;
  if (format != riscv::Format::Branch && format != riscv::Format::Jump) {
    throw AssemblerError(fmt::format("{} does not take a label", riscv::row(instruction.op).text));
  }
  check(target);
  Instruction checked = instruction;
  checked.imm = 0;
  riscv::encode(checked);
  note_write(checked);
  const auto kind = format == riscv::Format::Branch ? Item::Kind::Branch : Item::Kind::Jump;
  append({.kind = kind, .code = true, .instruction = checked, .target = target}, where);
}

void Assembler::put_upper(Op op, Reg rd, uint32_t imm20, Where w) {
  if (imm20 > 0xFFFFF) throw_range(riscv::row(op).text.data(), "imm", imm20, 0, 0xFFFFF);
  emit({.op = op, .rd = rd.number, .imm = static_cast<int32_t>(imm20 << 12)}, w);
}

void Assembler::ttinsn(uint32_t tensix_word, Where where) {
  emit({.op = Op::Ttinsn, .imm = static_cast<int32_t>(tensix_word)}, where);
}

void Assembler::word(uint32_t value, Where where) { append({.word = value}, where); }

void Assembler::word(Label target, Where where) {
  check(target);
  append({.kind = Item::Kind::AbsoluteWord, .target = target}, where);
}

void Assembler::bytes(std::span<const uint8_t> values, Where where) {
  const auto first = static_cast<uint32_t>(data_.size());
  data_.insert(data_.end(), values.begin(), values.end());
  append({.kind = Item::Kind::Bytes, .word = first, .size_bytes = static_cast<uint32_t>(values.size())}, where);
}

void Assembler::align(uint32_t bytes, Where where) {
  if (!std::has_single_bit(bytes) || bytes > 65536) {
    throw AssemblerError(fmt::format("align({}): must be a power of two up to 65536", bytes));
  }
  append({.kind = Item::Kind::Align, .word = bytes, .size_bytes = 0}, where);
}

void Assembler::li(Reg rd, int64_t value, Where w) {
  if (value < INT32_MIN || value > UINT32_MAX) throw_range("li", "imm", value, INT32_MIN, UINT32_MAX);
  const auto v = static_cast<uint32_t>(value);
  const uint32_t upper = (v + 0x800) >> 12;
  const auto lower = static_cast<int32_t>(v << 20) >> 20;
  if ((upper & 0xFFFFF) == 0) return addi(rd, reg::zero, lower, w);
  lui(rd, upper & 0xFFFFF, w);
  if (lower != 0) addi(rd, rd, lower, w);
}

void Assembler::la(Reg rd, Label target, Where w) {
  check(target);
  Instruction pair{.op = Op::Addi, .rd = rd.number, .rs1 = rd.number};
  riscv::encode(pair);
  note_write(pair);
  append({.kind = Item::Kind::PcRelativePair, .code = true, .size_bytes = 8, .instruction = pair, .target = target}, w);
}

void Assembler::comment(std::string_view text) {
  if (!pending_comment_.empty()) pending_comment_ += "; ";
  pending_comment_ += text;
}

void Assembler::source(std::string file, uint32_t line) {
  text_line_ = file.empty() ? 0 : line;
  if (text_line_ != 0 && (text_files_.empty() || text_files_.back() != file)) text_files_.push_back(std::move(file));
}

// ---- labels

Label Assembler::label(std::string name) {
  if (!name.empty() && !names_.insert(name).second) {
    throw AssemblerError(fmt::format("there is already a label '{}'", name));
  }
  labels_.push_back({.name = std::move(name)});
  return {static_cast<uint32_t>(labels_.size() - 1)};
}

void Assembler::bind(Label label, Where where) {
  check(label);
  LabelState& state = labels_[label.id];
  if (state.item != kUnbound) {
    throw AssemblerError(
        fmt::format("{}:{}: {} is bound a second time", relative(where.file_name()), where.line(), describe(label)));
  }
  state.item = static_cast<uint32_t>(items_.size());
  ++arrivals_;
}

Label Assembler::here(std::string name, Where where) {
  const Label made = label(std::move(name));
  bind(made, where);
  return made;
}

Label Assembler::function(std::string name, Where where) {
  const Label made = here(std::move(name), where);
  mark_function(made);
  return made;
}

void Assembler::mark_function(Label label) {
  check(label);
  labels_[label.id].function = true;
}

Label Assembler::absolute(uint32_t address) {
  labels_.push_back({.item = kAbsolute, .address = address});
  return {static_cast<uint32_t>(labels_.size() - 1)};
}

std::string Assembler::describe(Label label) const {
  if (labels_[label.id].item == kAbsolute) return fmt::format("address {:#x}", labels_[label.id].address);
  const std::string& name = labels_[label.id].name;
  return name.empty() ? fmt::format("unnamed label #{}", label.id) : fmt::format("label '{}'", name);
}

std::string Assembler::place(const Item& item) const {
  return fmt::format("{}:{}", lines_[item.line].file, lines_[item.line].line);
}

void Assembler::check(Label label) const {
  if (label.id >= labels_.size()) throw AssemblerError("a label of another assembler, or one that was never made");
}

// ---- layout

// The address of every item. Branches start short; each pass lengthens those that do not reach, until none is left. A
// branch never becomes short again, so this ends.
class Assembler::Layout {
 public:
  Layout(const Assembler& a, uint32_t base) : a_(a), address_(a.items_.size() + 1), long_(a.items_.size()) {
    do {
      place(base);
    } while (lengthen());
  }

  uint32_t address(size_t item) const { return address_[item]; }
  bool is_long(size_t item) const { return long_[item]; }
  // pc + offset wraps at 2^32: 0xfffffff0 is 16 bytes before 0.
  int64_t offset(size_t item, uint32_t behind = 0) const {
    return static_cast<int32_t>(address(a_.items_[item].target) - (address_[item] + behind));
  }
  uint32_t address(Label label) const {
    const LabelState& state = a_.labels_[label.id];
    return state.item == kAbsolute ? state.address : address_[state.item];
  }

 private:
  void place(uint32_t base) {
    uint32_t at = base;
    for (size_t i = 0; i < a_.items_.size(); ++i) {
      address_[i] = at;
      const Item& item = a_.items_[i];
      if (item.kind == Item::Kind::Align) at = (at + item.word - 1) & ~(item.word - 1);
      at += item.size_bytes + (long_[i] ? 4 : 0);
    }
    address_.back() = at;
  }

  bool lengthen() {
    bool changed = false;
    for (size_t i = 0; i < a_.items_.size(); ++i) {
      if (a_.items_[i].kind != Item::Kind::Branch || long_[i] || in_branch_range(offset(i))) continue;
      long_[i] = changed = true;
    }
    return changed;
  }

  const Assembler& a_;
  std::vector<uint32_t> address_;  // of each item, and of the end
  std::vector<bool> long_;
};

Code Assembler::finish(uint32_t base) const {
  if (base % 4 != 0) throw AssemblerError(fmt::format("code cannot start at {:#x}: not a multiple of 4", base));
  for (const Item& item : items_) {
    if (item.target.id < labels_.size() && labels_[item.target.id].item == kUnbound) {
      throw AssemblerError(fmt::format("{}: {} is used but never bound", place(item), describe(item.target)));
    }
  }

  const Layout layout(*this, base);
  Code code;
  code.base = base;
  uint32_t line = ~0u;
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const uint32_t at = layout.address(i);
    if (item.code && at % 4 != 0) {
      throw AssemblerError(
          fmt::format("{}: instruction at {:#x}, not a multiple of 4; put align(4) before it", place(item), at));
    }
    if (item.line != line && item.size_bytes != 0) {
      line = item.line;
      const Line& l = lines_[line];
      code.lines.push_back(
          {at, std::string(l.file), l.line, std::string(l.function), std::string(l.inner_file), l.inner_line});
    }
    if (item.comment != 0) code.comments.push_back({at, comments_[item.comment - 1]});

    Instruction instruction = item.instruction;
    const auto jump = [&](Instruction jal, int64_t offset) {
      if (!in_jump_range(offset)) {
        throw AssemblerError(fmt::format("{}: {} is {} bytes away; a jump reaches -1048576 to 1048574", place(item),
                                         describe(item.target), offset));
      }
      if (offset % 2 != 0)
        throw AssemblerError(fmt::format("{}: {} stands at an odd address", place(item), describe(item.target)));
      jal.imm = static_cast<int32_t>(offset);
      append_word(code.bytes, riscv::encode(jal));
    };
    switch (item.kind) {
      case Item::Kind::Fixed: append_word(code.bytes, item.word); break;
      case Item::Kind::Jump: jump(instruction, layout.offset(i)); break;
      case Item::Kind::Branch:
        if (layout.is_long(i)) {
          instruction.op = inverse(instruction.op);
          instruction.imm = 8;
          append_word(code.bytes, riscv::encode(instruction));
          jump({.op = Op::Jal}, layout.offset(i, 4));
        } else if (layout.offset(i) % 2 != 0) {
          throw AssemblerError(fmt::format("{}: {} stands at an odd address", place(item), describe(item.target)));
        } else {
          instruction.imm = static_cast<int32_t>(layout.offset(i));
          append_word(code.bytes, riscv::encode(instruction));
        }
        break;
      case Item::Kind::PcRelativePair: {
        const auto offset = static_cast<uint32_t>(layout.offset(i));
        const uint32_t upper = (offset + 0x800) & 0xFFFFF000;
        append_word(code.bytes,
                    riscv::encode({.op = Op::Auipc, .rd = instruction.rd, .imm = static_cast<int32_t>(upper)}));
        instruction.imm = static_cast<int32_t>(offset - upper);
        append_word(code.bytes, riscv::encode(instruction));
        break;
      }
      case Item::Kind::AbsoluteWord: append_word(code.bytes, layout.address(item.target)); break;
      case Item::Kind::Bytes:
        code.bytes.insert(code.bytes.end(), data_.begin() + item.word, data_.begin() + item.word + item.size_bytes);
        break;
      case Item::Kind::Align: {
        uint32_t padding = layout.address(i + 1) - at;
        for (; padding % 4 != 0; --padding) code.bytes.push_back(0);
        for (; padding != 0; padding -= 4) append_word(code.bytes, kNop);
        break;
      }
    }
  }

  for (const LabelState& label : labels_) {
    if (label.name.empty() || label.item == kUnbound) continue;
    const auto kind = label.function ? Symbol::Kind::Function : Symbol::Kind::Label;
    code.symbols.push_back({label.name, layout.address(size_t{label.item}), 0, kind});
  }
  std::stable_sort(code.symbols.begin(), code.symbols.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  uint32_t end = code.end();
  for (auto symbol = code.symbols.rbegin(); symbol != code.symbols.rend(); ++symbol) {
    if (symbol->kind != Symbol::Kind::Function) continue;
    symbol->size_bytes = end - symbol->address;
    end = symbol->address;
  }
  return code;
}

}  // namespace kerr::isa
