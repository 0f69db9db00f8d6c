#include "host/runtime/cq/decode.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "arch/cq.hpp"
#include "arch/cq_layout.hpp"
#include "arch/grid.hpp"
#include "host/error.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

// Reads structs out of bytes, or says where they end too early.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, uint64_t offset, uint64_t end) : bytes_(bytes), begin_(offset), end_(end) {}

  uint64_t begin() const { return begin_; }
  uint64_t size() const { return end_ - begin_; }
  uint8_t id() const { return static_cast<uint8_t>(bytes_[begin_]); }

  template <class Struct>
  Struct take(const char* what, uint64_t at = 0) const {
    require(at <= size() && sizeof(Struct) <= size() - at, fmt::format("{} is cut off", what));
    Struct s;
    std::memcpy(&s, bytes_.data() + begin_ + at, sizeof s);
    return s;
  }
  void require(bool condition, const std::string& problem) const {
    if (!condition) host_error(fmt::format("byte {:#x}: {}", begin_, problem));
  }

 private:
  std::span<const std::byte> bytes_;
  uint64_t begin_, end_;
};

Field number(std::string name, uint64_t value) { return {std::move(name), value, fmt::format("{}", value)}; }
Field hex(std::string name, uint64_t value) { return {std::move(name), value, fmt::format("{:#x}", value)}; }
Field named(std::string name, uint64_t value, std::string text) { return {std::move(name), value, std::move(text)}; }

std::string tile_text(uint32_t noc_xy_addr) {
  const arch::NocCoord tile = arch::NocCoord::unpack(noc_xy_addr);
  return noc_xy_addr >> 24 & 1 ? "host" : fmt::format("({},{})", tile.x, tile.y);
}
Field tile(std::string name, uint32_t noc_xy_addr) {
  return named(std::move(name), noc_xy_addr, tile_text(noc_xy_addr));
}
std::string rectangle_text(uint32_t corners) {
  return fmt::format("{}..{}", tile_text(corners >> 12 & 0xFFF), tile_text(corners & 0xFFF));
}

// The first few of a list, and how many there are.
template <class Text>
std::string list_text(uint64_t count, Text&& text) {
  constexpr uint64_t kShown = 4;
  std::string out;
  for (uint64_t i = 0; i < std::min(count, kShown); ++i) out += (i == 0 ? "" : ",") + text(i);
  return count > kShown ? out + fmt::format(",... {} in all", count) : out;
}

std::string flags_text(uint32_t flags, std::initializer_list<std::pair<uint32_t, const char*>> names) {
  std::string out;
  for (const auto& [bit, name] : names) {
    if (flags & bit) out += (out.empty() ? "" : "|") + std::string(name);
  }
  return out.empty() ? "none" : out;
}

