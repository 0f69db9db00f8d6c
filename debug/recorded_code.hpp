// What a recorded run had on its harts, by the notes in its log.   arch/host_notes.hpp
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "debug/program.hpp"

namespace kerr::debug {

/// The kernels of the last launch of each core that was noted up to `cycle`; of a core that had none, of its next one.
/// Empty if the log has no notes. Throws emu::SnapshotError if it is damaged.
std::vector<Code> code_in_log(const std::string& log, bool unfinished, uint64_t cycle);

}  // namespace kerr::debug
