#include "host/runtime/cq/commands.hpp"

#include <algorithm>
#include <utility>

#include "arch/cq_layout.hpp"
#include "host/runtime/cq/encode.hpp"
#include "host/runtime/cq/queue_config.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

constexpr const char* kLarge = "WRITE_PACKED_LARGE";
constexpr uint32_t kMaxLargePiece = 64 * 1024;  // what a 16-bit length_minus1 can say

// Columns 8 and 9 hold no Tensix tile; a corner there is refused (20.3).
bool is_tensix(arch::NocCoord c) {
  const auto& columns = arch::kTensixColumnX;
  return std::find(columns.begin(), columns.end(), c.x) != columns.end() && c.y >= arch::kTensixFirstRow &&
         c.y < arch::kTensixFirstRow + arch::kTensixRows;
}

// With kPackedNoStride among the `flags` all cores get the same data.
Bytes packed(wire::PackedType type, uint8_t flags, uint32_t address, std::span<const arch::NocCoord> cores,
             std::span<const std::byte> data, uint16_t offset) {
  check_data("WRITE_PACKED", address, data.size(), offset);
  require_count("WRITE_PACKED", "destinations", cores.size(), kMaxPackedCores);
  const size_t shares = (flags & wire::kPackedNoStride) != 0 ? 1 : cores.size(), size = data.size() / shares;
  if (data.size() % shares != 0) {
    host_error(fmt::format("WRITE_PACKED: {} bytes do not divide among {} cores", data.size(), shares));
  }
  if (size > wire::kPageBytes) {
    host_error(fmt::format("WRITE_PACKED: {} bytes to each core, at most {} fit", size, wire::kPageBytes));
  }
  Bytes bytes = header(wire::WritePacked{.flags = static_cast<uint8_t>(flags | static_cast<uint8_t>(type) << 4),
                                         .count = static_cast<uint16_t>(cores.size()),
                                         .write_offset_index = offset,
                                         .size = static_cast<uint16_t>(size),
                                         .addr = address});
  for (const arch::NocCoord core : cores) append(bytes, wire::WritePackedUnicastSub{core.packed()});
  pad(bytes, wire::kL1Align);
  for (size_t i = 0; i < shares; ++i) append_padded(bytes, data.subspan(i * size, size));
  return bytes;
}

}  // namespace

void check_rectangle(const char* command, const Rectangle& r) {
  if (!is_tensix(r.first) || !is_tensix(r.last) || r.last.x < r.first.x || r.last.y < r.first.y) {
    host_error(fmt::format("{}: ({},{})..({},{}) is no rectangle of Tensix tiles", command, r.first.x, r.first.y,
                           r.last.x, r.last.y));
  }
}

Bytes write_packed_shared(wire::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                          std::span<const std::byte> data, uint16_t offset) {
  Bytes bytes = packed(type, wire::kPackedNoStride, address, cores, data, offset);
  if (bytes.size() > wire::kPageBytes) {
    host_error(fmt::format("WRITE_PACKED: {} shared bytes and {} cores exceed one page of {} bytes", data.size(),
                           cores.size(), wire::kPageBytes));
  }
  return bytes;
}

Bytes write_packed(wire::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                   std::span<const std::byte> data, uint16_t offset) {
  return packed(type, 0, address, cores, data, offset);
}

uint32_t packed_large_capacity(size_t rectangles) {
  const auto n = static_cast<uint32_t>(rectangles);
  const uint32_t headers = sizeof(wire::RelayInline) + sizeof(wire::WritePackedLarge) +
                           align_up(sizeof(wire::WritePackedLargeSub) * n, wire::kL1Align);
  // The payload is repeated for every rectangle.
  return std::min(kMaxLargePiece, (kRecordLimitBytes - headers) / n & ~15u);
}

Bytes write_packed_large(wire::PackedLargeType type, uint32_t address, std::span<const Rectangle> rectangles,
                         std::span<const std::byte> data, int dispatch_noc, uint16_t offset) {
  require_count(kLarge, "destinations", rectangles.size(), wire::kPackedLargeMaxSubCommands);
  if (data.size() > packed_large_capacity(rectangles.size())) {
    host_error(fmt::format("{}: {} bytes to {} rectangles, at most {} fit", kLarge, data.size(), rectangles.size(),
                           packed_large_capacity(rectangles.size())));
  }
  const MulticastPiece all{address, data};
  return write_packed_large_pieces(type, rectangles, {&all, 1}, dispatch_noc, offset);
}

