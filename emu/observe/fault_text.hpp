// What reports say of a fault beside its own text.
#pragma once

#include <string>

#include "emu/observe/fault.hpp"

namespace kerr::emu {

/// The instruction of the hart or thread that has faulted; empty if there is none.
std::string disassembly(const Fault& fault);

}  // namespace kerr::emu
