#include "tests/check/mutation/mutant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "arch/memory_map.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "isa/disassembler.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::mutation {

namespace {

using isa::riscv::Instruction;
using isa::riscv::Op;
using isa::tensix::Opcode;
using RvKind = isa::riscv::Kind;

constexpr uint32_t kNop = 0x0000'0013, kTensixNop = 0x0200'0000;
constexpr uint32_t kConditions = 0x1FFF, kBlocks = 0x1FF, kBlockShift = 15;  // of STALLWAIT
constexpr uint32_t kOtherNoc = arch::niu_base(0) ^ arch::niu_base(1);

RvKind kind_of(const Instruction& i) { return isa::riscv::row(i.op).kind; }
bool writes(const Instruction& i, int reg) {
  const RvKind kind = kind_of(i);
  return reg != 0 && i.rd == reg && kind != RvKind::Store && kind != RvKind::Branch && kind != RvKind::Push;
}
bool reads(const Instruction& i, int reg) {
  const isa::riscv::RegisterNumbers n = isa::riscv::register_numbers(i);
  return reg != 0 && kind_of(i) != RvKind::Push && (n.rs1 == reg || n.rs2 == reg);
}

class Finder {
 public:
  Finder(const image::Image& image, const image::Segment& segment, std::vector<Mutant>& out)
      : image_(image), base_(segment.address), out_(out) {
    for (size_t at = 0; at + 4 <= segment.bytes.size(); at += 4) {
      uint32_t word = 0;
      for (size_t i = 4; i-- > 0;) word = word << 8 | segment.bytes[at + i];
      words_.push_back(word);
      code_.push_back(isa::riscv::decode(word));
    }
  }

  void find() {
    for (size_t n = 0; n < code_.size(); ++n) {
      const Instruction& i = code_[n];
      if (isa::riscv::is_ttinsn(words_[n])) {
        find_tensix(n);
      } else if ((kind_of(i) == RvKind::Branch || (i.op == Op::Jal && i.rd == 0)) && i.imm < 0) {
        find_loop(n);
      } else if (kind_of(i) == RvKind::Load && base_of(n, i.rs1) &&
                 *base_of(n, i.rs1) + static_cast<uint32_t>(i.imm) == arch::kTtSyncThreadIdle) {
        add(Kind::Drain, n, {{n, kNop}});
      } else if (i.op == Op::Fence) {
        add(Kind::Fence, n, {{n, kNop}});
      } else if (i.op == Op::Sw) {
        find_mop_word(n);
      }
    }
  }

 private:
  using Change = std::pair<size_t, uint32_t>;  // of which word, and to what

  void add(Kind kind, size_t site, const std::vector<Change>& changes, std::optional<size_t> head = {}) {
    Mutant m{.kind = kind, .address = address(site), .first = address(head.value_or(site))};
    if (isa::riscv::is_ttinsn(words_[site])) look_at(m, isa::riscv::tensix_of(words_[site]), changes);
    for (const auto& [n, word] : changes) m.words.emplace_back(address(n), word);
    m.text = fmt::format("{} {:#x}: {}", image_.describe(address(site)), address(site),
                         isa::disassemble(words_[site], address(site)));
    out_.push_back(std::move(m));
  }
  uint32_t address(size_t n) const { return base_ + 4 * static_cast<uint32_t>(n); }

