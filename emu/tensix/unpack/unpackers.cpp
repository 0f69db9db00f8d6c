#include "emu/tensix/unpack/unpackers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/tensix/unpack/settings.hpp"
#include "emu/tensix/unpack/source.hpp"
#include "emu/tensix/unpack/target.hpp"

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using isa::tensix::SETDVALID;
using isa::tensix::UNPACR;
using isa::tensix::UNPACR_NOP;

namespace {

constexpr unsigned kRowsOfSet = 16;
constexpr unsigned kRowMask = math::kSrcRows - 1;

AdcUnit adc_unit(unsigned unpacker) { return unpacker == 0 ? AdcUnit::Unpacker0 : AdcUnit::Unpacker1; }

unsigned set_base_rows(const ThreadConfig& thread, unsigned unpacker) {
  return thread.get(unpacker == 0 ? thread_cfg::SRCA_SET_Base : thread_cfg::SRCB_SET_Base) * kRowsOfSet;
}

// Whose X and Y counters an UNPACR reads. addr_cnt_context_id = 0 means the issuing thread (11.3).
int x_y_thread(int thread, const UNPACR& i) {
  return i.ovrd_thread_id && i.addr_cnt_context_id != 0 ? static_cast<int>(i.addr_cnt_context_id) : thread;
}

const char* not_free(unsigned unpacker) {
  return unpacker == 0 ? "the SrcA bank of the unpackers still belongs to the matrix unit"
                       : "the SrcB bank of the unpackers still belongs to the matrix unit";
}

}  // namespace

Issue Unpackers::exec(int thread, const UNPACR& i) {
  const unsigned n = i.unpack_block_selection;
  const ThreadConfig& own = config_.thread(thread);
  const ConfigBank& config = config_.seen_by(thread);
  uint8_t& counter = counters_[n][static_cast<size_t>(thread)];

  if (i.search_cache_flush) return Issue::done();  // row starts are read anew each time: there is no cache to drop
  if (i.cfg_context_cnt_inc) {
    if (config.flag(arch::of_unpacker(cfg::THCON_SEC0_REG2_Context_count_non_log2_en, n))) {
      return Issue::unsupported(
          fmt::format("unpacker {}: neither the ISA page of UNPACR nor LLK says how Context_count_non_log2 counts", n));
    }
    const unsigned contexts = 1u << config.get(arch::of_unpacker(cfg::THCON_SEC0_REG2_Context_count, n));
    counter = static_cast<uint8_t>(counter + 1u >= contexts ? 0 : counter + 1);
    return Issue::done();
  }

  SrcRegister& src = target(n);
  if (!src.unpacker_may_write()) return Issue::wait(src.what(), not_free(n));

  UnpackSettings settings;
  if (Issue refused = gather(config, own, i, counter, settings); !refused.is_done()) return refused;
  if (settings.unknown && !tolerance_.has(Oddity::UnpackFormats)) {
    return Issue::odd(Oddity::UnpackFormats, static_cast<uint32_t>(math::code_of(settings.format.in) << 4 |
                                                                   math::code_of(settings.format.out)));
  }
  const Adc& adc = adcs_.of(thread, adc_unit(n));
  UnpackSource source;
  if (Issue refused = locate(settings, adcs_.of(x_y_thread(thread, i), adc_unit(n)), adc, l1_, source);
      !refused.is_done()) {
    return refused;
  }
  UnpackTarget to;
  if (Issue refused = source.count == 0
                          ? Issue::done()
                          : aim(config, own, settings, adc, src.row_base[static_cast<size_t>(thread)], source, to);
      !refused.is_done()) {
    return refused;
  }

  const bool zeros = i.zero_write2;
  if (l1_.checked() && source.reads != 0 && !zeros) source.announce(l1_);
  if (source.count == 0) {  // an empty row of compressed data
  } else if (settings.to_dst) {
    write_dst(source, to, zeros, l1_, dst_.addressing(config), dst_);
  } else if (settings.unknown) {
    src.lose({rows_of(source, to, false), i.encode(), thread, settings.format.in, settings.format.out});
  } else {
    write_src(source, to, zeros, l1_, src.unpack_bank());
    if (!src.unpackers_know()) [[unlikely]]
      src.learn(src.unpack_index(), rows_of(source, to, true));
  }

  step_counters(thread, i);
  if (i.ovrd_thread_id && i.auto_inc_context_id) {
    const unsigned contexts = 1u << config.get(arch::of_unpacker(cfg::THCON_SEC0_REG2_Context_count, n));
    counter = static_cast<uint8_t>(settings.context + 1 >= contexts ? 0 : settings.context + 1);
  }
  if (i.set_dat_valid) {
    src.give_to_fpu(settings.format.out);
    reset_row_base(thread, n);
  } else if (config.flag(arch::of_unpacker(cfg::THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd, n))) {
    uint8_t& row = src.row_base[static_cast<size_t>(thread)];
    row = static_cast<uint8_t>((row + kRowsOfSet + set_base_rows(own, n)) & kRowMask);
  }

  const uint32_t bytes = source.count * math::datum_bits(source.format.in) / 8;
  if (!settings.to_dst) return Issue::done().moved(bytes);
  const unsigned rows =
      static_cast<unsigned>((to.datum % math::kColumns + source.positions() + math::kColumns - 1) / math::kColumns);
  return Issue::done()
      .wrote_dst(static_cast<unsigned>(to.datum / math::kColumns - 4) & (Dst::kRows - 1), std::min(rows, Dst::kRows))
      .moved(bytes);
}

