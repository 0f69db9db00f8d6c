// Buffers as people write them in a few characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/runtime/program/program.hpp"
#include "jobs/run/elements.hpp"
#include "jobs/run/run.hpp"

namespace kerr::jobs {

/// "0:2x2048": circular buffer 0 of two pages of 2048 bytes. Throws std::invalid_argument, as all here.
host::CircularBuffer parse_circular_buffer(std::string_view text);

/// A buffer, and the file of its data.
struct BufferText {
  RunBuffer buffer;
  std::optional<Element> element;
  std::string file;  // empty: none
};
/// "NAME:BYTES", of DRAM "NAME:PAGESxBYTES"; then perhaps ":bf16", and "=FILE".
BufferText parse_buffer(std::string_view text, host::Memory memory);

}  // namespace kerr::jobs