  // A rule looks at what units wait for, but for the class that STALLWAIT calls TDMA; at configuration that is made of
  // GPRs, and at addresses that harts store. docs/reference/checker.md "What it does not know"
  static void look_at(Mutant& m, uint32_t word, const std::vector<Change>& changes) {
    const auto opcode = static_cast<Opcode>(word >> 24);
    if (opcode == Opcode::SEMWAIT || opcode == Opcode::SEMPOST || opcode == Opcode::SEMGET) {
      for (uint32_t s = 0; s < 8; ++s)
        if (word >> 2 >> s & 1) m.semaphores.push_back(s);
    }
    if (opcode != Opcode::STALLWAIT) return;
    constexpr uint32_t kScalar = 1u << 0, kStores = 1u << 10, kConfig = 1u << 12;
    constexpr uint32_t kTdma = 1u << 0, kUnpack = 1u << 3, kCfg = 1u << 7;
    const bool whole = m.kind == Kind::Stallwait || m.kind == Kind::Swap;
    const uint32_t lost = whole ? word : word & ~isa::riscv::tensix_of(changes.front().second);
    const uint32_t conditions = (m.kind == Kind::Block ? word : lost) & kConditions;
    const uint32_t blocks = (m.kind == Kind::Condition ? word : lost) >> kBlockShift & kBlocks;
    const bool of_units = (conditions & ~(kScalar | kStores | kConfig)) != 0 && (blocks & ~kTdma) != 0;
    const bool of_gprs = (conditions & kScalar) != 0 && (blocks & kCfg) != 0;
    const bool of_addresses = (conditions & kStores) != 0 && (blocks & kUnpack) != 0;
    m.is_known = of_units || of_gprs || of_addresses;
  }

  void find_tensix(size_t n) {
    const uint32_t word = isa::riscv::tensix_of(words_[n]);
    const auto nop = [&](Kind kind) { add(kind, n, {{n, isa::riscv::ttinsn(kTensixNop)}}); };
    switch (static_cast<Opcode>(word >> 24)) {
      case Opcode::SEMWAIT:
        nop(Kind::Semwait);
        find_held_word(n);
        return find_semaphore(n);
      case Opcode::SEMGET: nop(Kind::Semget); return find_semaphore(n);
      case Opcode::SEMPOST: nop(Kind::Sempost); return find_semaphore(n);
      case Opcode::ATGETM: return nop(Kind::Mutex);
      case Opcode::STOREREG: return find_stream(n);
      case Opcode::STALLWAIT: break;
      default: return;
    }
    nop(Kind::Stallwait);
    find_held_word(n);
    const auto without_each = [&](Kind kind, uint32_t field) {
      for (uint32_t bit = field & ~(field - 1); (bit & field) != 0; bit <<= 1) {
        if ((word & bit) != 0 && (word & field) != bit) add(kind, n, {{n, isa::riscv::ttinsn(word & ~bit)}});
      }
    };
    without_each(Kind::Condition, kConditions);
    without_each(Kind::Block, kBlocks << kBlockShift);
  }

  // The word right behind a wait, if the wait holds it back.
  void find_held_word(size_t n) {
    if (n + 1 == code_.size() || !isa::riscv::is_ttinsn(words_[n + 1])) return;
    const isa::tensix::Row* const next = isa::tensix::row_of(isa::riscv::tensix_of(words_[n + 1]));
    uint32_t blocks = isa::riscv::tensix_of(words_[n]) >> kBlockShift & kBlocks;
    if (blocks == 0) blocks = isa::tensix::gate::B6;
    if (next == nullptr || next->opcode == Opcode::STALLWAIT || next->opcode == Opcode::SEMWAIT) return;
    if (isa::tensix::held_by(next->gate, blocks)) add(Kind::Swap, n, {{n, words_[n + 1]}, {n + 1, words_[n]}});
  }
  // SEMWAIT, SEMPOST and SEMGET of one semaphore.
  void find_semaphore(size_t n) {
    const uint32_t word = isa::riscv::tensix_of(words_[n]), selected = word >> 2 & 0xFF;
    if (!std::has_single_bit(selected)) return;
    const uint32_t other = std::rotl(static_cast<uint8_t>(selected), 1);
    add(Kind::Id, n, {{n, isa::riscv::ttinsn((word & ~(0xFFu << 2)) | other << 2)}});
  }
  // A push or a pop.
  void find_stream(size_t n) {
    constexpr uint32_t kStream = arch::kStreamStride / 4;
    const uint32_t word = isa::riscv::tensix_of(words_[n]);
    add(Kind::Id, n, {{n, isa::riscv::ttinsn(word ^ kStream)}});
  }

