#include "host/runtime/cq/prefetch_commands.hpp"

#include <fmt/format.h>

#include "arch/cq_layout.hpp"
#include "host/error.hpp"
#include "host/runtime/cq/encode.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

constexpr uint32_t kMaxPiece = wire::kScratchDbBytes / 2;

Bytes padded(Bytes bytes) {
  bytes.resize(align64(static_cast<uint32_t>(bytes.size())));
  return bytes;
}

void require_multiple(const char* command, const char* what, uint64_t value, uint32_t of) {
  if (value % of != 0) host_error(fmt::format("{}: {} {:#x} is not a multiple of {}", command, what, value, of));
}

void check_log2(const char* command, uint32_t log2) {
  if (log2 < 6 || log2 > 31) host_error(fmt::format("{}: pages of 2^{} bytes; wanted are 6 to 31", command, log2));
}

Bytes inline_command(wire::PrefetchId id, std::span<const std::byte> payload) {
  wire::RelayInline command;
  command.id = static_cast<uint8_t>(id);
  command.length = static_cast<uint32_t>(payload.size());
  command.stride = align64(static_cast<uint32_t>(sizeof command + payload.size()));
  Bytes bytes = header(command);
  append_bytes(bytes, payload);
  return padded(std::move(bytes));
}

Bytes linear_packed(wire::PrefetchId id, uint32_t noc_xy_addr, std::span<const LinearPiece> pieces) {
  if (pieces.empty() || pieces.size() > wire::kPackedLargeMaxSubCommands) {
    host_error(fmt::format("RELAY_LINEAR_PACKED: {} pieces, wanted are 1 to {}", pieces.size(),
                           wire::kPackedLargeMaxSubCommands));
  }
  wire::RelayLinearPacked command;
  command.id = static_cast<uint8_t>(id);
  command.count = static_cast<uint16_t>(pieces.size());
  command.noc_xy_addr = noc_xy_addr;
  for (const LinearPiece& piece : pieces) command.total_length += piece.length;
  command.stride = align64(static_cast<uint32_t>(sizeof command + sizeof(wire::RelayLinearPackedSub) * pieces.size()));
  Bytes bytes = header(command);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const LinearPiece& piece = pieces[i];
    require_multiple("RELAY_LINEAR_PACKED", "address", piece.address, wire::kL1Align);
    if (i + 1 < pieces.size()) require_multiple("RELAY_LINEAR_PACKED", "length", piece.length, wire::kL1Align);
    const auto low = static_cast<uint32_t>(piece.address);
    if (piece.length == 0 || piece.length > kMaxPiece || low + piece.length < low) {
      host_error(fmt::format("RELAY_LINEAR_PACKED: {} bytes at {:#x}; wanted are 1 to {} that cross no 4 GiB",
                             piece.length, piece.address, kMaxPiece));
    }
    append(bytes, wire::RelayLinearPackedSub{piece.address, piece.length});
  }
  return padded(std::move(bytes));
}

Bytes bare(wire::PrefetchId id) { return padded(header(wire::BareCommand{static_cast<uint8_t>(id), {}})); }

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
  wire::RelayLinear command;
  command.length = length;
  command.noc_xy_addr = noc_xy_addr;
  command.addr = address;
  return padded(header(command));
}

Bytes relay_linear_h(uint32_t noc_xy_addr, uint64_t address, uint32_t length) {
  if (length == 0) host_error("RELAY_LINEAR_H: no data");
  require_multiple("RELAY_LINEAR_H", "address", address, wire::kL1Align);
  wire::RelayLinearH command;
  command.noc_xy_addr = noc_xy_addr;
  command.addr = address;
  command.length = length;
  return padded(header(command));
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
  wire::RelayPaged command;
  command.start_page = range.start_page;
  command.is_dram_and_length_adjust = static_cast<uint16_t>((range.is_dram ? 0x8000u : 0u) | range.drop);
  command.base_addr = range.base;
  command.page_size = range.page_bytes;
  command.pages = range.pages;
  return padded(header(command));
}

Bytes relay_paged_packed(std::span<const PagedPiece> pieces) {
  if (pieces.empty() || pieces.size() > wire::kPackedLargeMaxSubCommands) {
    host_error(fmt::format("RELAY_PAGED_PACKED: {} pieces, wanted are 1 to {}", pieces.size(),
                           wire::kPackedLargeMaxSubCommands));
  }
  wire::RelayPagedPacked command;
  command.count = static_cast<uint16_t>(pieces.size());
  for (const PagedPiece& piece : pieces) command.total_length += piece.length;
  command.stride = align64(static_cast<uint32_t>(sizeof command + sizeof(wire::RelayPagedPackedSub) * pieces.size()));
  Bytes bytes = header(command);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const PagedPiece& piece = pieces[i];
    check_log2("RELAY_PAGED_PACKED", piece.log2_page_bytes);
    require_multiple("RELAY_PAGED_PACKED", "base", piece.base, wire::kPcieAlign);
    if (i + 1 < pieces.size()) require_multiple("RELAY_PAGED_PACKED", "length", piece.length, wire::kPcieAlign);
    if (piece.length == 0 || piece.length > kMaxPiece) {
      host_error(fmt::format("RELAY_PAGED_PACKED: a piece of {} bytes, wanted are 1 to {}", piece.length, kMaxPiece));
    }
    append(bytes, wire::RelayPagedPackedSub{piece.start_page, piece.log2_page_bytes, piece.base, piece.length});
  }
  return padded(std::move(bytes));
}

