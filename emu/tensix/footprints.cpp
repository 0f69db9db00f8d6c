// What an observer is told that an instruction touched: found out just before it executes, by word and state.
// docs/architecture.md "Observing"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/state/dst_footprint.hpp"

namespace kerr::emu {

using isa::tensix::Opcode;
using isa::tensix::Unit;
namespace resource = isa::tensix::resource;
using tensix::SrcRegister;

namespace {

// Bits of banks of SrcA (register 0) and SrcB (1).
constexpr uint8_t bank(unsigned register_, unsigned index) {
  return static_cast<uint8_t>(1u << (2 * register_ + index));
}

// The matrix unit's own banks; ZEROSRC names others.
void foresee_banks(const isa::tensix::Row& row, uint32_t word, const timing::BankPointers& now, Footprint& f) {
  if (row.opcode == Opcode::ZEROSRC) {
    const auto i = isa::tensix::ZEROSRC::decode(word);
    for (unsigned r = 0; r < 2; ++r) {
      if (!(i.src_mask >> r & 1)) continue;
      f.banks_written |= i.bank_mask ? bank(r, 0) | bank(r, 1) : bank(r, i.write_mode ? now.fpu[r] : now.unpack[r]);
    }
    return;
  }
  for (unsigned r = 0; r < 2; ++r) {
    const auto source = r == 0 ? resource::SrcA : resource::SrcB;
    if (row.reads & source) f.banks_read |= bank(r, now.fpu[r]);
    if (row.writes & source) f.banks_written |= bank(r, now.fpu[r]);
  }
}

// Which words an instruction of the configuration unit writes.
Footprint::Words written_words(const isa::tensix::Row& row, uint32_t word) {
  Footprint::Words words;
  switch (row.opcode) {
    case Opcode::WRCFG: {
      const auto i = isa::tensix::WRCFG::decode(word);
      words.first = static_cast<uint8_t>(i.wr128b ? i.cfg_reg & ~3u : i.cfg_reg);
      words.count = i.wr128b ? 4 : 1;
      words.whole = true;
      return words;
    }
    case Opcode::CFGSHIFTMASK:
    case Opcode::STREAMWRCFG:
    case Opcode::RMWCIB0:
    case Opcode::RMWCIB1:
    case Opcode::RMWCIB2:
    case Opcode::RMWCIB3:
      words.first = static_cast<uint8_t>(word);  // all name it in the lowest bits
      words.count = 1;
      words.whole = row.opcode == Opcode::STREAMWRCFG;
      return words;
    default: return words;
  }
}

}  // namespace

uint8_t Coprocessor::valid_banks() const {
  uint8_t valid = 0;
  for (unsigned index = 0; index < 2; ++index) {
    if (state.src_a.owner(index) == SrcRegister::Owner::Fpu) valid |= bank(0, index);
    if (state.src_b.owner(index) == SrcRegister::Owner::Fpu) valid |= bank(1, index);
  }
  return valid;
}

void Coprocessor::foresee(int thread, const isa::tensix::Row& row) {
  const uint32_t word = threads[thread].current;
  footprint = {};
  footprint.banks_valid = valid_banks();
  switch (row.unit) {
    case Unit::Fpu:
      fpu.foresee(thread, word, footprint);
      foresee_banks(row, word, touched.before, footprint);
      break;
    case Unit::Sfpu: sfpu.foresee(thread, word, footprint); break;
    case Unit::Pack: packer.foresee(thread, word, footprint); break;
    case Unit::Unpack: {
      const unsigned n = word >> 23 & 1;
      const bool to_dst = row.opcode == Opcode::UNPACR && unpackers.foresee(thread, word, footprint);
      if (to_dst) {
        footprint.writes_dst = true;  // where, the answer tells
      } else if (row.opcode == Opcode::UNPACR || isa::tensix::UNPACR_NOP::decode(word).unpack_pop == 1) {
        footprint.banks_written |= bank(n, touched.before.unpack[n]);
      }
      break;
    }
    case Unit::Config: {
      Footprint::Words& words = footprint.config = written_words(row, word);
      words.bank = static_cast<uint8_t>(state.config.bank_of(thread));
      if (words.first + words.count > arch::kConfigWords) words.count = 0;
      for (unsigned k = 0; k < words.count; ++k) words.before[k] = state.config.bank(words.bank).words[words.first + k];
      break;
    }
    case Unit::Sync: {
      const bool post = row.opcode == Opcode::SEMPOST, get = row.opcode == Opcode::SEMGET;
      for (unsigned s = 0; s < footprint.semaphores.size(); ++s) {
        const unsigned value = footprint.semaphores[s] = state.semaphores[s].value;
        const bool none = (post && value == arch::kSemaphoreMax) || (get && value == 0);
        if (none && (word >> 2 >> s & 1) != 0) footprint.without_effect |= static_cast<uint8_t>(1u << s);
      }
      break;
    }
    default: break;
  }
  for (unsigned k = 0; k < footprint.rows[0].count && k < 8; ++k) {
    if (state.dst.valid(footprint.rows[0].first + k)) footprint.valid_rows |= static_cast<uint8_t>(1u << k);
  }
}

void Coprocessor::tell_footprint(int thread) {
  const isa::tensix::Row* const row = isa::tensix::row_of(threads[thread].current);
  if (row == nullptr) return;
  switch (row->unit) {
    case Unit::Fpu:
    case Unit::Sfpu:
    case Unit::Pack:
    case Unit::Unpack:
    case Unit::Config:
    case Unit::Sync: break;
    default:
      if (row->opcode != Opcode::SETDVALID) return;
  }
  if (row->unit == Unit::Sfpu && footprint.writes_dst && row->opcode == Opcode::SFPSTORE && touched.dst_count == 0) {
    footprint.writes_dst = false;  // no lane was enabled
  }
  if (row->unit == Unit::Unpack && footprint.writes_dst) {
    footprint.writes_dst = touched.dst_count != 0;
    place_rows(footprint, state.dst.addressing(state.config.seen_by(thread)), touched.dst_first, touched.dst_count,
               footprint.wide_dst);
  }
  Footprint::Words& words = footprint.config;
  for (unsigned k = 0; k < words.count; ++k) words.after[k] = state.config.bank(words.bank).words[words.first + k];
  const uint8_t before = footprint.banks_valid, after = valid_banks();
  footprint.banks_valid = after;
  footprint.banks_given = static_cast<uint8_t>(after & ~before);
  footprint.banks_released = static_cast<uint8_t>(before & ~after);
  for (unsigned r = 0; r < 2; ++r) {
    footprint.fpu_banks[r] = bank(r, touched.after.fpu[r]);
    footprint.next_banks[r] = bank(r, touched.after.unpack[r]);
  }
  observer->touched(actor(thread), footprint);
}

}  // namespace kerr::emu
