#include "oracle/instructions/maker.hpp"

#include <utility>

#include "arch/sync.hpp"
#include "arch/tile_registers.hpp"
#include "isa/disassembler.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

// Settings of DBG_BUS_CTRL, each read in four slices.   docs/hardware/tile.md 3.4
constexpr std::array<std::pair<unsigned, unsigned>, 10> kSignals{
    {{6, 0}, {6, 1}, {6, 2}, {6, 3}, {6, 4}, {6, 5}, {6, 9}, {3, 2}, {3, 3}, {3, 4}}};

constexpr bool has_shared_exponent(unsigned format) { return format == 6 || format == 7 || format == 15; }

}  // namespace

uint32_t CaseMaker::field(unsigned bits) {
  const uint32_t top = bits == 32 ? ~0u : (1u << bits) - 1;
  switch (below(8)) {
    case 0: return 0;
    case 1: return top;
    case 2: return 1u << below(bits);
    default: return any() & top;
  }
}

uint32_t CaseMaker::edge_word() {
  switch (below(10)) {
    case 0: return 0;
    case 1: return ~0u;
    case 2: return 1u << below(32);
    case 3: return (1u << below(32)) - 1;
    case 4: return ~(1u << below(32));
    case 5: return 0x80000000 + below(3) - 1;
    case 6: return any() & 0xFFFF;
    case 7: return any() << 16;
    default: return any();
  }
}

uint32_t CaseMaker::datum(unsigned format, bool tame) {
  const auto floating = [&](unsigned exponent_bits, unsigned mantissa_bits) -> uint32_t {
    const uint32_t top = (1u << exponent_bits) - 1, centre = top / 2, m_top = (1u << mantissa_bits) - 1;
    uint32_t exponent = tame ? centre - 3 + below(7) : below(top + 1);
    uint32_t mantissa = any() & m_top;
    switch (below(12)) {
      case 0: exponent = 0; break;                                             // denormal
      case 1: exponent = mantissa = 0; break;                                  // zero
      case 2: mantissa = 0; break;                                             // a power of two
      case 3: mantissa = m_top; break;                                         // carries
      case 4: mantissa = (mantissa & ~(m_top >> 2)) | (m_top / 8 + 1); break;  // ties
      case 5: exponent = tame ? exponent : top - below(2); break;              // largest, infinity, NaN
      case 6:
        exponent = top, mantissa = one_in(2) ? 0 : mantissa;
        if (!tame) break;
        exponent = centre;
        break;
      default: break;
    }
    return below(2) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa;
  };
  switch (format) {
    case 0:
    case 4: return floating(8, 23);
    case 1: return floating(5, 10);
    case 5: return floating(8, 7);
    case 10: return one_in(2) ? floating(5, 2) : floating(4, 3);
    case 6:
    case 2: return field(8);
    case 8: return one_in(2) ? edge_word() : (any() & 0x800000FF);
    case 9: return field(16);
    case 14: return field(8);
    default: return any();
  }
}

std::vector<uint8_t> CaseMaker::tile_of(unsigned format, unsigned count) {
  std::vector<uint8_t> out;
  const bool tame = !one_in(3);
  if (has_shared_exponent(format)) {
    for (unsigned n = 0; n < count / 16; ++n)
      out.push_back(static_cast<uint8_t>(tame ? 120 + below(12) : one_in(4) ? 255 * below(2) : below(256)));
  }
  const unsigned bits = (format & 3) == 0 ? 32 : (format & 3) == 1 ? 16 : (format & 3) == 2 ? 8 : format == 15 ? 2 : 4;
  for (unsigned n = 0; n < count * bits / 8;) {
    const uint32_t v = bits < 8 ? field(8) : datum(format, tame);
    for (unsigned k = 0; k < std::max(bits, 8u); k += 8, ++n) out.push_back(static_cast<uint8_t>(v >> k));
  }
  return out;
}

void CaseMaker::push_word(uint32_t word) {
  out_.tile.text.push_back(isa::disassemble_tensix(word));
  program_.push(word);
}

void CaseMaker::mop_config(unsigned index, uint32_t value) {
  out_.tile.text.push_back("mop_cfg[" + std::to_string(index) + "] = " + isa::disassemble_tensix(value));
  program_.mop_config(index, value);
}

void CaseMaker::random_gprs() {
  for (unsigned r = 0; r < 64; ++r) program_.store(gpr_address(r), edge_word());
}

void CaseMaker::start_of_tile(unsigned unpackers) {
  push(SETADCXX{.x_start = 0, .x_end2 = 1023, .cnt_set_mask = unpackers});
  push(SETADCXX{.x_start = 0, .x_end2 = 15, .cnt_set_mask = 4});
  push(SETADCXY{.bit_mask = 10, .cnt_set_mask = 7});
  push(SETADCZW{.bit_mask = 15, .cnt_set_mask = 7});
  push(SETRWC{.bit_mask = 15});
  push(ZEROACC{.clear_mode = 3});
}

void CaseMaker::show_register(uint32_t address) {
  program_.copy(kState + shown_, address);
  shown_ += 4;
}

void CaseMaker::show_gprs() {
  for (unsigned r = 0; r < 64; ++r) show_register(gpr_address(r));
}

void CaseMaker::show_semaphores() {
  for (int s = 0; s < arch::kSemaphores; ++s) show_register(arch::semaphore_address(s));
}

void CaseMaker::show_counters() {
  for (const auto& [daisy, signal] : kSignals) {
    for (unsigned slice = 0; slice < 4; ++slice) {
      program_.store(arch::kDbgBusCtrl, 1u << 29 | slice << 25 | daisy << 16 | signal);
      show_register(arch::kDbgRdData);
    }
  }
}

void CaseMaker::show_config(std::initializer_list<unsigned> words) {
  for (const unsigned w : words) show_register(arch::kConfigBase + 4 * w);
}

void CaseMaker::finish() {
  if (shown_ != 0) show(kState, shown_);
  out_.tile.programs[hart_] = program_;
}

}  // namespace kerr::oracle