Bytes write_packed_large_pieces_header(wire::PackedLargeType type, std::span<const Rectangle> rectangles,
                                       std::span<const MulticastPiece> pieces, int dispatch_noc, uint16_t offset) {
  const size_t count = rectangles.size() * pieces.size();
  require_count(kLarge, "destinations", count, wire::kPackedLargeMaxSubCommands);
  Bytes bytes = header(wire::WritePackedLarge{.type = static_cast<uint8_t>(type),
                                              .count = static_cast<uint16_t>(count),
                                              .alignment = wire::kL1Align,
                                              .write_offset_index = offset});
  for (const Rectangle& r : rectangles) {
    check_rectangle(kLarge, r);
    for (const MulticastPiece& piece : pieces) {
      check_data(kLarge, piece.address, piece.data.size(), offset);
      if (piece.data.size() > kMaxLargePiece) {
        host_error(fmt::format("{}: {} bytes, at most {} fit", kLarge, piece.data.size(), kMaxLargePiece));
      }
      append(bytes,
             wire::WritePackedLargeSub{.noc_xy_addr = multicast_address(r, dispatch_noc),
                                       .addr = piece.address,
                                       .length_minus1 = static_cast<uint16_t>(piece.data.size() - 1),
                                       .num_mcast_dests = static_cast<uint8_t>(r.tiles()),
                                       .flags = &piece == &pieces.back() ? wire::kPackedLargeUnlink : uint8_t{0}});
    }
  }
  pad(bytes, wire::kL1Align);
  return bytes;
}

Bytes write_packed_large_pieces(wire::PackedLargeType type, std::span<const Rectangle> rectangles,
                                std::span<const MulticastPiece> pieces, int dispatch_noc, uint16_t offset) {
  Bytes bytes = write_packed_large_pieces_header(type, rectangles, pieces, dispatch_noc, offset);
  for (size_t i = 0; i < rectangles.size(); ++i) {
    for (const MulticastPiece& piece : pieces) append_padded(bytes, piece.data);
  }
  return bytes;
}

Bytes write_linear_header(uint32_t noc_xy_addr, uint64_t address, uint64_t length, uint8_t offset) {
  check_data("WRITE_LINEAR", address, length, offset);
  return header(
      wire::WriteLinear{.write_offset_index = offset, .noc_xy_addr = noc_xy_addr, .addr = address, .length = length});
}

Bytes write_paged_header(bool is_dram, uint16_t start_page, uint32_t base, uint32_t page_bytes, uint32_t pages) {
  if (base % wire::kL1Align != 0 || page_bytes % wire::kL1Align != 0 || page_bytes == 0 || pages == 0 ||
      uint64_t{pages} * page_bytes > ~0u) {
    host_error(fmt::format("WRITE_PAGED: {} pages of {} bytes at {:#x}", pages, page_bytes, base));
  }
  return header(wire::WritePaged{.is_dram = is_dram ? uint8_t{1} : uint8_t{0},
                                 .start_page = start_page,
                                 .base_addr = base,
                                 .page_size = page_bytes,
                                 .pages = pages});
}

Bytes wait(uint8_t flags, uint16_t stream, uint32_t count, uint32_t address) {
  if (flags == 0 || (flags & ~wire::kWaitAllFlags) != 0) host_error(fmt::format("WAIT: flags {:#x}", flags));
  const bool uses_stream = (flags & (wire::kWaitStream | wire::kWaitClearStream)) != 0;
  if (uses_stream && (stream < wire::kFirstStream || stream >= wire::kFirstStream + wire::kMaxWorkerSems ||
                      count >= wire::kMaxStreamCount)) {
    host_error(fmt::format("WAIT: stream {} count {}; streams are 48 to 55, counts below {}", stream, count,
                           wire::kMaxStreamCount));
  }
  return header(wire::Wait{.flags = flags, .stream = stream, .addr = address, .count = count});
}

