#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/tensix/resources.hpp"

// Names for the bits of STALLWAIT and SEMWAIT.                          docs/hardware/tensix-datapath.md 5.2, 5.3, 5.4

namespace kerr::isa::tensix {

/// stall_res: which instructions of the thread wait.
namespace stall {
inline constexpr uint32_t kTdma = 0x1, kSync = 0x2, kPack = 0x4, kUnpack = 0x8, kXmov = 0x10, kThcon = 0x20;
inline constexpr uint32_t kMath = 0x40, kCfg = 0x80, kSfpu = 0x100;
}  // namespace stall

/// wait_res: what they wait for.
namespace wait {
inline constexpr uint32_t kThcon = 0x1, kUnpack0 = 0x2, kUnpack1 = 0x4, kPack0 = 0x8, kMath = 0x10;
inline constexpr uint32_t kSrcAClear = 0x20, kSrcBClear = 0x40, kSrcAValid = 0x80, kSrcBValid = 0x100;
inline constexpr uint32_t kXmov = 0x200, kTriscCfg = 0x400, kSfpu = 0x800, kCfgUnit = 0x1000;
}  // namespace wait

/// wait_sem_cond of SEMWAIT.
namespace sem {
inline constexpr uint32_t kWhileZero = 1, kWhileMax = 2;
}  // namespace sem

/// The value of a name in the text of an operand: ("stall_res", "MATH") gives stall::kMath. Nothing if it has no such
/// name.
std::optional<uint32_t> value_named(std::string_view field, std::string_view name);

/// "SrcA", "Cfg", ... of one bit of resource::; empty for anything else.
std::string_view name_of_resource(Resources one);
/// "Fpu", "Scalar", ...
std::string_view name_of_unit(Unit unit);

/// The names an operand knows, "TDMA, SYNC, ...": for messages; empty if it knows none.
std::string names_of(std::string_view field);

}  // namespace kerr::isa::tensix
