#include "kernels/stream/waiting_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <initializer_list>
#include <optional>

#include "arch/sync.hpp"
#include "isa/disassembler.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::kernels {

namespace {

using isa::riscv::Instruction;
using isa::riscv::Kind;
using isa::riscv::Op;
using isa::riscv::Operand;
using Registers = std::bitset<32>;

constexpr unsigned kRa = 1;

Registers all_of(std::initializer_list<unsigned> numbers) {
  Registers set;
  for (const unsigned n : numbers) set.set(n);
  return set;
}
// The calling convention: what a called function keeps, what it takes, what it returns.
const Registers kKept = all_of({2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27});
const Registers kArguments = all_of({10, 11, 12, 13, 14, 15, 16, 17});
const Registers kResults = all_of({10, 11});

std::span<const Operand> operands(const Instruction& i) { return isa::riscv::syntax(isa::riscv::row(i.op).format); }

Registers read_by(const Instruction& i) {
  Registers set;
  for (const Operand o : operands(i)) {
    if (o == Operand::Rs1 || o == Operand::Offset || o == Operand::Address) set.set(i.rs1);
    if (o == Operand::Rs2) set.set(i.rs2);
  }
  set.reset(0);
  return set;
}

// x0: none.
unsigned written_by(const Instruction& i) { return std::ranges::count(operands(i), Operand::Rd) != 0 ? i.rd : 0; }

Kind kind(const Instruction& i) { return isa::riscv::row(i.op).kind; }
bool loads(const Instruction& i) { return kind(i) == Kind::Load; }
bool accesses(const Instruction& i) { return loads(i) || kind(i) == Kind::Store || kind(i) == Kind::Amo; }

class Analysis {
 public:
  Analysis(std::span<const uint32_t> words, uint32_t base) : base_(base) {
    for (const uint32_t word : words) code_.push_back({.i = isa::riscv::decode(word), .word = word});
    if (code_.empty()) return;
    find_constants();
    find_uses();
  }

  std::vector<UselessWait> findings() const {
    std::vector<UselessWait> found;
    for (size_t at = 0; at < code_.size(); ++at) {
      const Place& p = code_[at];
      if (!p.reached || !loads(p.i)) continue;
      const std::optional<uint32_t> from = address(p);
      const bool waits = (from && (*from & 0xFFFF'0000) == arch::kPcBufBase) ||
                         (from && (*from & 0xFFFF'0000) == arch::kMailboxBase) || loads_back(at);
      const bool sync = from == arch::kTtSyncThreadIdle || from == arch::kTtSyncMopIdle;
      const auto say = [&](const std::string& what) {
        found.push_back(
            {base_ + 4 * static_cast<uint32_t>(at),
             fmt::format("{}{} {}", isa::disassemble(p.word), from ? fmt::format(" ({:#x})", *from) : "", what)});
      };
      const unsigned rd = written_by(p.i);
      const bool to_float = isa::riscv::float_operands(isa::riscv::row(p.i.op).format).rd;
      if (waits && !to_float && (rd == 0 || !p.used_behind.test(rd))) {
        say("waits for nothing, as no instruction uses the value: put 'andi rd, rd, 0' behind it");
      } else if (sync && !used_in_time(at + 1, rd, kRetireQueue - 1)) {
        say("may still be under way at the next load or store: put 'andi rd, rd, 0' behind it");
      }
      if (sync && !stored_before(at, *from)) {
        say("may overtake what the hart pushed before: store to the same word right before it");
      }
    }
    return found;
  }

 private:
  static constexpr int kRetireQueue = 8;  // instructions; a load leaves it when its value has come

  struct Place {
    Instruction i;
    uint32_t word = 0;
    bool reached = false;
    std::array<std::optional<uint32_t>, 32> before{};  // what registers hold, where that is known
    Registers used_before, used_behind;  // whose values some instruction uses: from here on, from the next on
  };

  // Where a branch or jump goes, if that is in the code.
  std::optional<size_t> target(size_t at) const {
    const auto to = static_cast<int64_t>(at) + code_[at].i.imm / 4;
    if (to < 0 || to >= static_cast<int64_t>(code_.size())) return std::nullopt;
    return static_cast<size_t>(to);
  }
  static bool is_call(const Instruction& i) { return kind(i) == Kind::Jump && i.rd == kRa; }

  // Calls f(next, whether a called function lies between) for each instruction that may follow.
  template <class F>
  void successors(size_t at, F f) const {
    const Instruction& i = code_[at].i;
    const Kind k = kind(i);
    const bool direct = i.op == Op::Jal || k == Kind::Branch;
    if (direct) {
      if (const auto to = target(at)) f(*to, false);
    }
    if (k == Kind::Illegal || (k == Kind::Jump && !is_call(i))) return;
    if (at + 1 < code_.size()) f(at + 1, k == Kind::Jump);
  }

  std::optional<uint32_t> address(const Place& p) const {
    const std::optional<uint32_t> from = p.before[p.i.rs1];
    if (!from) return std::nullopt;
    return *from + static_cast<uint32_t>(p.i.imm);
  }

  void find_constants() {
    std::vector<size_t> open{0};
    code_[0].reached = true;
    code_[0].before[0] = 0;
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      auto after = code_[at].before;
      const Instruction& i = code_[at].i;
      if (const unsigned rd = written_by(i); rd != 0) {
        const auto source = after[i.rs1];
        after[rd] = std::nullopt;
        if (i.op == Op::Lui) after[rd] = static_cast<uint32_t>(i.imm);
        if (i.op == Op::Auipc) after[rd] = base_ + 4 * static_cast<uint32_t>(at) + static_cast<uint32_t>(i.imm);
        if (i.op == Op::Addi && source) after[rd] = *source + static_cast<uint32_t>(i.imm);
      }
      successors(at, [&](size_t next, bool behind_call) {
        auto there = after;
        if (behind_call) {
          for (unsigned r = 1; r < 32; ++r)
            if (!kKept.test(r)) there[r] = std::nullopt;
        }
        Place& p = code_[next];
        bool changed = !p.reached;
        if (!p.reached) {
          p.reached = true;
          p.before = there;
        } else {
          for (unsigned r = 1; r < 32; ++r) {
            if (!p.before[r] || p.before[r] == there[r]) continue;
            p.before[r] = std::nullopt;
            changed = true;
          }
        }
        if (changed) open.push_back(next);
      });
    }
  }

  void find_uses() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t at = code_.size(); at-- > 0;) {
        Place& p = code_[at];
        if (!p.reached) continue;
        Registers behind;
        bool goes_on = false;
        successors(at, [&](size_t next, bool behind_call) {
          goes_on = true;
          behind |= behind_call ? code_[next].used_before & kKept : code_[next].used_before;
        });
        const bool leaves = kind(p.i) == Kind::Jump && (p.i.op != Op::Jal || !target(at));
        if (leaves) behind |= is_call(p.i) ? kArguments : p.i.rs1 == kRa ? kKept | kResults : ~Registers{};
        if (!goes_on && !leaves) behind |= ~Registers{};  // the end of the code, or no instruction
        Registers before = behind;
        before.reset(written_by(p.i));
        before |= read_by(p.i);
        changed |= before != p.used_before || behind != p.used_behind;
        p.used_before = before;
        p.used_behind = behind;
      }
    }
  }