constexpr uint64_t align_to(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

DecodedCommand command(const Reader& r, std::string_view name, uint64_t bytes, std::vector<Field> fields) {
  return {r.begin(), bytes, name, std::move(fields), {}};
}

std::string_view dispatcher_name(uint8_t dispatcher) { return dispatcher == 0 ? "dispatch_d" : "dispatch_s"; }

// RELAY_INLINE, NOFLUSH, EXEC_BUF_END.
DecodedCommand inline_command(std::span<const std::byte> bytes, const Reader& r, std::string_view name) {
  const auto c = r.take<wire::RelayInline>("a header");
  r.require(c.dispatcher <= 1, fmt::format("{} to dispatcher {}", name, c.dispatcher));
  r.require(c.stride >= wire::kPcieAlign && c.stride % wire::kPcieAlign == 0 && c.stride <= r.size(),
            fmt::format("{} with a stride of {}, {} bytes are there", name, uint32_t{c.stride}, r.size()));
  r.require(c.length >= wire::kCommandBytes && c.length <= c.stride - sizeof c,
            fmt::format("{} of {} bytes in a stride of {}", name, uint32_t{c.length}, uint32_t{c.stride}));
  DecodedCommand out = command(r, name, c.stride,
                               {named("to", c.dispatcher, std::string(dispatcher_name(c.dispatcher))),
                                number("length", c.length), number("stride", c.stride)});
  out.payload = decode_dispatch(bytes, r.begin() + sizeof c, c.length,
                                c.id == static_cast<uint8_t>(wire::PrefetchId::RelayInlineNoflush));
  return out;
}

void check_stride(const Reader& r, const char* name, uint64_t stride, uint64_t used) {
  r.require(stride >= wire::kPcieAlign && stride % wire::kPcieAlign == 0 && stride <= r.size() && used <= stride,
            fmt::format("{} with a stride of {} for {} bytes, {} are there", name, stride, used, r.size()));
}

// What lies behind the header of a relay of many pieces, at most `most`; `text`: makes one line of a `Piece`.
template <class Piece, class Header, class Text>
Field pieces(const Reader& r, const char* name, const Header& c, uint32_t most, Text&& text) {
  r.require(c.count != 0 && c.count <= most, fmt::format("{} with {} pieces", name, uint16_t{c.count}));
  check_stride(r, name, c.stride, sizeof c + c.count * sizeof(Piece));
  return named("pieces", c.count, list_text(c.count, [&](uint64_t i) {
                 return text(r.take<Piece>("a piece", sizeof c + i * sizeof(Piece)));
               }));
}

DecodedCommand relay_paged_packed(const Reader& r, const char* name) {
  const auto c = r.take<wire::RelayPagedPacked>(name);
  const auto text = [](const wire::RelayPagedPackedSub& s) {
    return fmt::format("{}@{:#x}+page{}x2^{}", uint32_t{s.length}, uint32_t{s.base_addr}, uint16_t{s.start_page},
                       uint16_t{s.log_page_size});
  };
  return command(r, name, c.stride,
                 {number("total_length", c.total_length),
                  pieces<wire::RelayPagedPackedSub>(r, name, c, wire::kPackedLargeMaxSubCommands, text)});
}

DecodedCommand relay_linear_packed(const Reader& r, const char* name) {
  const auto c = r.take<wire::RelayLinearPacked>(name);
  const auto text = [](const wire::RelayLinearPackedSub& s) {
    return fmt::format("{}@{:#x}", uint32_t{s.length}, uint64_t{s.addr});
  };
  return command(r, name, c.stride,
                 {tile("from", c.noc_xy_addr), number("total_length", c.total_length),
                  pieces<wire::RelayLinearPackedSub>(r, name, c, wire::kPackedLargeMaxSubCommands, text)});
}

DecodedCommand relay_ringbuffer(const Reader& r, const char* name) {
  const auto c = r.take<wire::RelayRingbuffer>(name);
  const auto text = [](const wire::RelayRingbufferSub& s) {
    return fmt::format("{}@{:#x}", uint32_t{s.length}, uint32_t{s.start});
  };
  return command(r, name, c.stride,
                 {pieces<wire::RelayRingbufferSub>(r, name, c, wire::kRingbufferMaxSubCommands, text)});
}

// Bytes of data behind a header: all inside the payload, unless another command delivers them.
uint64_t data_end(const Reader& r, const char* name, uint64_t header, uint64_t data, bool data_follow) {
  if (data_follow) return std::min(header, r.size());
  r.require(header <= r.size() && data <= r.size() - header,
            fmt::format("{} with {} bytes of data, {} are there", name, data, r.size() - std::min(header, r.size())));
  return header + data;
}

DecodedCommand write_packed(const Reader& r, bool data_follow) {
  const auto c = r.take<wire::WritePacked>("WRITE_PACKED");
  const bool multicast = c.flags & wire::kPackedMulticast, shared = c.flags & wire::kPackedNoStride;
  const uint64_t sub_bytes = multicast ? sizeof(wire::WritePackedMulticastSub) : sizeof(wire::WritePackedUnicastSub);
  r.require(
      c.count != 0 && c.count * sub_bytes <= wire::kPageBytes - sizeof c && c.size != 0 && c.size <= wire::kPageBytes,
      fmt::format("WRITE_PACKED of {} bytes to {}", uint16_t{c.size}, uint16_t{c.count}));
  const auto sub = [&](uint64_t i) {
    const auto xy = r.take<uint32_t>("a destination", sizeof c + i * sub_bytes);
    return multicast ? rectangle_text(xy) : tile_text(xy);
  };
  const uint64_t header = align_to(sizeof c + c.count * sub_bytes, wire::kL1Align);
  const uint64_t each = align_to(c.size, wire::kL1Align);
  const uint64_t data = shared ? c.size : each * (c.count - 1u) + c.size;
  std::vector<Field> fields = {named("flags", c.flags & 0xFu, flags_text(c.flags, {{1, "multicast"}, {2, "shared"}})),
                               number("type", c.flags >> 4),
                               hex("addr", c.addr),
                               number("size", c.size),
                               number("offset_index", c.write_offset_index),
                               named("to", c.count, list_text(c.count, sub))};
  return command(r, "WRITE_PACKED", data_end(r, "WRITE_PACKED", header, data, data_follow), std::move(fields));
}

DecodedCommand write_packed_large(const Reader& r, bool data_follow, const char* name) {
  const bool unicast = r.id() == static_cast<uint8_t>(wire::DispatchId::WritePackedLargeUnicast);
  const auto c = r.take<wire::WritePackedLarge>(name);
  r.require(c.count != 0 && c.count <= wire::kPackedLargeMaxSubCommands,
            fmt::format("{} with {} sub-commands", name, uint16_t{c.count}));
  r.require(c.alignment != 0 && (c.alignment & (c.alignment - 1)) == 0,
            fmt::format("{} with an alignment of {}", name, uint16_t{c.alignment}));
  uint64_t data = 0;
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < c.count; ++i) {
    uint64_t length;
    if (unicast) {
      const auto s = r.take<wire::WritePackedLargeUnicastSub>("a sub-command", sizeof c + 12 * i);
      length = s.length;
      texts.push_back(s.addr == wire::kDiscardAddress
                          ? fmt::format("{} discarded", length)
                          : fmt::format("{}:{:#x}+{}", tile_text(s.noc_xy_addr), uint32_t{s.addr}, length));
    } else {
      const auto s = r.take<wire::WritePackedLargeSub>("a sub-command", sizeof c + 12 * i);
      length = s.length_minus1 + 1u;
      texts.push_back(fmt::format("{}={}:{:#x}+{}{}", rectangle_text(s.noc_xy_addr), s.num_mcast_dests,
                                  uint32_t{s.addr}, length, s.flags & wire::kPackedLargeUnlink ? "" : " linked"));
    }
    data += align_to(length, c.alignment);
  }
  const uint64_t header = align_to(sizeof c + 12ull * c.count, wire::kL1Align);
  return command(
      r, name, data_end(r, name, header, data, data_follow),
      {number("type", c.type), number("alignment", c.alignment), number("offset_index", c.write_offset_index),
       named("to", c.count, list_text(c.count, [&](uint64_t i) { return texts[i]; }))});
}

