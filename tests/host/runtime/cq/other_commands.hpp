// Commands that the firmware executes and the host never sends, as bytes: for tests of the firmware and of the decoder.
// docs/hardware/fast-dispatch.md 6, 7
#pragma once

#include <utility>

#include "arch/cq_layout.hpp"
#include "arch/firmware_layout.hpp"
#include "host/runtime/cq/encode.hpp"
#include "host/runtime/cq/prefetch_commands.hpp"
#include "host/runtime/cq/queue_config.hpp"

namespace kerr::host::cq {

namespace wire = arch::cq;

// Dispatch commands; as those of commands.hpp.

/// One share of the data to each rectangle (at most 70), by multicast.
inline Bytes write_packed_multicast(wire::PackedType type, uint32_t address, std::span<const Rectangle> rectangles,
                                    std::span<const std::byte> data, uint16_t offset = 0) {
  check_data("WRITE_PACKED", address, data.size(), offset);
  require_count("WRITE_PACKED", "destinations", rectangles.size(), kMaxPackedCores / 2);
  const size_t size = data.size() / rectangles.size();
  if (data.size() % rectangles.size() != 0) host_error("WRITE_PACKED: data do not divide among the rectangles");
  Bytes bytes =
      header(wire::WritePacked{.flags = static_cast<uint8_t>(wire::kPackedMulticast | static_cast<uint8_t>(type) << 4),
                               .count = static_cast<uint16_t>(rectangles.size()),
                               .write_offset_index = offset,
                               .size = static_cast<uint16_t>(size),
                               .addr = address});
  for (const Rectangle& r : rectangles) {
    check_rectangle("WRITE_PACKED", r);
    append(bytes, wire::WritePackedMulticastSub{multicast_address(r, 0), r.tiles()});
  }
  pad(bytes, wire::kL1Align);
  for (size_t i = 0; i < rectangles.size(); ++i) append_padded(bytes, data.subspan(i * size, size));
  return bytes;
}

/// A target's own data; `address` kDiscardAddress throws them away.
struct UnicastPiece {
  arch::NocCoord core;
  uint32_t address;
  std::span<const std::byte> data;
};
inline Bytes write_packed_large_unicast(std::span<const UnicastPiece> pieces, uint16_t offset = 0) {
  constexpr const char* kName = "WRITE_PACKED_LARGE_UNICAST";
  require_count(kName, "destinations", pieces.size(), wire::kPackedLargeMaxSubCommands);
  Bytes bytes = header(wire::WritePackedLarge{.id = static_cast<uint8_t>(wire::DispatchId::WritePackedLargeUnicast),
                                              .count = static_cast<uint16_t>(pieces.size()),
                                              .alignment = wire::kL1Align,
                                              .write_offset_index = offset});
  for (const UnicastPiece& piece : pieces) {
    check_data(kName, piece.address == wire::kDiscardAddress ? 0 : piece.address, piece.data.size(), offset);
    append(bytes, wire::WritePackedLargeUnicastSub{piece.core.packed(), piece.address,
                                                   static_cast<uint32_t>(piece.data.size())});
  }
  pad(bytes, wire::kL1Align);
  for (const UnicastPiece& piece : pieces) append_padded(bytes, piece.data);
  return bytes;
}

inline Bytes write_linear(uint32_t noc_xy_addr, uint64_t address, std::span<const std::byte> data, uint8_t offset = 0) {
  return with_data(write_linear_header(noc_xy_addr, address, data.size(), offset), data);
}

// Executed next to the host in a split queue.
inline Bytes write_linear_h(uint32_t noc_xy_addr, uint64_t address, std::span<const std::byte> data) {
  Bytes bytes = write_linear(noc_xy_addr, address, data);
  bytes[0] = static_cast<std::byte>(wire::DispatchId::WriteLinearH);
  return bytes;
}

inline Bytes write_linear_multicast(const Rectangle& tiles, uint32_t address, std::span<const std::byte> data,
                                    uint8_t offset = 0) {
  check_rectangle("WRITE_LINEAR", tiles);
  Bytes bytes = write_linear(multicast_address(tiles, 0), address, data, offset);
  bytes[offsetof(wire::WriteLinear, num_mcast_dests)] = static_cast<std::byte>(tiles.tiles());
  return bytes;
}

inline Bytes write_paged(bool is_dram, uint16_t start_page, uint32_t base, uint32_t page_bytes,
                         std::span<const std::byte> data) {
  if (page_bytes == 0 || data.size() % page_bytes != 0 || data.size() > kRecordLimitBytes) {
    host_error(fmt::format("WRITE_PAGED: {} bytes are no whole pages of {}", data.size(), page_bytes));
  }
  const auto pages = static_cast<uint32_t>(data.size() / page_bytes);
  return with_data(write_paged_header(is_dram, start_page, base, page_bytes, pages), data);
}

inline Bytes set_write_offset(std::span<const uint32_t> offsets, uint16_t program_host_id = 0) {
  require_count("SET_WRITE_OFFSET", "offsets", offsets.size(), wire::kMaxWriteOffsets);
  return with_data(header(wire::SetWriteOffset{.offset_count = static_cast<uint8_t>(offsets.size()),
                                               .program_host_id = program_host_id}),
                   std::as_bytes(offsets));
}

/// To every worker of the configuration's rectangles, as go message `index`.
inline Bytes send_go_signal_multicast(arch::GoMessage go, uint8_t index = 0, uint32_t wait_count = 0,
                                      uint32_t stream = wire::kFirstStream) {
  if (index >= arch::kFwB.go_message_count) host_error(fmt::format("SEND_GO_SIGNAL: there is no go message {}", index));
  return header(wire::SendGoSignal{
      .go_signal = go.word(), .multicast_go_offset = index, .wait_count = wait_count, .wait_stream = stream});
}

inline Bytes delay(uint32_t turns) { return header(wire::Delay{.delay = turns}); }

/// Skipped by the dispatcher, which then executes `next` from the same payload.
inline Bytes debug(uint16_t key, std::span<const std::byte> data, std::span<const std::byte> next) {
  Bytes bytes = header(wire::Debug{.key = key,
                                   .size = static_cast<uint32_t>(data.size()),
                                   .stride = align_up(sizeof(wire::Debug) + data.size(), wire::kL1Align)});
  append_padded(bytes, data);
  return with_data(std::move(bytes), next);
}

/// Data that reach the dispatcher and go no further: what the way there costs, without a write (7.4).
inline Bytes sink_header(uint32_t length) { return header(wire::Sink{.length = length}); }
inline Bytes sink(std::span<const std::byte> data) {
  return with_data(sink_header(static_cast<uint32_t>(data.size())), data);
}

// Prefetch commands; as those of prefetch_commands.hpp.

inline constexpr uint32_t kMaxPiece = wire::kScratchDbBytes / 2;

template <class Piece>
uint32_t total_length(std::span<const Piece> pieces) {
  uint32_t total = 0;
  for (const Piece& piece : pieces) total += piece.length;
  return total;
}

/// Read on the host side of a split queue; then alone in its record. Elsewhere like relay_linear().
inline Bytes relay_linear_h(uint32_t noc_xy_addr, uint64_t address, uint32_t length) {
  if (length == 0) host_error("RELAY_LINEAR_H: no data");
  require_multiple("RELAY_LINEAR_H", "address", address, wire::kL1Align);
  Bytes bytes = header(wire::RelayLinearH{.noc_xy_addr = noc_xy_addr, .addr = address, .length = length});
  pad(bytes, wire::kPcieAlign);
  return bytes;
}

/// A piece of an interleaved DRAM buffer, at most 64 KiB; all but the last piece a multiple of 64.
struct PagedPiece {
  uint16_t start_page = 0;
  uint16_t log2_page_bytes = 0;  ///< at least 6
  uint32_t base = 0;
  uint32_t length = 0;
};
inline Bytes relay_paged_packed(std::span<const PagedPiece> pieces) {
  constexpr const char* kName = "RELAY_PAGED_PACKED";
  require_count(kName, "pieces", pieces.size(), wire::kPackedLargeMaxSubCommands);
  Bytes bytes = header(
      wire::RelayPagedPacked{.count = static_cast<uint16_t>(pieces.size()), .total_length = total_length(pieces)});
  for (const PagedPiece& piece : pieces) {
    if (piece.log2_page_bytes < 6 || piece.log2_page_bytes > 31) host_error(fmt::format("{}: page size", kName));
    require_multiple(kName, "base", piece.base, wire::kPcieAlign);
    if (&piece != &pieces.back()) require_multiple(kName, "length", piece.length, wire::kPcieAlign);
    if (piece.length == 0 || piece.length > kMaxPiece) {
      host_error(fmt::format("{}: a piece of {} bytes, wanted are 1 to {}", kName, piece.length, kMaxPiece));
    }
    append(bytes, wire::RelayPagedPackedSub{piece.start_page, piece.log2_page_bytes, piece.base, piece.length});
  }
  return with_stride<wire::RelayPagedPacked>(std::move(bytes));
}

/// A piece of memory, at most 64 KiB. Alignment as for relay_linear(); of the lengths too, but of the last one.
struct LinearPiece {
  uint64_t address = 0;
  uint32_t length = 0;
};
/// Pieces of one tile's memory, or of host memory, as one payload.
inline Bytes relay_linear_packed(uint32_t noc_xy_addr, std::span<const LinearPiece> pieces,
                                 wire::PrefetchId id = wire::PrefetchId::RelayLinearPacked) {
  constexpr const char* kName = "RELAY_LINEAR_PACKED";
  require_count(kName, "pieces", pieces.size(), wire::kPackedLargeMaxSubCommands);
  Bytes bytes = header(wire::RelayLinearPacked{.id = static_cast<uint8_t>(id),
                                               .count = static_cast<uint16_t>(pieces.size()),
                                               .noc_xy_addr = noc_xy_addr,
                                               .total_length = total_length(pieces)});
  for (const LinearPiece& piece : pieces) {
    require_multiple(kName, "address", piece.address, wire::kL1Align);
    if (&piece != &pieces.back()) require_multiple(kName, "length", piece.length, wire::kL1Align);
    const auto low = static_cast<uint32_t>(piece.address);
    if (piece.length == 0 || piece.length > kMaxPiece || low + piece.length < low) {
      host_error(fmt::format("{}: {} bytes at {:#x}; wanted are 1 to {} that cross no 4 GiB", kName, piece.length,
                             piece.address, kMaxPiece));
    }
    append(bytes, wire::RelayLinearPackedSub{piece.address, piece.length});
  }
  return with_stride<wire::RelayLinearPacked>(std::move(bytes));
}
/// Read on the host side of a split queue; then alone in its record. Elsewhere like relay_linear_packed().
inline Bytes relay_linear_packed_h(uint32_t noc_xy_addr, std::span<const LinearPiece> pieces) {
  return relay_linear_packed(noc_xy_addr, pieces, wire::PrefetchId::RelayLinearPackedH);
}

/// The prefetcher skips it: bytes for a person who reads the ring.
inline Bytes prefetch_debug(uint16_t key, std::span<const std::byte> data) {
  if (data.size() > kRecordLimitBytes - sizeof(wire::PrefetchDebug)) {
    host_error(fmt::format("DEBUG: {} bytes exceed a record", data.size()));
  }
  return with_stride<wire::PrefetchDebug>(
      with_data(header(wire::PrefetchDebug{.key = key, .size = static_cast<uint32_t>(data.size())}), data));
}

}  // namespace kerr::host::cq
