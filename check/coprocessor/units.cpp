// What instructions of threads do to Dst and to banks of SrcA and SrcB.
#include <fmt/format.h>

#include <bit>

#include "arch/sync.hpp"
#include "check/coprocessor/lanes.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

using isa::tensix::Opcode;

namespace {

Opcode opcode_of(const Stamp& s) { return static_cast<Opcode>(s.word >> 24); }

// The rows that these write are unreadable for some cycles, and the matrix unit and the packer wait for them.
// docs/hardware/tensix-math.md 12
constexpr bool is_interlocked(Opcode opcode) {
  switch (opcode) {
    case Opcode::MVMUL:
    case Opcode::DOTPV:
    case Opcode::ELWMUL:
    case Opcode::ELWADD:
    case Opcode::ELWSUB:
    case Opcode::GMPOOL:
    case Opcode::GAPOOL: return true;
    default: return false;
  }
}

// These wait at the gate until the bank of each source that they read belongs to the matrix unit.
constexpr bool waits_for_banks(Opcode opcode) { return opcode != Opcode::MOVDBGA2D && opcode != Opcode::MOVDBGB2D; }
// What it clears is ordered by nothing that could be named.
constexpr bool counts_as_ordered(Opcode opcode) { return opcode == Opcode::ZEROSRC; }

// Bits of shared words (shared_bits()). The matrix unit's other instructions move counters, or clear.
constexpr bool reads_config(Opcode opcode) {
  switch (opcode) {
    case Opcode::SETRWC:
    case Opcode::INCRWC:
    case Opcode::CLEARDVALID:
    case Opcode::CLREXPHIST:
    case Opcode::GATESRCRST:
    case Opcode::ZEROACC:
    case Opcode::ZEROSRC: return false;
    default: return true;
  }
}

std::string_view bank_name(size_t bank) {
  constexpr std::string_view names[] = {"SrcA bank 0", "SrcA bank 1", "SrcB bank 0", "SrcB bank 1"};
  return names[bank];
}

// Instructions between the matrix unit's write of Dst and the vector unit's read of it. tensix-math.md 12
constexpr uint64_t kGap = 3;

}  // namespace

void TileChecker::touched(const Actor& a, const emu::Footprint& f) {
  begin_word(a);
  const int t = thread_index(a.agent);
  const auto opcode = static_cast<Opcode>(a.word >> 24);
  if (opcode == Opcode::SEMPOST || opcode == Opcode::SEMGET || opcode == Opcode::SEMINIT)
    return semaphores_changed(a, f);
  ThreadClock& of = thread(t);
  if (f.config.count != 0) config_instruction(a, f);
  if (f.base_word != 0) address_taken(a, f);
  if (a.pusher == emu::Agent::Brisc) {
    // What BRISC gives threads at the boot is done when it lets the other harts go. Edge: boot-words.
    if (f.writes_dst) {
      for (const DstRows::Rows& rows : f.rows) coprocessor_.dst.written(rows, f.clears_dst);
    }
  } else if (const std::optional<Lane> lane = lane_of(a.word)) {
    const uint32_t number = of.issue + 1, c = component::lane(t, *lane);
    const Stamp by = stamp_of(a, place_, c, number);
    if (*lane == Lane::Vector) vector_executed(by);
    if (*lane != Lane::Matrix || reads_config(opcode)) config_used(by, *lane);
    bank_accessed(t, *lane, by, f);
    View view(of.clock);
    view.extra = {place_, c, number};
    if (f.reads_dst || f.writes_dst) dst_accessed(by, view, f);
  }
  hand_over(a, f);
}

void TileChecker::vector_executed(const Stamp& by) {
  VectorRegisters& registers = coprocessor_.vector;
  if (const int r = registers.stored_unwritten(by.word); r >= 0) {
    found(Rule::UninitLreg, nullptr, "", by, "store",
          {.space = Space::None, .tile = view_.tile, .name = fmt::format("LReg {}", r)},
          fmt::format("LReg {}: stored, and nobody has written it since the program began", r));
  }
  registers.executed(by.word);
  vector_registers_used(by);
}