DecodedCommand write_linear(const Reader& r, bool data_follow, const char* name) {
  const auto c = r.take<wire::WriteLinear>(name);
  return command(
      r, name, data_end(r, name, sizeof c, c.length, data_follow),
      {c.num_mcast_dests != 0 ? named("to", c.noc_xy_addr, rectangle_text(c.noc_xy_addr)) : tile("to", c.noc_xy_addr),
       number("receivers", c.num_mcast_dests), hex("addr", c.addr), number("length", c.length),
       number("offset_index", c.write_offset_index)});
}

DecodedCommand write_host(const Reader& r, bool data_follow) {
  const auto c = r.take<wire::WriteLinearHHost>("WRITE_LINEAR_H_HOST");
  r.require(c.length >= sizeof c, fmt::format("WRITE_LINEAR_H_HOST of {} bytes", uint64_t{c.length}));
  std::vector<Field> fields = {number("is_event", c.is_event), number("length", c.length)};
  if (c.is_event != 0 && !data_follow) fields.push_back(number("event", r.take<uint32_t>("an event id", sizeof c)));
  return command(r, "WRITE_LINEAR_H_HOST",
                 data_end(r, "WRITE_LINEAR_H_HOST", sizeof c, c.length - sizeof c, data_follow), std::move(fields));
}

