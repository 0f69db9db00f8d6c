#include "host/runtime/cq/commands.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "arch/cq_layout.hpp"
#include "host/error.hpp"
#include "host/runtime/cq/encode.hpp"
#include "host/runtime/cq/queue_config.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

void check_write(const char* command, uint32_t address, size_t targets, size_t limit, size_t bytes) {
  if (address % wire::kL1Align != 0) {
    host_error(fmt::format("{}: address {:#x} is not a multiple of {}", command, address, wire::kL1Align));
  }
  if (targets == 0 || targets > limit) {
    host_error(fmt::format("{}: {} destinations, wanted are 1 to {}", command, targets, limit));
  }
  if (bytes == 0) host_error(fmt::format("{}: no data", command));
}

void check_offset(const char* command, uint32_t offset) {
  if (offset >= wire::kMaxWriteOffsets) {
    host_error(fmt::format("{}: write offset {}, wanted are 0 to {}", command, offset, wire::kMaxWriteOffsets - 1));
  }
}

wire::WritePacked packed_header(wire::PackedType type, uint8_t flags, uint32_t address, size_t count, size_t size,
                                uint16_t offset) {
  check_offset("WRITE_PACKED", offset);
  if (size > wire::kPageBytes) {
    host_error(fmt::format("WRITE_PACKED: {} bytes to each core, at most {} fit", size, wire::kPageBytes));
  }
  wire::WritePacked command;
  command.flags = static_cast<uint8_t>(flags | static_cast<uint8_t>(type) << 4);
  command.count = static_cast<uint16_t>(count);
  command.write_offset_index = offset;
  command.size = static_cast<uint16_t>(size);
  command.addr = address;
  return command;
}

Bytes packed_header(wire::PackedType type, uint8_t flags, uint32_t address, std::span<const arch::NocCoord> cores,
                    size_t size, uint16_t offset) {
  Bytes bytes = header(packed_header(type, flags, address, cores.size(), size, offset));
  for (arch::NocCoord core : cores) append(bytes, wire::WritePackedUnicastSub{core.packed()});
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
  return bytes;
}

// Columns 8 and 9 hold no Tensix tile; a corner there is refused (20.3).
bool is_tensix(arch::NocCoord c) {
  const auto& columns = arch::kTensixColumnX;
  return std::find(columns.begin(), columns.end(), c.x) != columns.end() && c.y >= arch::kTensixFirstRow &&
         c.y < arch::kTensixFirstRow + arch::kTensixRows;
}

void check_rectangle(const char* command, const Rectangle& r) {
  if (!is_tensix(r.first) || !is_tensix(r.last) || r.last.x < r.first.x || r.last.y < r.first.y) {
    host_error(fmt::format("{}: ({},{})..({},{}) is no rectangle of Tensix tiles", command, r.first.x, r.first.y,
                           r.last.x, r.last.y));
  }
}

}  // namespace

Bytes write_packed_shared(wire::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                          std::span<const std::byte> data, uint16_t offset) {
  check_write("WRITE_PACKED", address, cores.size(), kMaxPackedCores, data.size());
  Bytes bytes = packed_header(type, wire::kPackedNoStride, address, cores, data.size(), offset);
  append_padded(bytes, data);
  if (bytes.size() > wire::kPageBytes) {
    host_error(fmt::format("WRITE_PACKED: {} shared bytes and {} cores exceed one page of {} bytes", data.size(),
                           cores.size(), wire::kPageBytes));
  }
  return bytes;
}

Bytes write_packed(wire::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                   std::span<const std::byte> data, uint16_t offset) {
  check_write("WRITE_PACKED", address, cores.size(), kMaxPackedCores, data.size());
  if (data.size() % cores.size() != 0) {
    host_error(fmt::format("WRITE_PACKED: {} bytes do not divide among {} cores", data.size(), cores.size()));
  }
  const size_t size = data.size() / cores.size();
  Bytes bytes = packed_header(type, 0, address, cores, size, offset);
  for (size_t i = 0; i < cores.size(); ++i) append_padded(bytes, data.subspan(i * size, size));
  return bytes;
}

