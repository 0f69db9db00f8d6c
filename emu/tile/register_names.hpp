// Names of tile registers, for people who read a fault.
#pragma once

#include <cstdint>
#include <string>

#include "arch/memory_map.hpp"

namespace kerr::emu {

/// "SoftReset0 (0xffb121b0)", "NIU 0 NOC_ID_LOGICAL (0xffb20148)", "stream 8 register 10 (...)", or the bare address.
/// `seen_by`: arch::Accessor bits; what BRISC sees as a PCBuf are semaphores to a TRISC.
std::string register_name(uint32_t address, uint8_t seen_by = arch::kByAll);

/// "nearest known register: SoftReset0 (0xffb121b0)", of those between FFB11000 and FFB13FFF.
std::string nearest_register(uint32_t address);
/// "nearest known window: mailboxes (0xffec0000 to 0xffec3fff)", for addresses between them.
std::string nearest_region(uint32_t address);

}  // namespace kerr::emu
