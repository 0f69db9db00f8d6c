#include "debug/condition.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kerr::debug {

namespace {

// Numbers of gdb's ax.def.
enum Code : uint8_t {
  Add = 0x02,
  Sub = 0x03,
  Mul = 0x04,
  DivSigned = 0x05,
  DivUnsigned = 0x06,
  RemSigned = 0x07,
  RemUnsigned = 0x08,
  Lsh = 0x09,
  RshSigned = 0x0A,
  RshUnsigned = 0x0B,
  LogNot = 0x0E,
  BitAnd = 0x0F,
  BitOr = 0x10,
  BitXor = 0x11,
  BitNot = 0x12,
  Equal = 0x13,
  LessSigned = 0x14,
  LessUnsigned = 0x15,
  Ext = 0x16,
  Ref8 = 0x17,
  Ref16 = 0x18,
  Ref32 = 0x19,
  Ref64 = 0x1A,
  IfGoto = 0x20,
  Goto = 0x21,
  Const8 = 0x22,
  Const16 = 0x23,
  Const32 = 0x24,
  Const64 = 0x25,
  Reg = 0x26,
  End = 0x27,
  Dup = 0x28,
  Pop = 0x29,
  ZeroExt = 0x2A,
  Swap = 0x2B,
  Pick = 0x32,
  Rot = 0x33,
};

constexpr size_t kMostStack = 256;
constexpr unsigned kMostSteps = 10'000;

class Machine {
 public:
  Machine(std::string_view code, Target& target, Pid pid) : code_(code), target_(target), pid_(pid) {}

  std::optional<uint64_t> run() {
    for (unsigned steps = 0; steps < kMostSteps && ok_; ++steps) {
      const auto code = static_cast<Code>(operand(1));
      if (!ok_) break;
      if (code == End) return stack_.empty() ? std::nullopt : std::optional(stack_.back());
      execute(code);
    }
    return std::nullopt;
  }

 private:
  uint64_t operand(unsigned bytes) {
    if (code_.size() - at_ < bytes) return ok_ = false, 0;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value = value << 8 | static_cast<uint8_t>(code_[at_++]);
    return value;
  }
  uint64_t pop() {
    if (stack_.empty()) return ok_ = false, 0;
    const uint64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  void push(uint64_t value) {
    if (stack_.size() >= kMostStack) {
      ok_ = false;
    } else {
      stack_.push_back(value);
    }
  }
  void jump(uint64_t to) {
    if (to >= code_.size()) {
      ok_ = false;
    } else {
      at_ = to;
    }
  }
  void load(unsigned bytes) {
    std::array<uint8_t, 8> data{};
    const auto address = static_cast<uint32_t>(pop());
    if (!ok_ || target_.read(pid_, address, {data.data(), bytes}) != bytes) {
      ok_ = false;
      return;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= static_cast<uint64_t>(data[i]) << 8 * i;
    push(value);
  }
  void extend(bool sign) {
    const uint64_t bits = operand(1);
    const uint64_t value = pop();
    if (bits == 0 || bits >= 64) return push(value);
    const unsigned up = static_cast<unsigned>(64 - bits);
    push(sign ? static_cast<uint64_t>(static_cast<int64_t>(value << up) >> up) : value << up >> up);
  }
  void divide(Code code) {
    const uint64_t b = pop(), a = pop();
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    const bool is_signed = code == DivSigned || code == RemSigned;
    if (b == 0 || (is_signed && sb == -1)) {
      ok_ = b != 0;  // no quotient of the least number overflows here
      return push(code == DivSigned ? 0 - a : 0);
    }
    switch (code) {
      case DivSigned: return push(static_cast<uint64_t>(sa / sb));
      case RemSigned: return push(static_cast<uint64_t>(sa % sb));
      case DivUnsigned: return push(a / b);
      default: return push(a % b);
    }
  }
  void two(Code code) {
    const uint64_t b = pop(), a = pop();
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    switch (code) {
      case Add: return push(a + b);
      case Sub: return push(a - b);
      case Mul: return push(a * b);
      case Lsh: return push(b < 64 ? a << b : 0);
      case RshSigned: return push(static_cast<uint64_t>(sa >> std::min<uint64_t>(b, 63)));
      case RshUnsigned: return push(b < 64 ? a >> b : 0);
      case BitAnd: return push(a & b);
      case BitOr: return push(a | b);
      case BitXor: return push(a ^ b);
      case Equal: return push(a == b);
      case LessSigned: return push(sa < sb);
      case LessUnsigned: return push(a < b);
      default: return push(b), push(a);  // Swap
    }
  }
  void execute(Code code) {
    switch (code) {
      case Add:
      case Sub:
      case Mul:
      case Lsh:
      case RshSigned:
      case RshUnsigned:
      case BitAnd:
      case BitOr:
      case BitXor:
      case Equal:
      case LessSigned:
      case LessUnsigned:
      case Swap: return two(code);
      case DivSigned:
      case DivUnsigned:
      case RemSigned:
      case RemUnsigned: return divide(code);
      case LogNot: return push(pop() == 0);
      case BitNot: return push(~pop());
      case Ext: return extend(true);
      case ZeroExt: return extend(false);
      case Ref8: return load(1);
      case Ref16: return load(2);
      case Ref32: return load(4);
      case Ref64: return load(8);
      case IfGoto: {
        const uint64_t to = operand(2);
        if (pop() != 0) jump(to);
        return;
      }
      case Goto: return jump(operand(2));
      case Const8: return push(operand(1));
      case Const16: return push(operand(2));
      case Const32: return push(operand(4));
      case Const64: return push(operand(8));
      case Reg: {
        const uint64_t number = operand(2);
        if (number >= kRegisters) {
          ok_ = false;
          return;
        }
        return push(target_.registers(pid_)[number]);
      }
      case Dup: return pick(0);
      case Pop: pop(); return;
      case Pick: return pick(operand(1));
      case Rot: {
        const uint64_t a = pop(), b = pop(), c = pop();
        push(a), push(c), push(b);
        return;
      }
      default: ok_ = false;
    }
  }
  void pick(uint64_t depth) {
    if (depth >= stack_.size()) {
      ok_ = false;
    } else {
      push(stack_[stack_.size() - 1 - depth]);
    }
  }

  const std::string_view code_;
  Target& target_;
  const Pid pid_;
  size_t at_ = 0;
  bool ok_ = true;
  std::vector<uint64_t> stack_;
};

}  // namespace

std::optional<uint64_t> evaluate(std::string_view code, Target& target, Pid pid) {
  return Machine(code, target, pid).run();
}

}  // namespace kerr::debug