Bytes set_go_signal_noc_data(std::span<const uint32_t> words) {
  require_count("SET_GO_SIGNAL_NOC_DATA", "entries", words.size(), wire::kGoTableEntries);
  return with_data(header(wire::SetGoSignalNocData{.num_words = static_cast<uint32_t>(words.size())}),
                   std::as_bytes(words));
}

Bytes set_go_signal_noc_data(std::span<const arch::NocCoord> cores) {
  std::vector<uint32_t> words;
  for (const arch::NocCoord core : cores) words.push_back(core.packed());
  return set_go_signal_noc_data(words);
}

Bytes send_go_signal(arch::GoMessage go, uint32_t entries, uint8_t first_entry, uint32_t wait_count, uint32_t stream) {
  if (entries == 0 || entries > 0xFF || first_entry + entries > wire::kGoTableEntries) {
    host_error(fmt::format("SEND_GO_SIGNAL: {} entries from {}", entries, first_entry));
  }
  return header(wire::SendGoSignal{.go_signal = go.word(),
                                   .num_unicast_txns = static_cast<uint8_t>(entries),
                                   .noc_data_start_index = first_entry,
                                   .wait_count = wait_count,
                                   .wait_stream = stream});
}

Bytes set_num_worker_sems(uint32_t count) {
  if (count > wire::kMaxWorkerSems) host_error(fmt::format("SET_NUM_WORKER_SEMS: {}, at most 8", count));
  return header(wire::SetNumWorkerSems{.num_worker_sems = count});
}

Bytes notify_subordinate_go_signal(bool barrier, uint16_t index_bitmask) {
  if (index_bitmask >= 1u << wire::kMaxWorkerSems) {
    host_error(fmt::format("NOTIFY_SUBORDINATE_GO_SIGNAL: mask {:#x}, 8 bits are there", index_bitmask));
  }
  return header(
      wire::NotifySubordinateGoSignal{.wait = barrier ? uint8_t{1} : uint8_t{0}, .index_bitmask = index_bitmask});
}

Bytes host_event(uint32_t id) {
  constexpr uint64_t kBytes = sizeof(wire::WriteLinearHHost) + wire::kEventBytes;
  Bytes bytes = header(wire::WriteLinearHHost{.is_event = 1, .length = kBytes});
  append(bytes, id);
  bytes.resize(kBytes);
  return bytes;
}

Bytes host_data_header(uint32_t length, uint32_t tag) {
  const uint64_t whole = sizeof(wire::WriteLinearHHost) + uint64_t{length};
  if (length == 0 || whole > ~0u) host_error(fmt::format("WRITE_LINEAR_H_HOST: {} bytes", length));
  return header(wire::WriteLinearHHost{.pad2 = tag, .length = whole});
}

Bytes timestamp(uint32_t noc_local) {
  require_multiple("TIMESTAMP", "address", noc_local, wire::kL1Align);
  return header(wire::Timestamp{.noc_xy_addr = wire::kPcieNocXyAddr, .addr = noc_local});
}

Bytes terminate() { return bare(wire::DispatchId::Terminate); }

Bytes record_header(std::span<const std::byte> payload, size_t more, wire::Dispatcher to) {
  const size_t length = payload.size() + more;
  if (payload.empty() || length > kRecordLimitBytes - sizeof(wire::RelayInline)) {
    host_error(fmt::format("a record of {} bytes; the limit is {}", length, kRecordLimitBytes));
  }
  return with_data(header(wire::RelayInline{.dispatcher = static_cast<uint8_t>(to),
                                            .length = static_cast<uint32_t>(length),
                                            .stride = align_up(sizeof(wire::RelayInline) + length, wire::kPcieAlign)}),
                   payload);
}

Bytes record(std::span<const std::byte> payload, wire::Dispatcher to) {
  Bytes bytes = record_header(payload, 0, to);
  pad(bytes, wire::kPcieAlign);
  return bytes;
}

uint16_t queue_entry(std::span<const std::byte> bytes, bool stall) {
  return static_cast<uint16_t>(bytes.size() >> 4 | (stall ? wire::kPrefetchQStallFlag : 0));
}

}  // namespace kerr::host::cq
