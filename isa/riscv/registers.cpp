#include "isa/riscv/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace kerr::isa {
namespace {

constexpr std::array<std::string_view, 32> kNames = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

constexpr std::array<std::string_view, 32> kFloatNames = {
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

struct NamedCsr {
  uint16_t number;
  std::string_view name;
};

constexpr std::array kCsrs = {
    NamedCsr{0x003, "fcsr"},
    NamedCsr{0x008, "vstart"},
    NamedCsr{0x009, "vxsat"},
    NamedCsr{0x00A, "vxrm"},
    NamedCsr{0x300, "mstatus"},
    NamedCsr{0x301, "misa"},
    NamedCsr{0x320, "mcountinhibit"},
    NamedCsr{0x323, "mhpmevent3"},
    NamedCsr{0x324, "mhpmevent4"},
    NamedCsr{0x7C0, "cfg0"},
    NamedCsr{0x7C1, "pmacfg0"},
    NamedCsr{0x7C2, "pmacfg1"},
    NamedCsr{0x7C3, "cfg1"},
    NamedCsr{0x7C4, "hwa_mask"},
    NamedCsr{0x7C5, "hwa_cfg"},
    NamedCsr{0x7C6, "vgsrc"},
    NamedCsr{0xB00, "mcycle"},
    NamedCsr{0xB02, "minstret"},
    NamedCsr{0xB03, "mhpmcounter3"},
    NamedCsr{0xB04, "mhpmcounter4"},
    NamedCsr{0xB80, "mcycleh"},
    NamedCsr{0xB82, "minstreth"},
    NamedCsr{0xB83, "mhpmcounter3h"},
    NamedCsr{0xB84, "mhpmcounter4h"},
    NamedCsr{0xBC0, "tt_cfg_qstatus"},
    NamedCsr{0xBC1, "tt_cfg_bstatus"},
    NamedCsr{0xBC2, "tt_cfg_sstatus0"},
    NamedCsr{0xBC3, "tt_cfg_sstatus1"},
    NamedCsr{0xBC4, "tt_cfg_sstatus2"},
    NamedCsr{0xBC5, "tt_cfg_sstatus3"},
    NamedCsr{0xBC6, "tt_cfg_sstatus4"},
    NamedCsr{0xBC7, "tt_cfg_sstatus5"},
    NamedCsr{0xBC8, "tt_cfg_sstatus6"},
    NamedCsr{0xBC9, "tt_cfg_sstatus7"},
    NamedCsr{0xBCA, "intp_restore_pc"},
    NamedCsr{0xC00, "cycle"},
    NamedCsr{0xC02, "instret"},
    NamedCsr{0xC20, "vl"},
    NamedCsr{0xC21, "vtype"},
    NamedCsr{0xC22, "vlenb"},
    NamedCsr{0xC80, "cycleh"},
    NamedCsr{0xC82, "instreth"},
    NamedCsr{0xF14, "mhartid"},
};

// "x7" with prefix 'x' gives 7.
std::optional<uint8_t> numbered(std::string_view text, char prefix) {
  if (text.size() < 2 || text.size() > 3 || text[0] != prefix || (text[1] == '0' && text.size() > 2)) return {};
  unsigned n = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n > 31) return {};
  return static_cast<uint8_t>(n);
}

std::optional<uint8_t> index_in(const std::array<std::string_view, 32>& names, std::string_view text) {
  const auto it = std::find(names.begin(), names.end(), text);
  if (it == names.end()) return {};
  return static_cast<uint8_t>(it - names.begin());
}

}  // namespace

std::string_view name(Reg reg) { return kNames[reg.number & 31]; }
std::string_view name(FReg reg) { return kFloatNames[reg.number & 31]; }

std::optional<Reg> reg_named(std::string_view text) {
  if (text == "fp") return reg::fp;
  if (const auto n = index_in(kNames, text)) return Reg{*n};
  if (const auto n = numbered(text, 'x')) return Reg{*n};
  return {};
}

std::optional<FReg> freg_named(std::string_view text) {
  if (const auto n = index_in(kFloatNames, text)) return FReg{*n};
  if (const auto n = numbered(text, 'f')) return FReg{*n};
  return {};
}

std::string csr_name(uint16_t csr) {
  const auto it = std::find_if(kCsrs.begin(), kCsrs.end(), [&](const NamedCsr& c) { return c.number == csr; });
  return it == kCsrs.end() ? fmt::format("{:#05x}", csr) : std::string(it->name);
}

std::optional<uint16_t> csr_named(std::string_view text) {
  const auto it = std::find_if(kCsrs.begin(), kCsrs.end(), [&](const NamedCsr& c) { return c.name == text; });
  if (it == kCsrs.end()) return {};
  return it->number;
}

}  // namespace kerr::isa
