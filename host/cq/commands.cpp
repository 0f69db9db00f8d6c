#include "host/cq/commands.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

constexpr uint32_t align16(uint32_t n) { return (n + 15) & ~15u; }
constexpr uint32_t align64(uint32_t n) { return (n + 63) & ~63u; }

template <class Struct>
Bytes header(const Struct& command) {
  Bytes bytes(sizeof command);
  std::memcpy(bytes.data(), &command, sizeof command);
  return bytes;
}

template <class Struct>
void append(Bytes& bytes, const Struct& item) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof item);
  std::memcpy(bytes.data() + at, &item, sizeof item);
}

void append_padded(Bytes& bytes, std::span<const std::byte> data) {
  const size_t at = bytes.size();
  bytes.resize(align16(static_cast<uint32_t>(at + data.size())));
  std::memcpy(bytes.data() + at, data.data(), data.size());
}

void check_write(const char* command, uint32_t address, size_t targets, size_t limit, size_t bytes) {
  if (address % wire::kL1Align != 0) {
    host_error(fmt::format("{}: address {:#x} is not a multiple of {}", command, address, wire::kL1Align));
  }
  if (targets == 0 || targets > limit) {
    host_error(fmt::format("{}: {} destinations, wanted are 1 to {}", command, targets, limit));
  }
  if (bytes == 0) host_error(fmt::format("{}: no data", command));
}

Bytes packed_header(wire::PackedType type, uint8_t flags, uint32_t address, std::span<const arch::NocCoord> cores,
                    size_t size) {
  if (size > wire::kPageBytes) {
    host_error(fmt::format("WRITE_PACKED: {} bytes to each core, at most {} fit", size, wire::kPageBytes));
  }
  wire::WritePacked command;
  command.flags = static_cast<uint8_t>(flags | static_cast<uint8_t>(type) << 4);
  command.count = static_cast<uint16_t>(cores.size());
  command.size = static_cast<uint16_t>(size);
  command.addr = address;
  Bytes bytes = header(command);
  for (arch::NocCoord core : cores) append(bytes, wire::WritePackedUnicastSub{core.packed()});
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
  return bytes;
}

uint32_t multicast_address(const Rectangle& r, int dispatch_noc) {
  // NoC 1 runs the other way, so its start is the far corner.
  const arch::NocCoord start = dispatch_noc == 0 ? r.first : r.last;
  const arch::NocCoord end = dispatch_noc == 0 ? r.last : r.first;
  return start.packed() << 12 | end.packed();
}

// Columns 8 and 9 hold no Tensix tile; a corner there is refused (20.3).
bool is_tensix(arch::NocCoord c) {
  const auto& columns = arch::kTensixColumnX;
  return std::find(columns.begin(), columns.end(), c.x) != columns.end() && c.y >= arch::kTensixFirstRow &&
         c.y < arch::kTensixFirstRow + arch::kTensixRows;
}

}  // namespace

Bytes write_packed_shared(wire::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                          std::span<const std::byte> data) {
  check_write("WRITE_PACKED", address, cores.size(), kMaxPackedCores, data.size());
  Bytes bytes = packed_header(type, wire::kPackedNoStride, address, cores, data.size());
  append_padded(bytes, data);
  if (bytes.size() > wire::kPageBytes) {
    host_error(fmt::format("WRITE_PACKED: {} shared bytes and {} cores exceed one page of {} bytes", data.size(),
                           cores.size(), wire::kPageBytes));
  }
  return bytes;
}

Bytes write_packed(wire::PackedType type, uint32_t address, std::span<const arch::NocCoord> cores,
                   std::span<const std::byte> data) {
  check_write("WRITE_PACKED", address, cores.size(), kMaxPackedCores, data.size());
  if (data.size() % cores.size() != 0) {
    host_error(fmt::format("WRITE_PACKED: {} bytes do not divide among {} cores", data.size(), cores.size()));
  }
  const size_t size = data.size() / cores.size();
  Bytes bytes = packed_header(type, 0, address, cores, size);
  for (size_t i = 0; i < cores.size(); ++i) append_padded(bytes, data.subspan(i * size, size));
  return bytes;
}

uint32_t packed_large_capacity(size_t rectangles) {
  const auto n = static_cast<uint32_t>(rectangles);
  const uint32_t headers =
      sizeof(wire::RelayInline) + sizeof(wire::WritePackedLarge) + align16(sizeof(wire::WritePackedLargeSub) * n);
  // Up to the 64 KiB that a 16-bit length_minus1 can say; the payload is repeated for every rectangle.
  return std::min<uint32_t>(0x10000, (kRecordLimitBytes - headers) / n & ~15u);
}