Bytes write_packed_multicast(wire::PackedType type, uint32_t address, std::span<const Rectangle> rectangles,
                             std::span<const std::byte> data, uint16_t offset) {
  check_write("WRITE_PACKED", address, rectangles.size(), kMaxPackedCores / 2, data.size());
  if (data.size() % rectangles.size() != 0) {
    host_error(fmt::format("WRITE_PACKED: {} bytes do not divide among {} rectangles", data.size(),
                           rectangles.size()));
  }
  const size_t size = data.size() / rectangles.size();
  Bytes bytes = header(packed_header(type, wire::kPackedMulticast, address, rectangles.size(), size, offset));
  for (const Rectangle& r : rectangles) {
    check_rectangle("WRITE_PACKED", r);
    append(bytes, wire::WritePackedMulticastSub{multicast_address(r, 0), r.tiles()});
  }
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
  for (size_t i = 0; i < rectangles.size(); ++i) append_padded(bytes, data.subspan(i * size, size));
  return bytes;
}

uint32_t packed_large_capacity(size_t rectangles) {
  const auto n = static_cast<uint32_t>(rectangles);
  const uint32_t headers =
      sizeof(wire::RelayInline) + sizeof(wire::WritePackedLarge) + align16(sizeof(wire::WritePackedLargeSub) * n);
  // Up to the 64 KiB that a 16-bit length_minus1 can say; the payload is repeated for every rectangle.
  return std::min<uint32_t>(0x10000, (kRecordLimitBytes - headers) / n & ~15u);
}

Bytes write_packed_large_header(wire::PackedLargeType type, uint32_t address, std::span<const Rectangle> rectangles,
                                uint32_t length, int dispatch_noc, uint16_t offset) {
  check_write("WRITE_PACKED_LARGE", address, rectangles.size(), wire::kPackedLargeMaxSubCommands, length);
  check_offset("WRITE_PACKED_LARGE", offset);
  if (length > 0x10000) host_error(fmt::format("WRITE_PACKED_LARGE: {} bytes, at most 65536 fit", length));
  wire::WritePackedLarge command;
  command.type = static_cast<uint8_t>(type);
  command.count = static_cast<uint16_t>(rectangles.size());
  command.alignment = wire::kL1Align;
  command.write_offset_index = offset;
  Bytes bytes = header(command);
  for (const Rectangle& r : rectangles) {
    check_rectangle("WRITE_PACKED_LARGE", r);
    wire::WritePackedLargeSub sub;
    sub.noc_xy_addr = multicast_address(r, dispatch_noc);
    sub.addr = address;
    sub.length_minus1 = static_cast<uint16_t>(length - 1);
    sub.num_mcast_dests = static_cast<uint8_t>(r.tiles());
    sub.flags = wire::kPackedLargeUnlink;  // every rectangle is a path of its own
    append(bytes, sub);
  }
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
  return bytes;
}

Bytes write_packed_large(wire::PackedLargeType type, uint32_t address, std::span<const Rectangle> rectangles,
                         std::span<const std::byte> data, int dispatch_noc, uint16_t offset) {
  const auto length = static_cast<uint32_t>(std::min<size_t>(data.size(), ~0u));
  check_write("WRITE_PACKED_LARGE", address, rectangles.size(), wire::kPackedLargeMaxSubCommands, length);
  if (length > packed_large_capacity(rectangles.size())) {
    host_error(fmt::format("WRITE_PACKED_LARGE: {} bytes to {} rectangles, at most {} fit", data.size(),
                           rectangles.size(), packed_large_capacity(rectangles.size())));
  }
  Bytes bytes = write_packed_large_header(type, address, rectangles, length, dispatch_noc, offset);
  for (size_t i = 0; i < rectangles.size(); ++i) append_padded(bytes, data);
  return bytes;
}