// Edge: shared-unit.
void TileChecker::vector_registers_used(const Stamp& of_lane) {
  const VectorOperands now = vector_operands(of_lane.word);
  if ((now.reads | now.writes) == 0) return;
  const int t = thread_index(of_lane.agent);
  ThreadClock& of = thread(t);
  Stamp by = of_lane;
  by.component = static_cast<uint16_t>(of.component);
  VectorUses& uses = coprocessor_.vector_uses;
  for (int other = 0; other < static_cast<int>(uses.threads.size()); ++other) {
    VectorUses::OfThread& others = uses.threads[static_cast<size_t>(other)];
    if (other == t) continue;
    const auto look = [&](uint32_t registers, const std::array<Stamp, 16>& stamps, bool wrote, uint16_t& used) {
      for (; registers != 0; registers &= registers - 1) {
        const auto r = static_cast<size_t>(std::countr_zero(registers));
        if (of.clock.knows(stamps[r].event())) continue;
        used &= static_cast<uint16_t>(~(1u << r));
        const bool writes = (now.writes >> r & 1) != 0;
        found(Rule::Race, &stamps[r], wrote ? "write" : "read", by, writes ? "write" : "read",
              {.space = Space::None, .tile = view_.tile, .name = fmt::format("LReg {}", r)},
              fmt::format("LReg {}: {} by {}, then {} by {}, and nothing orders the two", r, wrote ? "written" : "read",
                          emu::name(stamps[r].agent), writes ? "written" : "read", emu::name(by.agent)));
      }
    };
    if (others.used.writes != 0)
      look(others.used.writes & (now.reads | now.writes), others.written, true, others.used.writes);
    if (others.used.reads != 0) look(others.used.reads & now.writes, others.read, false, others.used.reads);
  }
  VectorUses::OfThread& own = uses.threads[static_cast<size_t>(t)];
  own.used.reads |= now.reads;
  own.used.writes |= now.writes;
  for (uint32_t r = now.reads; r != 0; r &= r - 1) own.read[static_cast<size_t>(std::countr_zero(r))] = by;
  for (uint32_t r = now.writes; r != 0; r &= r - 1) own.written[static_cast<size_t>(std::countr_zero(r))] = by;
}

// Edge: source-banks.
void TileChecker::take(ThreadClock& of, const HandOver& hand_over, uint32_t& taken) {
  if (hand_over.number == taken) return;
  taken = hand_over.number;
  of.clock.join(hand_over.clock);
  of.clock.raise(hand_over.event);
}

void TileChecker::bank_accessed(int t, Lane lane, const Stamp& by, const emu::Footprint& f) {
  const Opcode opcode = opcode_of(by);
  if ((f.banks_read | f.banks_written) == 0 || counts_as_ordered(opcode)) return;
  ThreadClock& of = thread(t);
  const auto self = static_cast<size_t>(t);
  for (size_t b = 0; b < coprocessor_.banks.size(); ++b) {
    SourceBank& bank = coprocessor_.banks[b];
    const bool reads = f.banks_read >> b & 1, writes = f.banks_written >> b & 1;
    if (!reads && !writes) continue;
    const auto race = [&](const Stamp& first, std::string_view first_op) {
      found(Rule::Race, &first, first_op, by, writes ? "write" : "read",
            {.space = Space::Source, .tile = view_.tile, .address = b, .name = std::string(bank_name(b))},
            fmt::format("{}: {}, {} by the {} of {} and nothing orders the two", bank_name(b),
                        first_op == "write" ? "written" : "used", writes ? "then written" : "then read", name(lane),
                        emu::name(by.agent)));
    };
    if (lane == Lane::Matrix) {
      if (reads && waits_for_banks(opcode)) take(of, bank.given, bank.given_taken[self]);
      if (bank.unpacked.part != Part::Nobody && !of.clock.knows(bank.unpacked.event())) {
        race(bank.unpacked, "write");
        bank.unpacked = {};
      }
      bank.used[self] = by;
    } else {
      take(of, bank.released, bank.release_taken[self]);
      // Without stall_clr_cntrl it waits for the matrix unit's bank, and clears the unpackers'.
      if (opcode == Opcode::UNPACR_NOP)
        take(of, coprocessor_.banks[b ^ 1].released, coprocessor_.banks[b ^ 1].release_taken[self]);
      for (Stamp& used : bank.used) {
        if (used.part == Part::Nobody || of.clock.knows(used.event())) continue;
        race(used, "use");
        used = {};
      }
      bank.unpacked = by;
    }
  }
}