DecodedCommand write_paged(const Reader& r, bool data_follow) {
  const auto c = r.take<wire::WritePaged>("WRITE_PAGED");
  const uint64_t data = uint64_t{c.page_size} * c.pages;
  r.require(data != 0 && data <= ~0u, fmt::format("WRITE_PAGED of {} bytes", data));
  return command(r, "WRITE_PAGED", data_end(r, "WRITE_PAGED", sizeof c, data, data_follow),
                 {named("memory", c.is_dram, c.is_dram ? "DRAM" : "L1"), number("start_page", c.start_page),
                  hex("base", c.base_addr), number("page_size", c.page_size), number("pages", c.pages)});
}

DecodedCommand wait_command(const Reader& r) {
  const auto c = r.take<wire::Wait>("WAIT");
  r.require((c.flags & ~wire::kWaitAllFlags) == 0, fmt::format("WAIT with flags {:#x}", c.flags));
  std::vector<Field> fields = {named("flags", c.flags,
                                     flags_text(c.flags, {{wire::kWaitBarrier, "barrier"},
                                                          {wire::kWaitMemory, "memory"},
                                                          {wire::kWaitStream, "stream"},
                                                          {wire::kWaitClearStream, "clear"},
                                                          {wire::kWaitNotifyPrefetch, "notify_prefetch"}}))};
  if (c.flags & (wire::kWaitStream | wire::kWaitClearStream)) fields.push_back(number("stream", c.stream));
  if (c.flags & wire::kWaitMemory) fields.push_back(hex("addr", c.addr));
  if (c.flags & (wire::kWaitStream | wire::kWaitMemory)) fields.push_back(number("count", c.count));
  return command(r, "WAIT", sizeof c, std::move(fields));
}

DecodedCommand send_go(const Reader& r) {
  const auto c = r.take<wire::SendGoSignal>("SEND_GO_SIGNAL");
  const uint32_t go = c.go_signal;
  return command(
      r, "SEND_GO_SIGNAL", sizeof c,
      {hex("go", go), hex("signal", go >> 24),
       named("master", go >> 8 & 0xFFFF, fmt::format("({},{})", go >> 8 & 0xFF, go >> 16 & 0xFF)),
       named("multicast", c.multicast_go_offset,
             c.multicast_go_offset == wire::kNoMulticastGo ? "no" : fmt::format("{}", c.multicast_go_offset)),
       number("unicasts", c.num_unicast_txns), number("first", c.noc_data_start_index),
       number("wait_count", c.wait_count), number("wait_stream", c.wait_stream)});
}

DecodedCommand go_table(const Reader& r) {
  const auto c = r.take<wire::SetGoSignalNocData>("SET_GO_SIGNAL_NOC_DATA");
  r.require(c.num_words <= wire::kGoTableEntries,
            fmt::format("SET_GO_SIGNAL_NOC_DATA of {} words", uint32_t{c.num_words}));
  return command(r, "SET_GO_SIGNAL_NOC_DATA",
                 data_end(r, "SET_GO_SIGNAL_NOC_DATA", sizeof c, 4ull * c.num_words, false),
                 {named("tiles", c.num_words, list_text(c.num_words, [&](uint64_t i) {
                          const auto word = r.take<uint32_t>("a tile", sizeof c + 4 * i);
                          if (!wire::is_go_rectangle(word)) return tile_text(word);
                          return fmt::format("{}={}", rectangle_text(word & 0xFFFFFF), word >> wire::kGoReceiversShift);
                        }))});
}

DecodedCommand set_write_offset(const Reader& r) {
  const auto c = r.take<wire::SetWriteOffset>("SET_WRITE_OFFSET");
  r.require(c.offset_count <= wire::kMaxWriteOffsets, fmt::format("SET_WRITE_OFFSET of {}", c.offset_count));
  return command(r, "SET_WRITE_OFFSET", data_end(r, "SET_WRITE_OFFSET", sizeof c, 4ull * c.offset_count, false),
                 {number("program", c.program_host_id),
                  named("offsets", c.offset_count, list_text(c.offset_count, [&](uint64_t i) {
                          return fmt::format("{:#x}", r.take<uint32_t>("an offset", sizeof c + 4 * i));
                        }))});
}

