#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/windows.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {
namespace {

using namespace emu;

constexpr int kThreadCount = 3;
constexpr unsigned kStepsAtMost = 2000, kRoundsAtEnd = 64;
constexpr Cycle kQuantum = 64;

class Session : WaitBoard, CoprocessorBus, Reporter {
 public:
  Session() : cop_(TileId::at(0, 1, 2), l1_, *this, *this, faults_) {}

  uint64_t run(Input in) {
    for (unsigned n = 0; n < kStepsAtMost && !in.empty() && !faults_.any(); ++n) step(in);
    for (unsigned n = 0; n < kRoundsAtEnd && !faults_.any(); ++n) run_threads(4 * kQuantum);
    uint64_t hash = hash_of(cop_);
    for (int t = 0; t < kThreadCount; ++t) hash = hash * 31 + cop_.describe(t).size() + cop_.threads[t].instructions;
    for (const Fault& f : faults_.take()) hash = hash * 31 + f.text().size();
    return hash;
  }

 private:
  void step(Input& in) {
    const uint32_t action = in.below(20);
    const int thread = static_cast<int>(in.below(kThreadCount));
    uint32_t value = 0;
    switch (action) {
      case 8: push(thread, in.word(), Entry::BeforeMop, 1); break;
      case 9: push(thread, in.any_instruction(), Entry::AfterMop, 1); break;
      case 10: {
        const uint32_t times = 1 + in.below(40);
        push(thread, in.any_instruction(), Entry::BeforeMop, times);
        break;
      }
      case 11: {
        const uint32_t word = in.half() % 672;
        windows_.store_config(4 * word, in.word());
        break;
      }
      case 12: {
        const uint32_t index = in.below(9);
        cop_.threads[thread].front.write_mop_config(index, in.below(2) ? in.any_instruction() : in.half());
        break;
      }
      case 13: {
        const uint32_t index = in.below(64);
        cop_.state.gpr.write(thread, index, in.below(2) ? in.word() : in.half());
        break;
      }
      case 14: plausible_configuration(in); break;
      case 15: {
        const uint32_t offset = in.half() & 0x7FFF, bytes = 1u << in.below(3);
        if (in.below(2)) {
          windows_.store_dst(thread, offset, bytes, in.word());
        } else {
          windows_.load_dst(thread, offset, bytes, value);
        }
        break;
      }
      case 16: {
        const uint32_t index = in.below(8);
        cop_.state.semaphores.store(index, in.byte());
        break;
      }
      case 17: {
        const uint32_t at = in.half() * 24 & 0x17FFFC;
        l1_.store(at, in.word());
        break;
      }
      case 18: odd_doors(in, thread); break;
      case 19: run_threads(1 + in.byte()); break;
      default: push(thread, in.any_instruction(), Entry::BeforeMop, 1); break;
    }
  }

  enum class Entry { BeforeMop, AfterMop };
  void push(int thread, uint32_t word, Entry entry, uint32_t times) {
    tensix::FrontEnd& front = cop_.threads[thread].front;
    const auto pushed = [&] {
      return entry == Entry::AfterMop ? front.push_after_mop(word) : front.push_before_mop(word);
    };
    for (uint32_t n = 0; n < times && !faults_.any(); ++n) {
      for (unsigned tries = 0; !pushed() && tries < 4; ++tries) run_threads(kQuantum);
    }
  }

  void run_threads(Cycle cycles) {
    for (int t = 0; t < kThreadCount; ++t) {
      cop_.threads[t].wake();
      cop_.run(t, cycle_, cycle_ + cycles);
    }
    cycle_ += cycles;
  }

  // Both unpackers, the packer and the matrix unit as programs set them up, in formats of the input's choice.
  void plausible_configuration(Input& in) {
    const uint32_t formats = in.half(), options = in.byte();
    const uint32_t a = formats & 15, b = formats >> 4 & 15, early = formats >> 8 & 15, late = formats >> 12;
    const bool wide = options & 1;
    const uint32_t words[][2] = {{1, a << 17 | b << 21 | early << 25 | uint32_t{wide} << 29 | (options & 2) << 30},
                                 {2, options >> 2 & 1},
                                 {12, wide ? 0x00400004u : 0x00200002u},
                                 {13, wide ? 0x10000400u : 0x08000200u},
                                 {18, wide},
                                 {24, 0xFFFF},
                                 {28, 0x1000},
                                 {64, 0x01000010 | a},
                                 {65, 0x00040001},
                                 {68, late == 6 || late == 7 || late == 15 ? 0x00040000u : 0},
                                 {69, 0x4000},
                                 {70, 1 | late << 4 | early << 8 | (options & 64) << 10},  // from Dst or from L1
                                 {72, 0x20 | a | (options & 8) << 5 | (options & 16) << 5},
                                 {73, options & 32 ? 0xFFu : 0xFu},
                                 {76, 0x2000},
                                 {84, 0x00400040},
                                 {86, 0x01000100},
                                 {112, 0x01000010 | b},
                                 {113, 0x00040001},
                                 {120, 0x20 | b | (options & 128) << 2},  // tilizing
                                 {121, 0xF},
                                 {124, 0x2400}};
    for (const auto& [word, value] : words) windows_.store_config(4 * word, value);
    for (int t = 0; t < kThreadCount; ++t) {
      using namespace isa::tensix;
      push(t, SETADCXX{.x_end2 = 1023, .cnt_set_mask = 3}.encode(), Entry::BeforeMop, 1);
      push(t, SETADCXX{.x_end2 = 15, .cnt_set_mask = 4}.encode(), Entry::BeforeMop, 1);
      push(t, SETC16{.setc16_value = options & 32 ? 0u : 4u, .setc16_reg = 5}.encode(), Entry::BeforeMop, 1);
    }
  }

  void odd_doors(Input& in, int thread) {
    uint32_t value = in.word();
    switch (in.below(7)) {
      case 0: cop_.reset(0, value); break;
      case 1: cop_.reset(value, 0); break;
      case 2: cop_.state.dst.set_high_half(value >> 11 & 1); break;
      case 3: cop_.debug_bus_read(value, value); break;
      case 4: windows_.load_config(value & 0xFFFC, value); break;
      case 5: windows_.store_config(value & 0xFFFC, in.word()); break;
      default: answer_ = in.below(2) ? Access::Done : Access::Fault; break;
    }
    (void)cop_.idle(thread), (void)cop_.threads[thread].front.mop_idle(), (void)cop_.stuck(thread);
  }

  Access load(uint32_t address, BusReply& reply) override { return reply = {address, wait::kNiu}, answer_; }
  Access store(uint32_t, uint32_t, BusReply& reply) override { return reply.wait = wait::kNiu, answer_; }
  void wake(WaitMask what) override {
    for (int t = 0; t < kThreadCount; ++t) {
      if (cop_.threads[t].waits_for & what) cop_.threads[t].wake();
    }
  }
  void wake_line(uint32_t) override {}
  void report(FaultCategory category, uint64_t address, std::string what, std::string advice) override {
    faults_.report({.category = category, .address = address, .what = std::move(what), .advice = std::move(advice)});
  }

  L1 l1_;
  FaultLog faults_;
  Access answer_ = Access::Done;
  Cycle cycle_ = 0;
  Coprocessor cop_;
  tensix::Windows windows_{cop_, *this};
};

}  // namespace

uint64_t fuzz_coprocessor(std::span<const uint8_t> bytes) { return Session().run(Input(bytes)); }

}  // namespace kerr::fuzz
