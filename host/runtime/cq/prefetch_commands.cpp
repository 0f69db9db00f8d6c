#include "host/runtime/cq/prefetch_commands.hpp"

#include <utility>

#include "arch/cq_layout.hpp"
#include "host/runtime/cq/encode.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

Bytes padded(Bytes bytes) {
  pad(bytes, wire::kPcieAlign);
  return bytes;
}
// One whose stride is implied.
template <class Struct>
Bytes command(const Struct& all) {
  return padded(header(all));
}

void check_log2(const char* command, uint32_t log2) {
  if (log2 < 6 || log2 > 31) host_error(fmt::format("{}: pages of 2^{} bytes; wanted are 6 to 31", command, log2));
}

// RELAY_INLINE_NOFLUSH or EXEC_BUF_END.
Bytes inline_command(wire::PrefetchId id, std::span<const std::byte> payload) {
  return with_stride<wire::RelayInline>(with_data(
      header(wire::RelayInline{.id = static_cast<uint8_t>(id), .length = static_cast<uint32_t>(payload.size())}),
      payload));
}

}  // namespace

Bytes relay_inline_noflush(std::span<const std::byte> payload) {
  if (payload.empty() || payload.size() % wire::kL1Align != 0 || payload.size() >= wire::kPageBytes) {
    host_error(fmt::format("RELAY_INLINE_NOFLUSH: {} bytes; wanted are multiples of 16 below {}", payload.size(),
                           wire::kPageBytes));
  }
  return inline_command(wire::PrefetchId::RelayInlineNoflush, payload);
}

Bytes relay_linear(uint32_t noc_xy_addr, uint64_t address, uint64_t length) {
  if (length == 0) host_error("RELAY_LINEAR: no data");
  require_multiple("RELAY_LINEAR", "address", address, wire::kL1Align);
  return command(wire::RelayLinear{.length = length, .noc_xy_addr = noc_xy_addr, .addr = address});
}

Bytes relay_paged(const PageRange& range) {
  const uint32_t alignment = range.is_dram ? wire::kPcieAlign : wire::kL1Align;
  require_multiple("RELAY_PAGED", "base", range.base, alignment);
  require_multiple("RELAY_PAGED", "page size", range.page_bytes, alignment);
  require_multiple("RELAY_PAGED", "length adjustment", range.drop, 32);
  if (range.page_bytes == 0 || range.pages == 0 || uint64_t{range.pages} * range.page_bytes > ~0u ||
      range.drop >= range.page_bytes || range.drop > 0x7FFF) {
    host_error(fmt::format("RELAY_PAGED: {} pages of {} bytes without the last {}", range.pages, range.page_bytes,
                           range.drop));
  }
  return command(
      wire::RelayPaged{.start_page = range.start_page,
                       .is_dram_and_length_adjust = static_cast<uint16_t>((range.is_dram ? 0x8000u : 0u) | range.drop),
                       .base_addr = range.base,
                       .page_size = range.page_bytes,
                       .pages = range.pages});
}

Bytes paged_to_ringbuffer(bool from_start, uint8_t log2_page_bytes, uint8_t start_page, uint32_t base, uint32_t length,
                          uint32_t room) {
  check_log2("PAGED_TO_RINGBUFFER", log2_page_bytes);
  require_multiple("PAGED_TO_RINGBUFFER", "base", base, wire::kPcieAlign);
  require_multiple("PAGED_TO_RINGBUFFER", "length", length, wire::kPcieAlign);
  require_multiple("PAGED_TO_RINGBUFFER", "room", room, wire::kPcieAlign);
  if (length == 0 || length > room || room > wire::kRingbufferBytes) {
    host_error(fmt::format("PAGED_TO_RINGBUFFER: {} bytes in a room of {}; the ring has {}", length, room,
                           wire::kRingbufferBytes));
  }
  return command(wire::PagedToRingbuffer{.flags = from_start ? wire::kRingbufferReset : uint8_t{0},
                                         .log2_page_size = log2_page_bytes,
                                         .start_page = start_page,
                                         .wp_offset_update = room,
                                         .base_addr = base,
                                         .length = length});
}

Bytes set_ringbuffer_offset(uint32_t offset, bool write_pointer) {
  require_multiple("SET_RINGBUFFER_OFFSET", "offset", offset, wire::kPcieAlign);
  if (offset > wire::kRingbufferBytes) {
    host_error(
        fmt::format("SET_RINGBUFFER_OFFSET: offset {:#x}; the ring has {:#x} bytes", offset, wire::kRingbufferBytes));
  }
  return command(wire::SetRingbufferOffset{.offset = offset, .update_wp = write_pointer ? uint8_t{1} : uint8_t{0}});
}

Bytes relay_ringbuffer(std::span<const RingPiece> pieces) {
  require_count("RELAY_RINGBUFFER", "pieces", pieces.size(), wire::kRingbufferMaxSubCommands);
  Bytes bytes = header(wire::RelayRingbuffer{.count = static_cast<uint16_t>(pieces.size())});
  for (const RingPiece& piece : pieces) {
    if (piece.length == 0 || piece.start > wire::kRingbufferBytes ||
        piece.length > wire::kRingbufferBytes - piece.start) {
      host_error(fmt::format("RELAY_RINGBUFFER: {} bytes at {:#x}; the ring has {:#x}", piece.length, piece.start,
                             wire::kRingbufferBytes));
    }
    append(bytes, wire::RelayRingbufferSub{piece.start, piece.length});
  }
  return with_stride<wire::RelayRingbuffer>(std::move(bytes));
}

Bytes exec_buf(uint32_t base, uint32_t log2_page_bytes, uint32_t pages) {
  check_log2("EXEC_BUF", log2_page_bytes);
  require_multiple("EXEC_BUF", "base", base, wire::kPcieAlign);
  if (pages == 0 || uint64_t{pages} << log2_page_bytes > ~0u) {
    host_error(fmt::format("EXEC_BUF: {} pages of 2^{} bytes", pages, log2_page_bytes));
  }
  return command(wire::ExecBuf{.base_addr = base, .log_page_size = log2_page_bytes, .pages = pages});
}

Bytes exec_buf_end() { return inline_command(wire::PrefetchId::ExecBufEnd, bare(wire::DispatchId::ExecBufEnd)); }

Bytes stall() { return padded(bare(wire::PrefetchId::Stall)); }

Bytes prefetch_terminate() { return padded(bare(wire::PrefetchId::Terminate)); }

}  // namespace kerr::host::cq