  // "lui t; addi t, t; sw t", to the MOP expander: both make a NOP instead.
  void find_mop_word(size_t n) {
    const Instruction& store = code_[n];
    const std::optional<uint32_t> base = base_of(n, store.rs1), value = base_of(n, store.rs2);
    if (!base || !value || *base + static_cast<uint32_t>(store.imm) - arch::kMopConfigBase >= 4 * arch::kMopConfigWords)
      return;
    const isa::tensix::Row* const row = isa::tensix::row_of(*value);
    if (row == nullptr) return;
    const bool is_signal =
        (row->opcode == Opcode::UNPACR && isa::tensix::UNPACR::decode(*value).set_dat_valid != 0) ||
        (row->opcode == Opcode::UNPACR_NOP && isa::tensix::UNPACR_NOP::decode(*value).set_dvalid != 0) ||
        (row->opcode == Opcode::SETRWC && isa::tensix::SETRWC::decode(*value).clear_ab_vld != 0);
    const size_t made = *maker(n, store.rs2);
    const size_t high = code_[made].op == Op::Lui ? made : maker(made, code_[made].rs1).value_or(made);
    if (!is_signal || code_[high].op != Op::Lui || code_[high].rd != store.rs2) return;
    for (size_t at = high + 1; at < n; ++at)  // for whom else it is
      if (at != made && reads(code_[at], store.rs2)) return;
    for (size_t at = n + 1; at < code_.size() && !writes(code_[at], store.rs2); ++at)
      if (reads(code_[at], store.rs2)) return;
    Instruction nop = code_[high], low = code_[made];
    nop.imm = static_cast<int32_t>(kTensixNop);
    low.imm = 0;
    std::vector<Change> changes{{high, isa::riscv::encode(nop)}};
    if (made != high) changes.emplace_back(made, isa::riscv::encode(low));
    add(Kind::Word, n, changes);
  }

  // A loop of loads, fences and arithmetic: it waits.
  void find_loop(size_t tail) {
    const auto length = static_cast<size_t>(-code_[tail].imm / 4);
    if (length > tail || length > 31) return;
    const size_t head = tail - length;
    size_t loads = 0;
    for (size_t n = head; n < tail; ++n) {
      switch (isa::riscv::is_ttinsn(words_[n]) ? RvKind::Push : kind_of(code_[n])) {
        case RvKind::Load: ++loads; break;
        case RvKind::Alu:
        case RvKind::Fence:
        case RvKind::Branch: break;
        default: return;
      }
    }
    if (loads == 0 || is_of_the_clock(head, tail)) return;
    add(Kind::Loop, tail, {{tail, kNop}}, head);
    find_bound(head, tail);
    find_noc(head, tail);
    find_other_stream(head, tail);
    find_other_id(head, tail);
    find_store_behind(head, tail);
  }

  // The value of a register that a lui, or a lui and an addi, or an addi alone have made on the way to `n`.
  std::optional<uint32_t> base_of(size_t n, int reg) const {
    if (reg == 0) return 0;
    const std::optional<size_t> made = maker(n, reg);
    if (!made) return {};
    const Instruction& i = code_[*made];
    if (i.op == Op::Lui) return static_cast<uint32_t>(i.imm);
    if (i.op != Op::Addi) return {};
    const std::optional<uint32_t> before = base_of(*made, i.rs1);
    if (!before) return {};
    return *before + static_cast<uint32_t>(i.imm);
  }
  // The last instruction before `n` that writes the register.
  std::optional<size_t> maker(size_t n, int reg) const {
    const size_t first = n > 64 ? n - 64 : 0;
    while (n-- > first) {
      if (!isa::riscv::is_ttinsn(words_[n]) && writes(code_[n], reg)) return n;
    }
    return {};
  }