  // Is register `rd` used from `at` on before the next load, store or way out of the code, on all ways? `left`
  // instructions further on the load is over anyway. rd 0: it cannot be used any more.
  bool used_in_time(size_t at, unsigned rd, int left) const {
    if (left == 0) return true;
    if (at >= code_.size()) return false;
    const Instruction& i = code_[at].i;
    if ((rd != 0 && read_by(i).test(rd)) || kind(i) == Kind::Fence || kind(i) == Kind::Amo) return true;
    if (accesses(i)) return false;
    if (rd != 0 && written_by(i) == rd) rd = 0;
    bool any = false, all = true;
    successors(at, [&](size_t next, bool behind_call) {
      if (behind_call) return;  // the called function comes first
      any = true;
      all = all && used_in_time(next, rd, left - 1);
    });
    return any && all;
  }

  // The last load, store or push before the instruction at `at`, in straight code.
  const Place* access_before(size_t at) const {
    while (at-- > 0) {
      const Place& p = code_[at];
      if (kind(p.i) == Kind::Push || accesses(p.i)) return &p;
      if (kind(p.i) == Kind::Branch || kind(p.i) == Kind::Jump) return nullptr;
    }
    return nullptr;
  }
  bool stored_before(size_t at, uint32_t wanted) const {
    const Place* p = access_before(at);
    return p != nullptr && kind(p->i) == Kind::Store && address(*p) == wanted;
  }
  // Does it load what was stored right before?
  bool loads_back(size_t at) const {
    const Place* p = access_before(at);
    if (p == nullptr || kind(p->i) != Kind::Store || p->i.rs1 != code_[at].i.rs1 || p->i.imm != code_[at].i.imm) {
      return false;
    }
    for (const Place* between = p; between != &code_[at]; ++between) {
      if (written_by(between->i) == p->i.rs1) return false;
    }
    return true;
  }

  uint32_t base_;
  std::vector<Place> code_;
};

}  // namespace

std::vector<UselessWait> useless_waits(std::span<const uint32_t> words, uint32_t base) {
  return Analysis(words, base).findings();
}

}  // namespace kerr::kernels