Bytes write_packed_large_pieces_header(wire::PackedLargeType type, std::span<const Rectangle> rectangles,
                                       std::span<const MulticastPiece> pieces, int dispatch_noc) {
  wire::WritePackedLarge command;
  command.type = static_cast<uint8_t>(type);
  command.count = static_cast<uint16_t>(rectangles.size() * pieces.size());
  command.alignment = wire::kL1Align;
  Bytes bytes = header(command);
  for (const Rectangle& r : rectangles) {
    check_rectangle("WRITE_PACKED_LARGE", r);
    for (const MulticastPiece& piece : pieces) {
      check_write("WRITE_PACKED_LARGE", piece.address, rectangles.size() * pieces.size(),
                  wire::kPackedLargeMaxSubCommands, piece.data.size());
      if (piece.data.size() > 0x10000) {
        host_error(fmt::format("WRITE_PACKED_LARGE: {} bytes, at most 65536 fit", piece.data.size()));
      }
      wire::WritePackedLargeSub sub;
      sub.noc_xy_addr = multicast_address(r, dispatch_noc);
      sub.addr = piece.address;
      sub.length_minus1 = static_cast<uint16_t>(piece.data.size() - 1);
      sub.num_mcast_dests = static_cast<uint8_t>(r.tiles());
      sub.flags = &piece == &pieces.back() ? wire::kPackedLargeUnlink : uint8_t{0};
      append(bytes, sub);
    }
  }
  if (command.count == 0) host_error("WRITE_PACKED_LARGE: no destination");
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
  return bytes;
}

Bytes write_packed_large_pieces(wire::PackedLargeType type, std::span<const Rectangle> rectangles,
                                std::span<const MulticastPiece> pieces, int dispatch_noc) {
  Bytes bytes = write_packed_large_pieces_header(type, rectangles, pieces, dispatch_noc);
  for (size_t i = 0; i < rectangles.size(); ++i) {
    for (const MulticastPiece& piece : pieces) append_padded(bytes, piece.data);
  }
  return bytes;
}

Bytes write_packed_large_unicast(std::span<const UnicastPiece> pieces, uint16_t offset) {
  check_offset("WRITE_PACKED_LARGE_UNICAST", offset);
  wire::WritePackedLarge command;
  command.id = static_cast<uint8_t>(wire::DispatchId::WritePackedLargeUnicast);
  command.count = static_cast<uint16_t>(pieces.size());
  command.alignment = wire::kL1Align;
  command.write_offset_index = offset;
  Bytes bytes = header(command);
  for (const UnicastPiece& piece : pieces) {
    const bool discard = piece.address == wire::kDiscardAddress;
    check_write("WRITE_PACKED_LARGE_UNICAST", discard ? 0 : piece.address, pieces.size(),
                wire::kPackedLargeMaxSubCommands, piece.data.size());
    append(bytes, wire::WritePackedLargeUnicastSub{piece.core.packed(), piece.address,
                                                   static_cast<uint32_t>(piece.data.size())});
  }
  if (pieces.empty()) host_error("WRITE_PACKED_LARGE_UNICAST: no destination");
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
  for (const UnicastPiece& piece : pieces) append_padded(bytes, piece.data);
  return bytes;
}

namespace {

wire::WriteLinear linear(uint32_t noc_xy_addr, uint64_t address, uint64_t length, uint8_t offset) {
  if (address % wire::kL1Align != 0) {
    host_error(fmt::format("WRITE_LINEAR: address {:#x} is not a multiple of {}", address, wire::kL1Align));
  }
  if (length == 0) host_error("WRITE_LINEAR: no data");
  check_offset("WRITE_LINEAR", offset);
  wire::WriteLinear command;
  command.write_offset_index = offset;
  command.noc_xy_addr = noc_xy_addr;
  command.addr = address;
  command.length = length;
  return command;
}

Bytes with_data(const wire::WriteLinear& command, std::span<const std::byte> data) {
  Bytes bytes = header(command);
  append_bytes(bytes, data);
  return bytes;
}

}  // namespace

Bytes write_linear(uint32_t noc_xy_addr, uint64_t address, std::span<const std::byte> data, uint8_t offset) {
  return with_data(linear(noc_xy_addr, address, data.size(), offset), data);
}

Bytes write_linear_header(uint32_t noc_xy_addr, uint64_t address, uint64_t length, uint8_t offset) {
  return header(linear(noc_xy_addr, address, length, offset));
}

Bytes write_linear_h(uint32_t noc_xy_addr, uint64_t address, std::span<const std::byte> data) {
  wire::WriteLinear command = linear(noc_xy_addr, address, data.size(), 0);
  command.id = static_cast<uint8_t>(wire::DispatchId::WriteLinearH);
  return with_data(command, data);
}

Bytes write_linear_multicast(const Rectangle& tiles, uint32_t address, std::span<const std::byte> data,
                             uint8_t offset) {
  check_rectangle("WRITE_LINEAR", tiles);
  wire::WriteLinear command = linear(multicast_address(tiles, 0), address, data.size(), offset);
  command.num_mcast_dests = static_cast<uint8_t>(tiles.tiles());
  return with_data(command, data);
}

Bytes write_paged(bool is_dram, uint16_t start_page, uint32_t base, uint32_t page_bytes,
                  std::span<const std::byte> data) {
  if (base % wire::kL1Align != 0 || page_bytes % wire::kL1Align != 0 || page_bytes == 0 || data.empty() ||
      data.size() % page_bytes != 0 || data.size() > kRecordLimitBytes) {
    host_error(fmt::format("WRITE_PAGED: {} bytes in pages of {} at {:#x}; wanted are whole pages of multiples of 16",
                           data.size(), page_bytes, base));
  }
  Bytes bytes = write_paged_header(is_dram, start_page, base, page_bytes,
                                   static_cast<uint32_t>(data.size() / page_bytes));
  append_bytes(bytes, data);
  return bytes;
}

Bytes write_paged_header(bool is_dram, uint16_t start_page, uint32_t base, uint32_t page_bytes, uint32_t pages) {
  if (base % wire::kL1Align != 0 || page_bytes % wire::kL1Align != 0 || page_bytes == 0 || pages == 0 ||
      uint64_t{pages} * page_bytes > ~0u) {
    host_error(fmt::format("WRITE_PAGED: {} pages of {} bytes at {:#x}", pages, page_bytes, base));
  }
  wire::WritePaged command;
  command.is_dram = is_dram ? 1 : 0;
  command.start_page = start_page;
  command.base_addr = base;
  command.page_size = page_bytes;
  command.pages = pages;
  return header(command);
}

Bytes set_write_offset(std::span<const uint32_t> offsets, uint16_t program_host_id) {
  if (offsets.empty() || offsets.size() > wire::kMaxWriteOffsets) {
    host_error(fmt::format("SET_WRITE_OFFSET: {} offsets, wanted are 1 to {}", offsets.size(),
                           wire::kMaxWriteOffsets));
  }
  wire::SetWriteOffset command;
  command.offset_count = static_cast<uint8_t>(offsets.size());
  command.program_host_id = program_host_id;
  Bytes bytes = header(command);
  append_bytes(bytes, std::as_bytes(offsets));
  return bytes;
}

Bytes wait(uint8_t flags, uint16_t stream, uint32_t count, uint32_t address) {
  if (flags == 0 || (flags & ~wire::kWaitAllFlags) != 0) host_error(fmt::format("WAIT: flags {:#x}", flags));
  const bool uses_stream = (flags & (wire::kWaitStream | wire::kWaitClearStream)) != 0;
  if (uses_stream && (stream < wire::kFirstStream || stream >= wire::kFirstStream + wire::kMaxWorkerSems ||
                      count >= wire::kMaxStreamCount)) {
    host_error(fmt::format("WAIT: stream {} count {}; streams are 48 to 55, counts below {}", stream, count,
                           wire::kMaxStreamCount));
  }
  wire::Wait command;
  command.flags = flags;
  command.stream = stream;
  command.addr = address;
  command.count = count;
  return header(command);
}

Bytes set_go_signal_noc_data(std::span<const uint32_t> words) {
  if (words.empty() || words.size() > wire::kGoTableEntries) {
    host_error(
        fmt::format("SET_GO_SIGNAL_NOC_DATA: {} entries, wanted are 1 to {}", words.size(), wire::kGoTableEntries));
  }
  wire::SetGoSignalNocData command;
  command.num_words = static_cast<uint32_t>(words.size());
  Bytes bytes = header(command);
  for (const uint32_t word : words) append(bytes, word);
  return bytes;
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
  wire::SendGoSignal command;
  command.go_signal = go.word();
  command.num_unicast_txns = static_cast<uint8_t>(entries);
  command.noc_data_start_index = first_entry;
  command.wait_count = wait_count;
  command.wait_stream = stream;
  return header(command);
}