// Behind the accesses of the same instruction, which it includes.
void TileChecker::hand_over(const Actor& a, const emu::Footprint& f) {
  CoprocessorState& state = coprocessor_;
  const int t = thread_index(a.agent);
  ThreadClock& of = thread(t);
  check_bank_pointers(a, f);
  for (size_t r = 0; r < 2; ++r) {
    if (f.fpu_banks[r] != state.fpu_banks[r]) state.flipped[static_cast<size_t>(t)][r] = of.issue + 1;
  }
  state.fpu_banks = f.fpu_banks;
  state.next_banks = f.next_banks;
  state.banks_valid = f.banks_valid;
  state.knows_banks = true;
  if ((f.banks_given | f.banks_released) == 0) return;
  const Lane lane = lane_of(a.word).value_or(Lane::Scalar);  // SETDVALID: no unit's
  const uint32_t c = component::lane(t, lane);
  const HandOver done{of.clock.snapshot(), {place_, c, of.issue + 1}, ++state.hand_overs};
  for (size_t b = 0; b < state.banks.size(); ++b) {
    if (f.banks_given >> b & 1) {
      state.banks[b].given = done;
      state.banks[b].giver = stamp_of(a, place_, c, of.issue + 1);
    }
    if (f.banks_released >> b & 1) state.banks[b].released = done;
  }
}

// A hand-over that no bank was ready for: it moves the pointer of its side alone. docs/hardware/tensix-datapath.md 9
void TileChecker::check_bank_pointers(const Actor& a, const emu::Footprint& f) {
  const CoprocessorState& state = coprocessor_;
  const auto opcode = static_cast<Opcode>(a.word >> 24);
  if (opcode != Opcode::SETDVALID && f.fpu_banks == state.fpu_banks) return;
  if (!state.knows_banks || a.pusher == emu::Agent::Brisc) return;
  const Stamp by =
      stamp_of(a, place_, thread(thread_index(a.agent)).component, thread(thread_index(a.agent)).issue + 1);
  for (size_t r = 0; r < 2; ++r) {
    const auto tell = [&](Rule rule, uint8_t bank, std::string_view op, std::string_view what) {
      const auto b = static_cast<size_t>(std::countr_zero(bank));
      found(rule, nullptr, "", by, op,
            {.space = Space::Source, .tile = view_.tile, .address = b, .name = std::string(bank_name(b))},
            fmt::format("{}: {}", bank_name(b), what));
    };
    if (opcode == Opcode::SETDVALID && (a.word >> r & 1) != 0 && (state.banks_valid & state.next_banks[r]) != 0)
      tell(Rule::SrcDoubleValid, state.next_banks[r], "give", "given to the matrix unit, which has it already");
    if (f.fpu_banks[r] != state.fpu_banks[r] && opcode != Opcode::CLEARDVALID &&
        (state.banks_valid & state.fpu_banks[r]) == 0)
      tell(Rule::SrcFlipInvalid, state.fpu_banks[r], "release", "given back, although the unpackers have it");
  }
}

// All that the unpackers' side has done with a bank comes before a wait for it; of the matrix unit's side the bank that
// its pointer names when its instructions are done. Edge: source-banks.
void TileChecker::take_awaited_banks(int t, uint32_t awaited) {
  ThreadClock& of = thread(t);
  const auto self = static_cast<size_t>(t);
  for (size_t r = 0; r < 2; ++r) {
    for (size_t b = 2 * r; b < 2 * r + 2; ++b) {
      SourceBank& bank = coprocessor_.banks[b];
      if ((awaited >> r & 1) != 0 && (coprocessor_.next_banks[r] >> b & 1) != 0)
        take(of, bank.released, bank.release_taken[self]);
      const bool settled = of.clock.at(component::lane(t, Lane::Matrix)) >= coprocessor_.flipped[self][r];
      if ((awaited >> (2 + r) & 1) != 0 && (coprocessor_.fpu_banks[r] >> b & 1) != 0 && settled)
        take(of, bank.given, bank.given_taken[self]);
    }
  }
}

// Whether hardware keeps the order of two accesses to Dst, which no clock does. What nobody is sure of counts as
// ordered. Edges: shared-unit, dst-interlock, clear-then-signal, compute-order.
bool TileChecker::units_keep_order(const Stamp& earlier, bool wrote, const Stamp& by, const View& view) const {
  if (earlier.place != place_ || !component::is_lane(earlier.component)) return true;
  const Lane first = component::lane_of(earlier.component), then = component::lane_of(by.component);
  const int t = component::thread_of_lane(earlier.component);
  const auto computes = [](Lane lane) { return lane == Lane::Matrix || lane == Lane::Vector; };
  if (earlier.agent == by.agent && computes(first) && computes(then)) return true;
  const bool issued = view.knows(Event{place_, component::issue(t), static_cast<uint32_t>(earlier.number)});
  if (first == then || opcode_of(earlier) == Opcode::ZEROACC) return issued;
  return issued && wrote && first == Lane::Matrix && then == Lane::Packer && is_interlocked(opcode_of(earlier));
}

