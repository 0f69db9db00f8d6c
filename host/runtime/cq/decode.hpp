// Bytes of the queue as commands, for a person: what encode and lowering made, or what a capture holds.
// docs/hardware/fast-dispatch.md 5 to 7, ABI "blackhole-py"
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/cq_layout.hpp"

namespace kerr::host::cq {

struct Field {
  std::string name;
  uint64_t value = 0;
  std::string text;  ///< how a person reads it: "(1,2)", "0x370", "multicast"
};

struct DecodedCommand {
  uint64_t offset = 0;  ///< in the bytes that were given
  uint64_t bytes = 0;   ///< prefetch: the stride; dispatch: header, sub-commands and data
  std::string_view name;
  std::vector<Field> fields;
  std::vector<DecodedCommand> payload;  ///< of RELAY_INLINE and its like: the dispatch commands

  /// "RELAY_INLINE to=dispatch_d length=32 stride=64"
  std::string text() const;
};

/// One prefetch command at `offset`, with its payload. Never reads outside `bytes`. Throws DeviceError (HostError) that
/// names the offset of what is malformed: an unknown id, a stride or length that does not fit, a count beyond its
/// table.
DecodedCommand decode_prefetch(std::span<const std::byte> bytes, uint64_t offset);

/// Dispatch commands of a payload: one, several behind DEBUG, or several on pages. `data_follow`: another command has
/// the data.
std::vector<DecodedCommand> decode_dispatch(std::span<const std::byte> bytes, uint64_t offset, uint64_t length,
                                            bool data_follow = false);

/// Commands one behind the other, up to the end, up to EXEC_BUF_END, or up to where only zeros follow.
std::vector<DecodedCommand> decode_stream(std::span<const std::byte> bytes, uint64_t offset = 0);

/// A captured host region, or as much of it as there is: the records from the start of the issue ring up to the write
/// pointer in its header, then OLDER_RECORDS with what the ring still holds of the lap before behind it; `overwritten`
/// bytes of that are the rest of a record whose begin is lost. `issue_bytes`: of the ring. Throws as decode_prefetch()
/// does for what lies before the write pointer, and if that lies outside.
std::vector<DecodedCommand> decode_region(std::span<const std::byte> region,
                                          uint64_t issue_bytes = arch::cq::kDefaultHostRegion.issue_bytes);

/// One line a command, payloads indented: offset, name, fields.
std::string listing(std::span<const DecodedCommand> commands);

}  // namespace kerr::host::cq