DecodedCommand decode_one_dispatch(const Reader& r, bool data_follow) {
  const auto bare = [&](std::string_view name) {
    r.take<wire::BareCommand>("a header");
    return command(r, name, wire::kCommandBytes, {});
  };
  r.require(r.size() >= wire::kCommandBytes, "a dispatch command is cut off");
  switch (static_cast<wire::DispatchId>(r.id())) {
    case wire::DispatchId::WriteLinear: return write_linear(r, data_follow, "WRITE_LINEAR");
    case wire::DispatchId::WriteLinearH: return write_linear(r, data_follow, "WRITE_LINEAR_H");
    case wire::DispatchId::WriteLinearHHost: return write_host(r, data_follow);
    case wire::DispatchId::WritePaged: return write_paged(r, data_follow);
    case wire::DispatchId::WritePacked: return write_packed(r, data_follow);
    case wire::DispatchId::WritePackedLarge: return write_packed_large(r, data_follow, "WRITE_PACKED_LARGE");
    case wire::DispatchId::WritePackedLargeUnicast:
      return write_packed_large(r, data_follow, "WRITE_PACKED_LARGE_UNICAST");
    case wire::DispatchId::Wait: return wait_command(r);
    case wire::DispatchId::Sink: {
      const auto c = r.take<wire::Sink>("SINK");
      return command(r, "SINK", data_end(r, "SINK", sizeof c, c.length, data_follow), {number("length", c.length)});
    }
    case wire::DispatchId::ExecBufEnd: return bare("EXEC_BUF_END");
    case wire::DispatchId::Terminate: return bare("TERMINATE");
    case wire::DispatchId::SetWriteOffset: return set_write_offset(r);
    case wire::DispatchId::SendGoSignal: return send_go(r);
    case wire::DispatchId::SetGoSignalNocData: return go_table(r);
    case wire::DispatchId::Debug: {
      const auto c = r.take<wire::Debug>("DEBUG");
      r.require(c.stride >= sizeof c && c.stride % wire::kL1Align == 0 && c.stride <= r.size(),
                fmt::format("DEBUG with a stride of {}", uint32_t{c.stride}));
      return command(r, "DEBUG", c.stride, {hex("key", c.key), number("size", c.size), number("stride", c.stride)});
    }
    case wire::DispatchId::Delay:
      return command(r, "DELAY", wire::kCommandBytes, {number("turns", r.take<wire::Delay>("DELAY").delay)});
    case wire::DispatchId::NotifySubordinateGoSignal: {
      const auto c = r.take<wire::NotifySubordinateGoSignal>("NOTIFY_SUBORDINATE_GO_SIGNAL");
      return command(r, "NOTIFY_SUBORDINATE_GO_SIGNAL", sizeof c,
                     {number("barrier", c.wait), hex("streams", c.index_bitmask)});
    }
    case wire::DispatchId::SetNumWorkerSems:
      return command(r, "SET_NUM_WORKER_SEMS", wire::kCommandBytes,
                     {number("count", r.take<wire::SetNumWorkerSems>("SET_NUM_WORKER_SEMS").num_worker_sems)});
    case wire::DispatchId::Timestamp: {
      const auto c = r.take<wire::Timestamp>("TIMESTAMP");
      return command(r, "TIMESTAMP", sizeof c, {tile("to", c.noc_xy_addr), hex("addr", c.addr)});
    }
    case wire::DispatchId::Illegal: break;
  }
  host_error(fmt::format("byte {:#x}: {} is no dispatch command", r.begin(), r.id()));
}

}  // namespace

std::vector<DecodedCommand> decode_dispatch(std::span<const std::byte> bytes, uint64_t offset, uint64_t length,
                                            bool data_follow) {
  if (offset > bytes.size() || length > bytes.size() - offset) {
    host_error(fmt::format("byte {:#x}: a payload of {} bytes is cut off", offset, length));
  }
  std::vector<DecodedCommand> out;
  const uint64_t begin = offset;
  for (const uint64_t end = offset + length;;) {
    out.push_back(decode_one_dispatch(Reader(bytes, offset, end), data_follow));
    offset += out.back().bytes;
    if (out.back().name == "DEBUG") continue;
    const uint64_t pages = (offset - begin + wire::kPageBytes - 1) / wire::kPageBytes;  // the next one begins on a page
    offset = begin + pages * wire::kPageBytes;
    if (data_follow || offset >= end) return out;
  }
}