bool Unpackers::foresee(int thread, uint32_t word, Footprint& f) {
  const UNPACR i = UNPACR::decode(word);
  if (i.search_cache_flush || i.cfg_context_cnt_inc) return false;
  UnpackSettings settings;
  const uint8_t counter = counters_[i.unpack_block_selection][static_cast<size_t>(thread)];
  if (!gather(config_.seen_by(thread), config_.thread(thread), i, counter, settings).is_done()) return false;
  f.base_word = static_cast<uint8_t>(
      arch::of_unpacker(cfg::THCON_SEC0_REG3_Base_address.words_on(settings.context), i.unpack_block_selection).word);
  f.base_bank = static_cast<uint8_t>(config_.bank_of(thread));
  f.wide_dst = math::unpacks_to_wide_dst(settings.format);
  return settings.to_dst;
}

// In multi-context mode the thread that lent its X and Y counters steps too, once.
void Unpackers::step_counters(int thread, const UNPACR& i) {
  const auto step = [&](Adc& adc) {
    adc.channel[0].z.increment(i.addr_mode & 3);
    adc.channel[0].y.increment(i.addr_mode >> 2 & 3);
    adc.channel[1].z.increment(i.addr_mode >> 4 & 3);
    adc.channel[1].y.increment(i.addr_mode >> 6 & 3);
  };
  const AdcUnit unit = adc_unit(i.unpack_block_selection);
  step(adcs_.of(thread, unit));
  const int lender = x_y_thread(thread, i);
  if (lender != thread) step(adcs_.of(lender, unit));
}

void Unpackers::reset_row_base(int thread, unsigned unpacker) {
  target(unpacker).row_base[static_cast<size_t>(thread)] =
      static_cast<uint8_t>(set_base_rows(config_.thread(thread), unpacker));
}

// Clears the unpackers' bank, though without stall_clr_cntrl it is the matrix unit's bank that it waits for.
Issue Unpackers::exec(int thread, const UNPACR_NOP& i) {
  constexpr unsigned kClearSource = 1, kNop = 2, kOnlySetValid = 3, kZero = 0, kAllOnes = 1;
  const unsigned n = i.unpacker_select;
  if (i.unpack_pop == kNop) return Issue::done();
  if (i.unpack_pop != kClearSource) {
    return Issue::unsupported(
        fmt::format("UNPACR_NOP with unpack_pop = {} clears messages of a NoC overlay stream: the ISA page of "
                    "Wormhole's form calls it unsupported functionality, and Blackhole's operands have no page",
                    i.unpack_pop));
  }
  if (i.clr_to1_fmt_ctrl == kOnlySetValid) {  // neither waits nor clears
    hand_over(thread, n);
    return Issue::done();
  }
  if (i.src_clr_val_ctrl > kAllOnes) {
    return Issue::unsupported(
        fmt::format("UNPACR_NOP with src_clr_val_ctrl = {} is not modelled: no document says which 19 bits {} gives",
                    i.src_clr_val_ctrl, i.src_clr_val_ctrl == 2 ? "\"one\"" : "NOP_REG_CLR_VAL"),
        "Values 0 (zero) and 1 (all ones) are.");
  }
  if (i.bank_clr_ctrl) {
    return Issue::unsupported(
        "UNPACR_NOP with bank_clr_ctrl = 1 clears both banks, whoever owns them: its ISA page calls it unsupported "
        "functionality, because the other bank races with the matrix unit");
  }

  SrcRegister& src = target(n);
  const unsigned awaited = i.stall_clr_cntrl ? src.unpack_index() : src.fpu_index();
  if (src.owner(awaited) != SrcRegister::Owner::Unpackers) return Issue::wait(src.what(), not_free(n));

  math::SrcBank& bank = src.unpack_bank();
  std::fill_n(&bank.cells[0][0], math::kSrcRows * math::kColumns, i.src_clr_val_ctrl == kZero ? 0 : math::kCellMask);
  bank.changed();
  src.learn(src.unpack_index(), ~uint64_t{0});
  if (i.set_dvalid) hand_over(thread, n);
  return Issue::done();
}

// As if an UNPACR in the configured format had filled the bank.
void Unpackers::hand_over(int thread, unsigned n) {
  target(n).give_to_fpu(
      math::format_from_code(config_.seen_by(thread).get(arch::of_unpacker(cfg::THCON_SEC0_REG2_Out_data_format, n))));
  reset_row_base(thread, n);
}

Issue Unpackers::exec(int thread, const SETDVALID& i) {
  for (unsigned n = 0; n < 2; ++n) {
    if (!(i.setvalid >> n & 1)) continue;
    target(n).give_to_fpu();
    reset_row_base(thread, n);
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix
