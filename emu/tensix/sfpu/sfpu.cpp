#include "emu/tensix/sfpu/sfpu.hpp"

#include <fmt/format.h>

namespace kerr::emu::tensix {

namespace cfg = arch::global_config;

namespace {

// LReg 8..14 after reset. 12 is 1/512, not the 1/65536 of the ISA text: tensix-math.md 1.5 gives the reasons.
constexpr std::array<std::uint32_t, 7> kConstants{0x3F56594B, 0,          0x3F800000, 0xBF800000,
                                                  0x3B000000, 0xBF2CC4C7, 0xBEB08FF9};
constexpr unsigned kFirstConstant = 8, kLaneNumber = 15;
constexpr std::uint32_t kEnableDestIndex = 1u << 2;

}  // namespace

void Sfpu::reset() {
  for (LReg& reg : lregs_) reg.fill(0);
  for (unsigned i = 0; i < kConstants.size(); ++i) lregs_[kFirstConstant + i].fill(kConstants[i]);
  for (unsigned lane = 0; lane < kLanes; ++lane) lregs_[kLaneNumber][lane] = 2 * lane;
  flags_ = 0;
  use_flags_ = false;
  stack_size_ = 0;
  lane_config_ = 0;
  templates_ = {};
  sequences_ = {};
  misc_ = 0;
}

Issue Sfpu::store_template(unsigned vd, std::uint32_t word) {
  templates_[vd - kFirstTemplate] = word;
  return Issue::done();
}

Issue Sfpu::check_writable(unsigned vd) const {
  if (!(lane_config_ & kEnableDestIndex) || vd < 4 || vd >= kGeneral) return Issue::done();
  return Issue::fault(
      FaultCategory::UnpredictableValue,
      fmt::format("writing LReg {} with ENABLE_DEST_INDEX set stores an undefined value (TEN-2932)", vd));
}

std::uint32_t Sfpu::next_random(unsigned lane) {
  if (seed_writes_ != config_.prng_seed_writes()) {
    seed_writes_ = config_.prng_seed_writes();
    random_ = prng_states(config_.bank(0).get(cfg::PRNG_SEED_Seed_Val));
  }
  const std::uint32_t value = random_[lane];
  random_[lane] = prng_step(value);
  return value;
}

}  // namespace kerr::emu::tensix