DecodedCommand decode_prefetch(std::span<const std::byte> bytes, uint64_t offset) {
  if (offset >= bytes.size() || bytes.size() - offset < wire::kPcieAlign) {
    host_error(fmt::format("byte {:#x}: a command of at least 64 bytes was expected, the end comes before", offset));
  }
  const Reader r(bytes, offset, bytes.size());
  const auto fixed = [&](std::string_view name, std::vector<Field> fields) {
    return command(r, name, wire::kPcieAlign, std::move(fields));
  };
  const auto linear = [&](std::string_view name, const auto& c) {
    return fixed(name, {tile("from", c.noc_xy_addr), hex("addr", c.addr), number("length", c.length)});
  };
  switch (static_cast<wire::PrefetchId>(r.id())) {
    case wire::PrefetchId::RelayLinear: return linear("RELAY_LINEAR", r.take<wire::RelayLinear>("RELAY_LINEAR"));
    case wire::PrefetchId::RelayLinearH: return linear("RELAY_LINEAR_H", r.take<wire::RelayLinearH>("RELAY_LINEAR_H"));
    case wire::PrefetchId::RelayPaged: {
      const auto c = r.take<wire::RelayPaged>("RELAY_PAGED");
      const uint32_t word = c.is_dram_and_length_adjust;
      return fixed("RELAY_PAGED",
                   {named("memory", word >> 15, word >> 15 ? "DRAM" : "L1"), number("start_page", c.start_page),
                    hex("base", c.base_addr), number("page_size", c.page_size), number("pages", c.pages),
                    number("dropped", word & 0x7FFF)});
    }
    case wire::PrefetchId::RelayPagedPacked: return relay_paged_packed(r, "RELAY_PAGED_PACKED");
    case wire::PrefetchId::RelayInline: return inline_command(bytes, r, "RELAY_INLINE");
    case wire::PrefetchId::RelayInlineNoflush: return inline_command(bytes, r, "RELAY_INLINE_NOFLUSH");
    case wire::PrefetchId::ExecBufEnd: return inline_command(bytes, r, "EXEC_BUF_END");
    case wire::PrefetchId::ExecBuf: {
      const auto c = r.take<wire::ExecBuf>("EXEC_BUF");
      return fixed("EXEC_BUF",
                   {hex("base", c.base_addr), number("log2_page", c.log_page_size), number("pages", c.pages)});
    }
    case wire::PrefetchId::Stall: return fixed("STALL", {});
    case wire::PrefetchId::Terminate: return fixed("TERMINATE", {});
    case wire::PrefetchId::Debug: {
      const auto c = r.take<wire::PrefetchDebug>("DEBUG");
      check_stride(r, "DEBUG", c.stride, sizeof c);
      return command(r, "DEBUG", c.stride, {hex("key", c.key), number("size", c.size), number("stride", c.stride)});
    }
    case wire::PrefetchId::PagedToRingbuffer: {
      const auto c = r.take<wire::PagedToRingbuffer>("PAGED_TO_RINGBUFFER");
      return fixed("PAGED_TO_RINGBUFFER", {number("from_start", c.flags & 1), number("log2_page", c.log2_page_size),
                                           number("start_page", c.start_page), hex("base", c.base_addr),
                                           number("length", c.length), number("room", c.wp_offset_update)});
    }
    case wire::PrefetchId::SetRingbufferOffset: {
      const auto c = r.take<wire::SetRingbufferOffset>("SET_RINGBUFFER_OFFSET");
      return fixed("SET_RINGBUFFER_OFFSET", {hex("offset", c.offset), number("write_pointer", c.update_wp)});
    }
    case wire::PrefetchId::RelayRingbuffer: return relay_ringbuffer(r, "RELAY_RINGBUFFER");
    case wire::PrefetchId::RelayLinearPacked: return relay_linear_packed(r, "RELAY_LINEAR_PACKED");
    case wire::PrefetchId::RelayLinearPackedH: return relay_linear_packed(r, "RELAY_LINEAR_PACKED_H");
    case wire::PrefetchId::Illegal: break;
  }
  host_error(fmt::format("byte {:#x}: {} is no prefetch command", offset, r.id()));
}

