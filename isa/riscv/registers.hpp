#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Integer and float registers and CSRs of the baby RISC-V cores, as values and by name. docs/hardware/tile.md 1.2, 1.4

namespace kerr::isa {

/// An integer register x0..x31.
struct Reg {
  uint8_t number = 0;
  friend constexpr bool operator==(Reg, Reg) = default;
};

/// A float register f0..f31; a type of its own, so that the two files cannot be mixed up.
struct FReg {
  uint8_t number = 0;
  friend constexpr bool operator==(FReg, FReg) = default;
};

/// The ABI names as constants: `using namespace kerr::isa::reg;` where code is emitted.
namespace reg {
inline constexpr Reg zero{0}, ra{1}, sp{2}, gp{3}, tp{4}, t0{5}, t1{6}, t2{7}, s0{8}, fp{8}, s1{9};
inline constexpr Reg a0{10}, a1{11}, a2{12}, a3{13}, a4{14}, a5{15}, a6{16}, a7{17};
inline constexpr Reg s2{18}, s3{19}, s4{20}, s5{21}, s6{22}, s7{23}, s8{24}, s9{25}, s10{26}, s11{27};
inline constexpr Reg t3{28}, t4{29}, t5{30}, t6{31};
inline constexpr FReg ft0{0}, ft1{1}, ft2{2}, ft3{3}, ft4{4}, ft5{5}, ft6{6}, ft7{7}, fs0{8}, fs1{9};
inline constexpr FReg fa0{10}, fa1{11}, fa2{12}, fa3{13}, fa4{14}, fa5{15}, fa6{16}, fa7{17};
inline constexpr FReg fs2{18}, fs3{19}, fs4{20}, fs5{21}, fs6{22}, fs7{23}, fs8{24}, fs9{25}, fs10{26}, fs11{27};
inline constexpr FReg ft8{28}, ft9{29}, ft10{30}, ft11{31};
}  // namespace reg

/// The ABI name: "zero", "ra", "a0"; "ft0", "fa0". Precondition: number < 32.
std::string_view name(Reg reg);
std::string_view name(FReg reg);

/// Accepts ABI names, "fp", and x0..x31 or f0..f31.
std::optional<Reg> reg_named(std::string_view text);
std::optional<FReg> freg_named(std::string_view text);

/// A CSR's name ("cfg0", "mcycle", "tt_cfg_qstatus", ...) or its number in hexadecimal.
std::string csr_name(uint16_t csr);
std::optional<uint16_t> csr_named(std::string_view text);

namespace csr {
inline constexpr uint16_t kCfg0 = 0x7C0, kPmacfg0 = 0x7C1, kPmacfg1 = 0x7C2;
inline constexpr uint16_t kMcycle = 0xB00, kMinstret = 0xB02, kMcycleh = 0xB80, kMinstreth = 0xB82;
inline constexpr uint16_t kQstatus = 0xBC0, kBstatus = 0xBC1, kSstatus0 = 0xBC2, kIntpRestorePc = 0xBCA;
inline constexpr uint16_t kCycle = 0xC00, kInstret = 0xC02, kCycleh = 0xC80, kInstreth = 0xC82;
inline constexpr uint16_t kFcsr = 0x003, kMstatus = 0x300, kMisa = 0x301, kMhartid = 0xF14;
}  // namespace csr

}  // namespace kerr::isa