Bytes write_packed_large(wire::PackedLargeType type, uint32_t address, std::span<const Rectangle> rectangles,
                         std::span<const std::byte> data, int dispatch_noc) {
  check_write("WRITE_PACKED_LARGE", address, rectangles.size(), wire::kPackedLargeMaxSubCommands, data.size());
  if (data.size() > packed_large_capacity(rectangles.size())) {
    host_error(fmt::format("WRITE_PACKED_LARGE: {} bytes to {} rectangles, at most {} fit", data.size(),
                           rectangles.size(), packed_large_capacity(rectangles.size())));
  }
  wire::WritePackedLarge command;
  command.type = static_cast<uint8_t>(type);
  command.count = static_cast<uint16_t>(rectangles.size());
  command.alignment = wire::kL1Align;
  Bytes bytes = header(command);
  for (const Rectangle& r : rectangles) {
    if (!is_tensix(r.first) || !is_tensix(r.last) || r.last.x < r.first.x || r.last.y < r.first.y ||
        (r.first.x < 8 && r.last.x > 9)) {
      host_error(fmt::format("WRITE_PACKED_LARGE: ({},{})..({},{}) is no rectangle of Tensix tiles", r.first.x,
                             r.first.y, r.last.x, r.last.y));
    }
    wire::WritePackedLargeSub sub;
    sub.noc_xy_addr = multicast_address(r, dispatch_noc);
    sub.addr = address;
    sub.length_minus1 = static_cast<uint16_t>(data.size() - 1);
    sub.num_mcast_dests = static_cast<uint8_t>(r.tiles());
    sub.flags = wire::kPackedLargeUnlink;  // every rectangle is a path of its own
    append(bytes, sub);
  }
  bytes.resize(align16(static_cast<uint32_t>(bytes.size())));
  for (size_t i = 0; i < rectangles.size(); ++i) append_padded(bytes, data);
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

Bytes set_go_signal_noc_data(std::span<const arch::NocCoord> cores) {
  if (cores.empty() || cores.size() > wire::kGoTableEntries) {
    host_error(
        fmt::format("SET_GO_SIGNAL_NOC_DATA: {} cores, wanted are 1 to {}", cores.size(), wire::kGoTableEntries));
  }
  wire::SetGoSignalNocData command;
  command.num_words = static_cast<uint32_t>(cores.size());
  Bytes bytes = header(command);
  for (arch::NocCoord core : cores) append(bytes, core.packed());
  return bytes;
}

Bytes send_go_signal(arch::GoMessage go, uint32_t cores, uint8_t first_entry, uint32_t wait_count, uint32_t stream) {
  if (cores == 0 || cores > 0xFF || first_entry + cores > wire::kGoTableEntries) {
    host_error(fmt::format("SEND_GO_SIGNAL: {} cores from entry {}", cores, first_entry));
  }
  wire::SendGoSignal command;
  command.go_signal = go.word();
  command.num_unicast_txns = static_cast<uint8_t>(cores);
  command.noc_data_start_index = first_entry;
  command.wait_count = wait_count;
  command.wait_stream = stream;
  return header(command);
}

Bytes notify_subordinate_go_signal(bool barrier, uint16_t index_bitmask) {
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

Bytes timestamp(uint32_t noc_local) {
  if (noc_local % wire::kL1Align != 0) host_error(fmt::format("TIMESTAMP: address {:#x}", noc_local));
  wire::Timestamp command;
  command.noc_xy_addr = wire::kPcieNocXyAddr;
  command.addr = noc_local;
  return header(command);
}

Bytes terminate() { return header(wire::BareCommand{static_cast<uint8_t>(wire::DispatchId::kTerminate), {}}); }

Bytes record(std::span<const std::byte> payload, wire::Dispatcher to) {
  const auto length = static_cast<uint32_t>(payload.size());
  if (payload.empty() || length > kRecordLimitBytes - sizeof(wire::RelayInline)) {
    host_error(fmt::format("a record of {} bytes; the limit is {}", length, kRecordLimitBytes));
  }
  wire::RelayInline command;
  command.dispatcher = static_cast<uint8_t>(to);
  command.length = length;
  command.stride = align64(sizeof command + length);
  Bytes bytes = header(command);
  bytes.resize(command.stride);
  std::memcpy(bytes.data() + sizeof command, payload.data(), length);
  return bytes;
}

Bytes prefetch_terminate() {
  Bytes bytes = header(wire::BareCommand{static_cast<uint8_t>(wire::PrefetchId::kTerminate), {}});
  bytes.resize(wire::kPcieAlign);
  return bytes;
}

uint16_t queue_entry(std::span<const std::byte> bytes) { return static_cast<uint16_t>(bytes.size() >> 4); }

}  // namespace kerr::host::cq
