// The coprocessor as registers of the hart that feeds a thread of it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "arch/tensix_config.hpp"
#include "debug/own_registers.hpp"
#include "emu/tensix/coprocessor.hpp"

namespace kerr::debug {

namespace {

using emu::Tile;
using emu::tensix::State;
using Words = std::span<const uint32_t>;
using Out = std::span<uint32_t>;

State& state_of(Tile& tile) { return tile.coprocessor().state; }
int thread_of(arch::Hart hart) { return emu::thread_of(hart); }
emu::tensix::Rwc& rwc_of(Tile& tile, arch::Hart hart) {
  return state_of(tile).rwcs[static_cast<size_t>(thread_of(hart))];
}

OwnRegister semaphore(unsigned index) {
  return {.name = fmt::format("sem{}", index),
          .type = "kerr_semaphore",
          .get =
              [=](Tile& tile, arch::Hart, Out out) {
                const emu::tensix::Semaphore& semaphore = state_of(tile).semaphores[index];
                out[0] = semaphore.value | uint32_t{semaphore.max} << 8;
              },
          .set = [=](Tile& tile, arch::Hart, Words words) -> std::string {
            const uint32_t value = words[0] & 0xFF, max = words[0] >> 8;
            if (value > arch::kSemaphoreMax || max > arch::kSemaphoreMax)
              return fmt::format("a semaphore's value and maximum are 0 to {}", arch::kSemaphoreMax);
            state_of(tile).semaphores.init(index, value, max);
            return "";
          }};
}

OwnRegister gpr(unsigned index) {
  return {
      .name = fmt::format("gpr{}", index),
      .type = "uint32",
      .get = [=](Tile& tile, arch::Hart hart, Out out) { out[0] = state_of(tile).gpr.read(thread_of(hart), index); },
      .set = [=](Tile& tile, arch::Hart hart, Words words) -> std::string {
        state_of(tile).gpr.write(thread_of(hart), index, words[0]);
        return "";
      }};
}

// A row counter, which wraps at `limit`.
template <class T>
OwnRegister row_counter(std::string name, T emu::tensix::Rwc::*member, uint32_t limit) {
  return {.name = std::move(name),
          .type = "uint32",
          .get = [=](Tile& tile, arch::Hart hart, Out out) { out[0] = rwc_of(tile, hart).*member; },
          .set = [=](Tile& tile, arch::Hart hart, Words words) -> std::string {
            if (words[0] >= limit) return fmt::format("this counter is 0 to {}", limit - 1);
            rwc_of(tile, hart).*member = static_cast<T>(words[0]);
            return "";
          }};
}

// The counters of a unit's channel, which are of one thread: X, Y, Z, W, and what they return to.
OwnRegister address_counters(const char* unit_name, emu::tensix::AdcUnit unit, size_t channel) {
  const auto counters = [=](Tile& tile, arch::Hart hart) -> std::array<emu::tensix::AdcCounter*, 4> {
    emu::tensix::AdcChannel& of = state_of(tile).adcs.of(thread_of(hart), unit).channel[channel];
    return {&of.x, &of.y, &of.z, &of.w};
  };
  return {.name = fmt::format("adc_{}_ch{}", unit_name, channel),
          .type = "kerr_address_counters",
          .bits = 8 * 32,
          .get =
              [=](Tile& tile, arch::Hart hart, Out out) {
                const auto of = counters(tile, hart);
                for (size_t i = 0; i < of.size(); ++i) out[i] = of[i]->value, out[4 + i] = of[i]->cr;
              },
          .set = [=](Tile& tile, arch::Hart hart, Words words) -> std::string {
            const auto of = counters(tile, hart);
            for (size_t i = 0; i < of.size(); ++i) {
              if (words[i] > of[i]->mask || words[4 + i] > of[i]->mask)
                return fmt::format("{} is 0 to {:#x}", "XYZW"[i], of[i] -> mask);
            }
            for (size_t i = 0; i < of.size(); ++i) of[i]->value = words[i], of[i]->cr = words[4 + i];
            return "";
          }};
}

// The bank of configuration that the thread sees.
OwnRegister configuration() {
  return {.name = "cfg",
          .type = "kerr_config",
          .bits = 32 * arch::kConfigWords,
          .get = [](Tile& tile, arch::Hart hart,
                    Out out) { std::ranges::copy(state_of(tile).config.seen_by(thread_of(hart)).words, out.begin()); },
          .set = [](Tile& tile, arch::Hart hart, Words words) -> std::string {
            emu::tensix::Config& config = state_of(tile).config;
            const unsigned bank = config.bank_of(thread_of(hart));
            const auto before = config.bank(bank).words;
            for (unsigned i = 0; i < before.size(); ++i)
              if (words[i] != before[i]) config.write(bank, i, words[i]);
            return "";
          }};
}

OwnRegister thread_configuration() {
  static_assert(arch::kThreadConfigWords % 2 == 0);
  return {.name = "thcfg",
          .type = "kerr_thread_config",
          .bits = 16 * arch::kThreadConfigWords,
          .get =
              [](Tile& tile, arch::Hart hart, Out out) {
                const auto& words = state_of(tile).config.thread(thread_of(hart)).words;
                for (size_t i = 0; i < words.size(); i += 2) out[i / 2] = words[i] | uint32_t{words[i + 1]} << 16;
              },
          .read_only = "SETC16 alone writes it"};
}

OwnRegister vector_register(unsigned index) {
  OwnRegister out{.name = fmt::format("lreg{}", index),
                  .type = "kerr_lanes",
                  .bits = 32 * emu::tensix::kLanes,
                  .get = [=](Tile& tile, arch::Hart,
                             Out words) { std::ranges::copy(tile.coprocessor().sfpu.lreg(index), words.begin()); },
                  .read_only = "it is a constant, or what only macros write"};
  const bool is_writable = index < 8 || (index >= 11 && index < 15);
  if (is_writable) {
    out.set = [=](Tile& tile, arch::Hart, Words words) -> std::string {
      emu::tensix::LReg value;
      std::ranges::copy(words, value.begin());
      tile.coprocessor().sfpu.set_lreg(index, value);
      return "";
    };
  }
  return out;
}

OwnRegister looked_at(std::string name, std::string type, uint32_t (*value)(Tile&, arch::Hart)) {
  return {.name = std::move(name), .type = std::move(type), .get = [=](Tile& tile, arch::Hart hart, Out out) {
            out[0] = value(tile, hart);
          }};
}

uint32_t bank_owners(Tile& tile, arch::Hart) {
  uint32_t out = 0;
  unsigned bit = 0;
  for (const emu::tensix::SrcRegister* source : {&state_of(tile).src_a, &state_of(tile).src_b}) {
    const auto add = [&](bool value) { out |= uint32_t{value} << bit++; };
    add(source->owner(0) == emu::tensix::SrcRegister::Owner::Fpu);
    add(source->owner(1) == emu::tensix::SrcRegister::Owner::Fpu);
    add(source->unpack_index() != 0);
    add(source->fpu_index() != 0);
  }
  return out;
}

uint32_t words_on_their_way(Tile& tile, arch::Hart hart) {
  uint32_t count = 0;
  const auto& front = tile.coprocessor().threads[static_cast<size_t>(thread_of(hart))].front;
  front.any_word([&](uint32_t) { return ++count, false; });
  return count;
}

}  // namespace

std::vector<OwnRegister> tensix_registers() {
  using emu::tensix::AdcUnit;
  using emu::tensix::Rwc;
  std::vector<OwnRegister> all;
  for (unsigned i = 0; i < arch::kSemaphores; ++i) all.push_back(semaphore(i));
  for (unsigned i = 0; i < emu::tensix::Gpr::kCount; ++i) all.push_back(gpr(i));
  all.push_back(row_counter("rwc_a", &Rwc::a, 64));
  all.push_back(row_counter("rwc_a_cr", &Rwc::a_cr, 64));
  all.push_back(row_counter("rwc_b", &Rwc::b, 64));
  all.push_back(row_counter("rwc_b_cr", &Rwc::b_cr, 64));
  all.push_back(row_counter("rwc_dst", &Rwc::dst, 1024));
  all.push_back(row_counter("rwc_dst_cr", &Rwc::dst_cr, 1024));
  all.push_back(row_counter("rwc_sp", &Rwc::sp, 1024));
  all.push_back(row_counter("rwc_fidelity", &Rwc::fidelity, 4));
  for (const auto& [name, unit] : {std::pair("unp0", AdcUnit::Unpacker0), std::pair("unp1", AdcUnit::Unpacker1),
                                   std::pair("pack", AdcUnit::Packer)}) {
    for (const size_t channel : {0, 1}) all.push_back(address_counters(name, unit, channel));
  }
  all.push_back(looked_at("cfg_state_id", "uint32", [](Tile& tile, arch::Hart hart) {
    return uint32_t{state_of(tile).config.bank_of(thread_of(hart))};
  }));
  all.push_back(configuration());
  all.push_back(thread_configuration());
  all.push_back(looked_at("src_banks", "kerr_banks", &bank_owners));
  all.push_back(looked_at("latched_wait", "uint32", [](Tile& tile, arch::Hart hart) {
    const auto& gate = tile.coprocessor().gates[static_cast<size_t>(thread_of(hart))];
    return gate.latched() ? uint32_t{gate.block_mask()} : 0;
  }));
  all.push_back(looked_at("gate_word", "uint32", [](Tile& tile, arch::Hart hart) {
    const emu::CoprocessorThread& thread = tile.coprocessor().threads[static_cast<size_t>(thread_of(hart))];
    return thread.has_current ? thread.current : 0;
  }));
  all.push_back(looked_at("fifo_words", "uint32", &words_on_their_way));
  all.push_back(
      looked_at("lane_flags", "uint32", [](Tile& tile, arch::Hart) { return tile.coprocessor().sfpu.flags(); }));
  all.push_back(
      looked_at("lanes_enabled", "uint32", [](Tile& tile, arch::Hart) { return tile.coprocessor().sfpu.enabled(); }));
  for (unsigned i = 0; i < emu::tensix::Sfpu::kLRegs; ++i) all.push_back(vector_register(i));
  return all;
}

}  // namespace kerr::debug