Bytes send_go_signal_multicast(arch::GoMessage go, uint8_t index, uint32_t wait_count, uint32_t stream) {
  if (index >= arch::kFwB.go_message_count) host_error(fmt::format("SEND_GO_SIGNAL: there is no go message {}", index));
  wire::SendGoSignal command;
  command.go_signal = go.word();
  command.multicast_go_offset = index;
  command.wait_count = wait_count;
  command.wait_stream = stream;
  return header(command);
}

Bytes set_num_worker_sems(uint32_t count) {
  if (count > wire::kMaxWorkerSems) host_error(fmt::format("SET_NUM_WORKER_SEMS: {}, at most 8", count));
  wire::SetNumWorkerSems command;
  command.num_worker_sems = count;
  return header(command);
}

Bytes notify_subordinate_go_signal(bool barrier, uint16_t index_bitmask) {
  if (index_bitmask >= 1u << wire::kMaxWorkerSems) {
    host_error(fmt::format("NOTIFY_SUBORDINATE_GO_SIGNAL: mask {:#x}, 8 bits are there", index_bitmask));
  }
  wire::NotifySubordinateGoSignal command;
  command.wait = barrier ? 1 : 0;
  command.index_bitmask = index_bitmask;
  return header(command);
}

Bytes host_event(uint32_t id) {
  wire::WriteLinearHHost command;
  command.is_event = 1;
  command.length = sizeof command + wire::kEventBytes;
  Bytes bytes = header(command);
  append(bytes, id);
  bytes.resize(sizeof command + wire::kEventBytes);
  return bytes;
}

Bytes host_data_header(uint32_t length, uint32_t tag) {
  wire::WriteLinearHHost command;
  command.pad2 = tag;
  command.length = sizeof command + uint64_t{length};
  if (length == 0 || command.length > ~0u) host_error(fmt::format("WRITE_LINEAR_H_HOST: {} bytes", length));
  return header(command);
}

Bytes delay(uint32_t turns) {
  wire::Delay command;
  command.delay = turns;
  return header(command);
}

Bytes debug(uint16_t key, std::span<const std::byte> data, std::span<const std::byte> next) {
  wire::Debug command;
  command.key = key;
  command.size = static_cast<uint32_t>(data.size());
  command.stride = align16(static_cast<uint32_t>(sizeof command + data.size()));
  Bytes bytes = header(command);
  append_padded(bytes, data);
  append_bytes(bytes, next);
  return bytes;
}

Bytes sink_header(uint32_t length) {
  wire::Sink command;
  command.length = length;
  return header(command);
}

Bytes sink(std::span<const std::byte> data) {
  Bytes bytes = sink_header(static_cast<uint32_t>(data.size()));
  append_bytes(bytes, data);
  return bytes;
}

Bytes timestamp(uint32_t noc_local) {
  if (noc_local % wire::kL1Align != 0) host_error(fmt::format("TIMESTAMP: address {:#x}", noc_local));
  wire::Timestamp command;
  command.noc_xy_addr = wire::kPcieNocXyAddr;
  command.addr = noc_local;
  return header(command);
}

Bytes terminate() { return header(wire::BareCommand{static_cast<uint8_t>(wire::DispatchId::Terminate), {}}); }

Bytes record_header(std::span<const std::byte> payload, size_t more, wire::Dispatcher to) {
  const size_t length = payload.size() + more;
  if (payload.empty() || length > kRecordLimitBytes - sizeof(wire::RelayInline)) {
    host_error(fmt::format("a record of {} bytes; the limit is {}", length, kRecordLimitBytes));
  }
  wire::RelayInline command;
  command.dispatcher = static_cast<uint8_t>(to);
  command.length = static_cast<uint32_t>(length);
  command.stride = align64(static_cast<uint32_t>(sizeof command + length));
  Bytes bytes = header(command);
  append_bytes(bytes, payload);
  return bytes;
}

Bytes record(std::span<const std::byte> payload, wire::Dispatcher to) {
  Bytes bytes = record_header(payload, 0, to);
  bytes.resize(align64(static_cast<uint32_t>(bytes.size())));
  return bytes;
}

uint16_t queue_entry(std::span<const std::byte> bytes, bool stall) {
  return static_cast<uint16_t>(bytes.size() >> 4 | (stall ? wire::kPrefetchQStallFlag : 0));
}

}  // namespace kerr::host::cq
