// Names of tile registers, for people who read a fault.
#pragma once

#include <cstdint>
#include <string>

namespace kerr::emu {

/// "SoftReset0 (0xffb121b0)", "NIU 0 NOC_ID_LOGICAL (0xffb20148)", "stream 8 register 10 (...)", or the bare address.
std::string register_name(std::uint32_t address);

/// "nearest known register: SoftReset0 (0xffb121b0)", of those between FFB11000 and FFB13FFF.
std::string nearest_register(std::uint32_t address);

}  // namespace kerr::emu