  // Delays order nothing.
  bool is_of_the_clock(size_t head, size_t tail) const {
    constexpr uint32_t kClock = 0xFFB1'2000;
    for (size_t n = head; n < tail; ++n) {
      if (kind_of(code_[n]) != RvKind::Load) continue;
      const auto base = base_of(n, code_[n].rs1);
      if (base && (*base + static_cast<uint32_t>(code_[n].imm)) >> 12 == kClock >> 12) return true;
    }
    return false;
  }

  void find_bound(size_t head, size_t tail) {
    const Instruction& branch = code_[tail];
    if (kind_of(branch) != RvKind::Branch) return;
    const auto is_made_here = [&](int reg) {
      for (size_t n = head; n < tail; ++n)
        if (writes(code_[n], reg)) return true;
      return false;
    };
    const bool first = is_made_here(branch.rs1), second = is_made_here(branch.rs2);
    if (first == second) return;
    const int bound = first ? branch.rs2 : branch.rs1;
    if (const std::optional<size_t> made = bound != 0 ? maker(head, bound) : std::nullopt;
        made && code_[*made].op == Op::Addi && code_[*made].rs1 == 0 && code_[*made].imm > 0) {
      // Stays while the bound is above the value: wait for less. Below it: for more to be left.
      const bool below = second && branch.op == Op::Bltu;
      Instruction changed = code_[*made];
      changed.imm += below ? 1 : -1;
      return add(Kind::Bound, tail, {{*made, isa::riscv::encode(changed)}}, head);
    }
    // "lw t; bne t, bound": the value counts one more. It takes the place of a fence before or behind the two.
    if (branch.op != Op::Bne || tail == 0 || kind_of(code_[tail - 1]) != RvKind::Load) return;
    const Instruction& load = code_[tail - 1];
    if (load.rd == 0 || load.rd == bound) return;
    const uint32_t more = isa::riscv::encode({.op = Op::Addi, .rd = load.rd, .rs1 = load.rd, .imm = 1});
    if (head + 2 == tail && kind_of(code_[head]) == RvKind::Fence) {
      add(Kind::Bound, tail, {{head, words_[tail - 1]}, {tail - 1, more}}, head);
    } else if (head + 1 == tail && tail + 1 < code_.size() && kind_of(code_[tail + 1]) == RvKind::Fence) {
      Instruction back = branch;
      back.imm = -8;
      add(Kind::Bound, tail, {{tail, more}, {tail + 1, isa::riscv::encode(back)}}, head);
    }
  }

  // The first load of a loop, and where the upper half of its address is made; nothing: elsewhere than by a lui, or for
  // others, too.
  struct Polled {
    size_t load = 0, made = 0;
    uint32_t address = 0;
  };
  std::optional<Polled> polled_by(size_t head, size_t tail) const {
    const auto load =
        std::find_if(code_.begin() + static_cast<ptrdiff_t>(head), code_.begin() + static_cast<ptrdiff_t>(tail),
                     [](const Instruction& i) { return kind_of(i) == RvKind::Load; });
    const size_t n = static_cast<size_t>(load - code_.begin());
    const std::optional<size_t> made = load->rs1 != 0 ? maker(head, load->rs1) : std::nullopt;
    if (!made || code_[*made].op != Op::Lui) return {};
    for (size_t at = *made + 1; at < code_.size() && at < tail + 64; ++at) {
      if (at != n && reads(code_[at], load->rs1) && (at < head || at > tail)) return {};
      if (writes(code_[at], load->rs1)) break;
    }
    return Polled{n, *made, static_cast<uint32_t>(code_[*made].imm) + static_cast<uint32_t>(load->imm)};
  }
  static std::optional<uint32_t> counter_of(uint32_t address) {
    const uint32_t offset = address - arch::kNiuBase;
    if (offset >= 2 * arch::kNiuStride || offset % arch::kNiuStride < arch::niu::counter_offset(0)) return {};
    return (offset % arch::kNiuStride - arch::niu::counter_offset(0)) / 4;
  }
  void change_base(Kind kind, size_t head, size_t tail, const Polled& polled, uint32_t difference) {
    Instruction changed = code_[polled.made];
    changed.imm ^= static_cast<int32_t>(difference);
    add(kind, tail, {{polled.made, isa::riscv::encode(changed)}}, head);
  }