namespace {

// Without the zeros at the end.
uint64_t used_bytes(std::span<const std::byte> bytes) {
  const auto end = std::find_if(bytes.rbegin(), bytes.rend(), [](std::byte b) { return b != std::byte{0}; });
  return static_cast<uint64_t>(bytes.rend() - end);
}

// A command without fields is known by its zeros.
std::optional<DecodedCommand> try_prefetch(std::span<const std::byte> bytes, uint64_t offset) {
  try {
    DecodedCommand command = decode_prefetch(bytes, offset);
    if (command.fields.empty() && used_bytes(bytes.subspan(offset, command.bytes)) != 1) return {};
    return command;
  } catch (const DeviceError&) {
    return {};
  }
}

// Data may look like one command, hardly like several in a row.
bool begins_records(std::span<const std::byte> bytes, uint64_t offset, uint64_t used) {
  constexpr int kEnough = 4;
  for (int i = 0; i < kEnough && offset < used; ++i) {
    const auto command = try_prefetch(bytes, offset);
    if (!command) return false;
    offset += command->bytes;
  }
  return true;
}

// Appends records that remain from the lap before: `offset` is somewhere inside one.
void append_older(std::vector<DecodedCommand>& out, std::span<const std::byte> ring, uint64_t offset) {
  for (const uint64_t used = used_bytes(ring); offset < used;) {
    const uint64_t lost_from = offset;
    while (offset < used && !begins_records(ring, offset, used)) offset += wire::kPcieAlign;
    const uint64_t lost = offset - lost_from;
    out.push_back({lost_from, lost, "OLDER_RECORDS", {number("overwritten", lost)}, {}});
    for (auto command = try_prefetch(ring, offset); offset < used && command; command = try_prefetch(ring, offset)) {
      offset += command->bytes;
      out.push_back(std::move(*command));
    }
  }
}

}  // namespace

std::vector<DecodedCommand> decode_stream(std::span<const std::byte> bytes, uint64_t offset) {
  std::vector<DecodedCommand> out;
  const uint64_t used = used_bytes(bytes);
  while (offset < used) {
    out.push_back(decode_prefetch(bytes, offset));
    if (out.back().name == "EXEC_BUF_END") break;
    offset += out.back().bytes;
  }
  return out;
}

std::vector<DecodedCommand> decode_region(std::span<const std::byte> region, uint64_t issue_bytes) {
  if (region.size() < wire::kHostHeaderBytes) {
    host_error(
        fmt::format("a host region has a header of {} bytes, {} are there", wire::kHostHeaderBytes, region.size()));
  }
  uint32_t units;
  std::memcpy(&units, region.data() + wire::kHostIssueQWr, sizeof units);
  const uint64_t end = wire::kHostHeaderBytes + 16ull * units;
  const uint64_t ring_end = std::min<uint64_t>(region.size(), wire::kHostHeaderBytes + issue_bytes);
  if (end > ring_end) {
    host_error(fmt::format("byte {:#x}: an issue write pointer of {:#x} bytes, the ring has {:#x}", wire::kHostIssueQWr,
                           16ull * units, ring_end - wire::kHostHeaderBytes));
  }
  std::vector<DecodedCommand> out = decode_stream(region.first(end), wire::kHostHeaderBytes);
  append_older(out, region.first(ring_end), end);
  return out;
}

std::string DecodedCommand::text() const {
  std::string out(name);
  for (const Field& field : fields) out += fmt::format(" {}={}", field.name, field.text);
  return out;
}

std::string listing(std::span<const DecodedCommand> commands) {
  std::string out;
  for (const DecodedCommand& c : commands) {
    out += fmt::format("{:08x}  {}\n", c.offset, c.text());
    for (const DecodedCommand& inner : c.payload) out += fmt::format("{:08x}      {}\n", inner.offset, inner.text());
  }
  return out;
}

}  // namespace kerr::host::cq