Bytes relay_linear_packed(uint32_t noc_xy_addr, std::span<const LinearPiece> pieces) {
  return linear_packed(wire::PrefetchId::RelayLinearPacked, noc_xy_addr, pieces);
}
Bytes relay_linear_packed_h(uint32_t noc_xy_addr, std::span<const LinearPiece> pieces) {
  return linear_packed(wire::PrefetchId::RelayLinearPackedH, noc_xy_addr, pieces);
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
  wire::PagedToRingbuffer command;
  command.flags = from_start ? wire::kRingbufferReset : 0;
  command.log2_page_size = log2_page_bytes;
  command.start_page = start_page;
  command.wp_offset_update = room;
  command.base_addr = base;
  command.length = length;
  return padded(header(command));
}

Bytes set_ringbuffer_offset(uint32_t offset, bool write_pointer) {
  require_multiple("SET_RINGBUFFER_OFFSET", "offset", offset, wire::kPcieAlign);
  if (offset > wire::kRingbufferBytes) {
    host_error(fmt::format("SET_RINGBUFFER_OFFSET: offset {:#x}; the ring has {:#x} bytes", offset,
                           wire::kRingbufferBytes));
  }
  wire::SetRingbufferOffset command;
  command.offset = offset;
  command.update_wp = write_pointer ? 1 : 0;
  return padded(header(command));
}

Bytes relay_ringbuffer(std::span<const RingPiece> pieces) {
  if (pieces.empty() || pieces.size() > wire::kRingbufferMaxSubCommands) {
    host_error(fmt::format("RELAY_RINGBUFFER: {} pieces, wanted are 1 to {}", pieces.size(),
                           wire::kRingbufferMaxSubCommands));
  }
  wire::RelayRingbuffer command;
  command.count = static_cast<uint16_t>(pieces.size());
  command.stride = align64(static_cast<uint32_t>(sizeof command + sizeof(wire::RelayRingbufferSub) * pieces.size()));
  Bytes bytes = header(command);
  for (const RingPiece& piece : pieces) {
    if (piece.length == 0 || piece.start > wire::kRingbufferBytes ||
        piece.length > wire::kRingbufferBytes - piece.start) {
      host_error(fmt::format("RELAY_RINGBUFFER: {} bytes at {:#x}; the ring has {:#x}", piece.length, piece.start,
                             wire::kRingbufferBytes));
    }
    append(bytes, wire::RelayRingbufferSub{piece.start, piece.length});
  }
  return padded(std::move(bytes));
}

Bytes exec_buf(uint32_t base, uint32_t log2_page_bytes, uint32_t pages) {
  check_log2("EXEC_BUF", log2_page_bytes);
  require_multiple("EXEC_BUF", "base", base, wire::kPcieAlign);
  if (pages == 0 || uint64_t{pages} << log2_page_bytes > ~0u) {
    host_error(fmt::format("EXEC_BUF: {} pages of 2^{} bytes", pages, log2_page_bytes));
  }
  wire::ExecBuf command;
  command.base_addr = base;
  command.log_page_size = log2_page_bytes;
  command.pages = pages;
  return padded(header(command));
}

Bytes exec_buf_end() {
  return inline_command(wire::PrefetchId::ExecBufEnd,
                        header(wire::BareCommand{static_cast<uint8_t>(wire::DispatchId::ExecBufEnd), {}}));
}

Bytes stall() { return bare(wire::PrefetchId::Stall); }

Bytes prefetch_debug(uint16_t key, std::span<const std::byte> data) {
  if (data.size() > kRecordLimitBytes - sizeof(wire::PrefetchDebug)) {
    host_error(fmt::format("DEBUG: {} bytes exceed a record", data.size()));
  }
  wire::PrefetchDebug command;
  command.key = key;
  command.size = static_cast<uint32_t>(data.size());
  command.stride = align64(static_cast<uint32_t>(sizeof command + data.size()));
  Bytes bytes = header(command);
  append_bytes(bytes, data);
  return padded(std::move(bytes));
}

Bytes prefetch_terminate() { return bare(wire::PrefetchId::Terminate); }

}  // namespace kerr::host::cq