void TileChecker::dst_accessed(const Stamp& by, const View& view, const emu::Footprint& f) {
  DstRows& dst = coprocessor_.dst;
  if (f.scattered) {
    if (f.writes_dst) dst.forget();
    return;
  }
  const auto object = [&](uint32_t row, uint32_t rows) {
    return Object{.space = Space::Dst,
                  .tile = view_.tile,
                  .address = row,
                  .bytes = rows,
                  .name = fmt::format("rows {} to {} of Dst", row, row + rows - 1)};
  };
  if (f.reads_dst && dst.undefined(f.rows[0], f.valid_rows)) {
    found(Rule::UninitDst, nullptr, "", by, "read", object(f.rows[0].first, f.rows[0].count),
          fmt::format("rows {} to {} of Dst: read, and nobody has written them since the program began",
                      f.rows[0].first, f.rows[0].first + f.rows[0].count - 1));
    dst.written(f.rows[0], false);
  }
  bool told = false;  // one finding for all rows of an instruction
  const auto look = [&](bool writes) {
    return [&, writes](const Stamp& earlier, bool wrote, uint64_t first, uint64_t) {
      if (told) return;
      const uint32_t row = DstRows::row(first);
      const bool gap = !writes && wrote && earlier.agent == by.agent && component::is_lane(earlier.component) &&
                       component::lane_of(earlier.component) == Lane::Matrix &&
                       component::lane_of(by.component) == Lane::Vector && opcode_of(earlier) != Opcode::ZEROACC &&
                       by.number - earlier.number <= kGap;
      if (!gap && units_keep_order(earlier, wrote, by, view)) return;
      told = true;
      const std::string rows = fmt::format("rows {} to {} of Dst", row, row + 7);
      if (gap) {
        found(Rule::SfpuGap, &earlier, "write", by, "read", object(row, 8),
              fmt::format("{}: read {} instructions behind the matrix unit's write, three must lie between", rows,
                          by.number - earlier.number));
        return;
      }
      found(Rule::Race, &earlier, wrote ? "write" : "read", by, writes ? "write" : "read", object(row, 8),
            fmt::format("{}: {}, {} by the {} of {} and nothing orders the two", rows, wrote ? "written" : "read",
                        writes ? "then written" : "then read", name(component::lane_of(by.component)),
                        emu::name(by.agent)));
    };
  };
  for (const DstRows::Rows& rows : f.rows) {
    if (rows.count == 0) continue;
    const uint64_t at = DstRows::address(rows.first), bytes = DstRows::address(rows.count);
    if (!f.writes_dst) {  // else whatever is in the way of a read is in that of the write
      dst.shadow().read(at, bytes, by, view, directory_, look(false));
      continue;
    }
    dst.shadow().write(at, bytes, by, view, directory_, look(true));
    dst.written(rows, f.clears_dst);
  }
}

// All three harts have ended their kernels, and their threads are idle.
void TileChecker::check_coprocessor_at_the_end() {
  constexpr auto kSections = static_cast<size_t>(arch::Semaphore::MathPack);
  const NumberedSemaphore& sections = coprocessor_.semaphore(kSections);
  const Stamp* const post = sections.last_post();
  if (const uint32_t left = sections.value().value_or(0); left != 0 && post != nullptr) {
    found(Rule::DstUnbalanced, nullptr, "", *post, "post",
          {.space = Space::Semaphore,
           .tile = view_.tile,
           .address = kSections,
           .name = fmt::format("semaphore {}", kSections)},
          fmt::format("{} of Dst given to the packer, and not taken before the program ended",
                      left == 1 ? "a section" : fmt::format("{} sections", left)));
  }
  for (size_t m = 0; m < coprocessor_.mutexes.size(); ++m) {
    if (coprocessor_.mutexes[m].holder < 0) continue;
    found(Rule::MutexHeld, nullptr, "", coprocessor_.mutexes[m].taken, "take", mutex_object(m),
          fmt::format("mutex {}: taken, and not given back before the program ended", m));
  }
  for (size_t b = 0; b < coprocessor_.banks.size(); ++b) {
    if ((coprocessor_.banks_valid >> b & 1) == 0) continue;
    const Stamp& by = coprocessor_.banks[b].giver;
    if (by.part == Part::Nobody) continue;
    found(Rule::SrcUnconsumed, nullptr, "", by, "give",
          {.space = Space::Source, .tile = view_.tile, .address = b, .name = std::string(bank_name(b))},
          fmt::format("{}: handed to the matrix unit, and never given back before the program ended", bank_name(b)));
  }
}

}  // namespace kerr::check
