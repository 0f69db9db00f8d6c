#include "isa/tensix/names.hpp"

namespace kerr::isa::tensix {
namespace {

struct Named {
  std::string_view field, name;
  uint32_t value;
};

constexpr Named kNames[] = {
    {"stall_res", "TDMA", stall::kTdma},        {"stall_res", "SYNC", stall::kSync},
    {"stall_res", "PACK", stall::kPack},        {"stall_res", "UNPACK", stall::kUnpack},
    {"stall_res", "XMOV", stall::kXmov},        {"stall_res", "THCON", stall::kThcon},
    {"stall_res", "MATH", stall::kMath},        {"stall_res", "CFG", stall::kCfg},
    {"stall_res", "SFPU", stall::kSfpu},        {"wait_res", "THCON", wait::kThcon},
    {"wait_res", "UNPACK0", wait::kUnpack0},    {"wait_res", "UNPACK1", wait::kUnpack1},
    {"wait_res", "PACK0", wait::kPack0},        {"wait_res", "MATH", wait::kMath},
    {"wait_res", "SRCA_CLR", wait::kSrcAClear}, {"wait_res", "SRCB_CLR", wait::kSrcBClear},
    {"wait_res", "SRCA_VLD", wait::kSrcAValid}, {"wait_res", "SRCB_VLD", wait::kSrcBValid},
    {"wait_res", "XMOV", wait::kXmov},          {"wait_res", "TRISC_CFG", wait::kTriscCfg},
    {"wait_res", "SFPU", wait::kSfpu},          {"wait_res", "CFGEXU", wait::kCfgUnit},
    {"wait_sem_cond", "ZERO", sem::kWhileZero}, {"wait_sem_cond", "MAX", sem::kWhileMax},
};

}  // namespace

std::optional<uint32_t> value_named(std::string_view field, std::string_view name) {
  for (const Named& n : kNames) {
    if (n.field == field && n.name == name) return n.value;
  }
  return {};
}

std::string_view name_of_resource(Resources one) {
  static constexpr std::string_view kResourceNames[kResourceCount] = {
      "SrcA", "SrcB", "Valid", "Dst", "LReg", "Lane",   "SfpuCfg", "Prng",      "Cfg",   "ThreadCfg", "Gpr",      "Adc",
      "Rwc",  "Sem",  "Mutex", "L1",  "Mmio", "Stream", "MopCfg",  "ReplayBuf", "Latch", "Context",   "PackState"};
  for (int k = 0; k < kResourceCount; ++k) {
    if (one == Resources{1} << k) return kResourceNames[k];
  }
  return {};
}

std::string_view name_of_unit(Unit unit) {
  static constexpr std::string_view kUnitNames[kUnitCount] = {"Mop",  "Replay", "TtSync", "Sync",  "Config", "Scalar",
                                                              "Misc", "Unpack", "Pack",   "Mover", "Fpu",    "Sfpu"};
  return kUnitNames[static_cast<int>(unit)];
}

std::string names_of(std::string_view field) {
  std::string all;
  for (const Named& n : kNames) {
    if (n.field == field) all.append(all.empty() ? "" : ", ").append(n.name);
  }
  return all;
}

}  // namespace kerr::isa::tensix