  // The loop loads a counter of an NIU, and nothing but the loop uses the lui that names the NIU.
  void find_noc(size_t head, size_t tail) {
    const std::optional<Polled> polled = polled_by(head, tail);
    if (polled && counter_of(polled->address)) change_base(Kind::Noc, head, tail, *polled, kOtherNoc);
  }
  // It waits for pages of a circular buffer.
  void find_other_stream(size_t head, size_t tail) {
    const std::optional<Polled> polled = polled_by(head, tail);
    if (polled && polled->address - arch::kOverlayBase < arch::kStreams * arch::kStreamStride)
      change_base(Kind::Id, head, tail, *polled, arch::kStreamStride);
  }
  // It waits for the requests of a transaction id.
  void find_other_id(size_t head, size_t tail) {
    for (size_t n = head; n < tail; ++n) {
      if (kind_of(code_[n]) != RvKind::Load) continue;
      const std::optional<uint32_t> base = base_of(n, code_[n].rs1);
      const std::optional<uint32_t> counter =
          base ? counter_of(*base + static_cast<uint32_t>(code_[n].imm)) : std::nullopt;
      constexpr uint32_t kFirst = arch::niu::kMstReqsOutstandingId, kIds = arch::niu::kSlvAtomicRespSent - kFirst;
      if (!counter || *counter - kFirst >= kIds) continue;
      Instruction changed = code_[n];
      changed.imm ^= 4;
      return add(Kind::Id, tail, {{n, isa::riscv::encode(changed)}}, head);
    }
  }

  // A store that stands close behind the loop comes before it, if what it stores is there by then.
  void find_store_behind(size_t head, size_t tail) {
    constexpr size_t kClose = 8;
    size_t at = tail + 1;
    while (at < code_.size() && at <= tail + kClose && !isa::riscv::is_ttinsn(words_[at]) &&
           (kind_of(code_[at]) == RvKind::Alu || kind_of(code_[at]) == RvKind::Fence)) {
      ++at;
    }
    if (at == code_.size() || isa::riscv::is_ttinsn(words_[at]) || kind_of(code_[at]) != RvKind::Store) return;
    for (size_t n = head; n < at; ++n)
      if (writes(code_[n], code_[at].rs1) || writes(code_[n], code_[at].rs2)) return;
    for (size_t n = 0; n < code_.size(); ++n) {
      if (isa::riscv::is_ttinsn(words_[n])) continue;
      if (kind_of(code_[n]) != RvKind::Branch && code_[n].op != Op::Jal) continue;
      const size_t to = n + static_cast<size_t>(static_cast<ptrdiff_t>(code_[n].imm / 4));
      const bool is_within = n >= head && n < at;
      if (is_within ? to < head || to >= at : to > head && to <= at) return;  // not where it should go, afterwards
    }
    std::vector<Change> changes{{head, words_[at]}};
    for (size_t n = head; n < at; ++n) changes.emplace_back(n + 1, words_[n]);
    add(Kind::Swap, tail, changes, head);
  }

  const image::Image& image_;
  const uint32_t base_;
  std::vector<uint32_t> words_;
  std::vector<Instruction> code_;
  std::vector<Mutant>& out_;
};

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, kKinds> names{"loop",      "bound",   "NoC",    "drain",   "STALLWAIT",
                                                       "condition", "SEMWAIT", "SEMGET", "SEMPOST", "ATGETM",
                                                       "block",     "fence",   "swap",   "id",      "MOP word"};
  return names[static_cast<size_t>(kind)];
}

std::vector<Mutant> mutants_of(const image::Image& image) {
  std::vector<Mutant> out;
  for (const image::Segment& segment : image.segments) {
    if (segment.executable) Finder(image, segment, out).find();
  }
  std::ranges::stable_sort(out, {}, &Mutant::address);
  return out;
}

}  // namespace kerr::mutation
