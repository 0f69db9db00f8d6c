#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

namespace {

// LReg 8..14 after reset. 12 is 1/512, not the 1/65536 of the ISA text: tensix-math.md 1.5 gives the reasons.
constexpr std::array<uint32_t, 7> kConstants{0x3F56594B, 0, 0x3F800000, 0xBF800000, 0x3B000000, 0xBF2CC4C7, 0xBEB08FF9};
constexpr unsigned kFirstConstant = 8, kLaneNumber = 15;

}  // namespace

void Sfpu::reset() {
  for (LReg& reg : lregs_) reg.fill(0);
  for (unsigned i = 0; i < kConstants.size(); ++i) lregs_[kFirstConstant + i].fill(kConstants[i]);
  for (unsigned lane = 0; lane < kLanes; ++lane) lregs_[kLaneNumber][lane] = 2 * lane;
  flags_ = {};
  stack_size_ = 0;
  lane_config_.reset();
  macros_ = {};
  prng_.reset();
  seed_writes_ = config_.prng_seed_writes();
  for (Rwc& rwc : rwcs_) rwc.sp = 0;
  refresh_enabled();

  busy_ = in_macro_cycle_ = scheduled_ = swapped_last_cycle_ = result_new_ = result_old_ = false;
  queue_ = {};
}

LReg Sfpu::random(LaneMask lanes) {
  if (seed_writes_ != config_.prng_seed_writes()) {
    seed_writes_ = config_.prng_seed_writes();
    prng_.seed(config_.bank(0).get(arch::global_config::PRNG_SEED_Seed_Val));
  }
  return prng_.advance(lanes);
}

// Between two instructions: what lives inside one (before_, mad_new_) is not there. Who was tried last, and when,
// depends on how often a waiting instruction is tried.
void Sfpu::serialize(Archive& a) {
  a(lregs_, flags_, stack_);
  a.below(kStackDepth + 1, stack_size_);
  a(lane_config_, macros_, prng_, enabled_, seed_writes_);
  a(busy_, queue_, swapped_last_cycle_, result_old_);
  if (result_old_ || a.surveying()) a(mad_old_);
  a.below(kThreads, macro_thread_);
  a.machinery(thread_, now_, last_cycle_);
  a.require(thread_ >= 0 && thread_ < kThreads, "an instruction of a thread that does not exist");
}

}  // namespace kerr::emu::tensix
