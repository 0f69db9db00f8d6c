#pragma once

#include "firmware/cq/exec_buf.hpp"
#include "firmware/cq/interleaved.hpp"
#include "firmware/cq/linear_pieces.hpp"
#include "firmware/cq/prefetch_units.hpp"

// The prefetcher: executes the commands of records and relays their payloads to the dispatch tile. BRISC of the
// prefetch tile, NoC 0. The end of two kernels, prefetch.cpp and prefetch_d.cpp, whose `g_source` yields the records.
// docs/hardware/fast-dispatch.md 4.3, 6.3, 8.1, 9
namespace kerr::firmware {
namespace {

uint32_t g_stalls;
uint32_t g_half_sent[2];  // writes issued when a half of scratch_db was last read by one
uint32_t g_ring_write;    // offsets in the ring buffer
uint32_t g_ring_offset;
uint32_t g_ring_arriving;  // all of the ring that may still be read into lies before this offset

void require_source(uint32_t address, uint32_t alignment) {
  Report::require(address % alignment == 0, CqError::Misaligned, address);
}
// Data lie at multiples of 16 in the payload, so what follows a header begins at one.
void require_continuation() {
  Report::require(g_dispatch_d.next_address() % cq::kL1Align == 0, CqError::Misaligned, g_dispatch_d.next_address());
}

// Streams data to the dispatcher through the two halves of scratch_db: one is read while the other is sent.
// read_next(to, room) starts reading at most `room` bytes and returns how many; 0 ends the payload.
template <class ReadNext>
void relay_read(ReadNext read_next) {
  require_continuation();
  const auto half = [](uint32_t i) { return cq::kScratchDb + i * kHalfBytes; };
  uint32_t i = 0;
  g_writer.wait_sent(g_half_sent[i]);
  for (uint32_t bytes = read_next(half(i), kHalfBytes); bytes != 0;) {
    g_reader.barrier();
    g_writer.wait_sent(g_half_sent[i ^ 1]);
    const uint32_t next = read_next(half(i ^ 1), kHalfBytes);
    g_dispatch_d.append(half(i), bytes, next == 0);
    g_half_sent[i] = g_writer.issued();
    i ^= 1;
    bytes = next;
  }
}

void relay_inline(uint32_t command, uint32_t stride) {
  const uint32_t length = load(command + offsetof(cq::RelayInline, length));
  const uint32_t dispatcher = load<uint8_t>(command + offsetof(cq::RelayInline, dispatcher));
  Report::require(dispatcher <= static_cast<uint32_t>(cq::Dispatcher::DispatchS), CqError::UnknownId, dispatcher);
  const bool to_s = dispatcher == static_cast<uint32_t>(cq::Dispatcher::DispatchS);
  Report::require(!to_s || KERR_CONFIG(dispatch_s_enabled) != 0, CqError::UnknownId, dispatcher);
  // A dispatch_s command is a single page; 64 pages always come back to dispatch_d (8.3).
  const uint32_t limit = to_s ? 1u << cq::kDispatchSCbLog2Page : cq::kMaxInlineBytes;
  Report::require(length >= cq::kCommandBytes && length <= limit && length <= stride - cq::kCommandBytes,
                  CqError::BadLength, length);
  if (to_s) {
    g_dispatch_s.append(command + sizeof(cq::RelayInline), length, true);
  } else {
    Report::require(!g_dispatch_d.is_open(), CqError::OpenPayload, command);
    g_dispatch_d.append(command + sizeof(cq::RelayInline), length, true);
  }
  g_writer.flush();  // the record may be overwritten after this
}

// The first part of a payload that another command continues.
void relay_inline_noflush(uint32_t command, uint32_t stride) {
  const uint32_t length = load(command + offsetof(cq::RelayInline, length));
  Report::require(length >= cq::kCommandBytes && length < cq::kPageBytes && length <= stride - cq::kCommandBytes,
                  CqError::BadLength, length);
  Report::require(!g_dispatch_d.is_open(), CqError::OpenPayload, command);
  g_dispatch_d.append(command + sizeof(cq::RelayInline), length, false);
  g_writer.flush();
}

void relay_linear(uint32_t xy, uint64_t address, uint64_t length) {
  Report::require(length != 0, CqError::BadLength, 0);
  require_source(static_cast<uint32_t>(address), read_alignment(xy));
  relay_read([&](uint32_t to, uint32_t room) {
    const uint32_t n = length < room ? static_cast<uint32_t>(length) : room;
    // A packet does not cross a 4 GiB boundary, as its address half would change.
    const uint32_t low = static_cast<uint32_t>(address);
    const uint32_t part = low + n < low ? 0u - low : n;
    g_reader.read(xy, static_cast<uint32_t>(address >> 32) | address_mid(xy), low, to, part);
    address += part;
    length -= part;
    return part;
  });
}

uint64_t load_unaligned64(uint32_t address) {
  return load_unaligned(address) | static_cast<uint64_t>(load_unaligned(address + 4)) << 32;
}

void relay_linear(uint32_t command) {
  relay_linear(load_unaligned(command + offsetof(cq::RelayLinear, noc_xy_addr)),
               load_unaligned64(command + offsetof(cq::RelayLinear, addr)),
               load_unaligned64(command + offsetof(cq::RelayLinear, length)));
}
// Host and device side are one kernel, or the data have come from prefetch_h: like RELAY_LINEAR.
void relay_linear_h(uint32_t command) {
  relay_linear(load(command + offsetof(cq::RelayLinearH, noc_xy_addr)),
               load_unaligned64(command + offsetof(cq::RelayLinearH, addr)),
               load(command + offsetof(cq::RelayLinearH, length)));
}

// The same for the _H form, as above.
void relay_linear_packed(uint32_t command, uint32_t stride) {
  LinearPieces<Report> pieces(command, stride, kHalfBytes);
  relay_read([&](uint32_t to, uint32_t room) { return pieces.read(g_reader, to, room); });
}

void check_pages(bool is_dram, uint32_t base, uint32_t page_size) {
  const uint32_t alignment = is_dram ? cq::kPcieAlign : cq::kL1Align;
  Report::require(page_size != 0, CqError::BadLength, page_size);
  require_source(page_size, alignment);
  require_source(base, alignment);
}

void relay_paged(uint32_t command) {
  const uint32_t start = load<uint8_t>(command + offsetof(cq::RelayPaged, start_page));
  const uint32_t word = load<uint16_t>(command + offsetof(cq::RelayPaged, is_dram_and_length_adjust));
  const uint32_t base = load(command + offsetof(cq::RelayPaged, base_addr));
  const uint32_t page_size = load(command + offsetof(cq::RelayPaged, page_size));
  const uint32_t pages = load(command + offsetof(cq::RelayPaged, pages));
  const bool is_dram = word >> 15;
  const uint32_t adjust = word & 0x7FFF;
  check_pages(is_dram, base, page_size);
  Report::require(pages != 0 && adjust < page_size && pages <= ~0u / page_size, CqError::BadLength, pages);
  Interleaved from(is_dram, base, page_size, start);
  uint32_t left = pages * page_size - adjust;
  relay_read([&](uint32_t to, uint32_t room) {
    const uint32_t n = min(left, room);
    read_interleaved(g_reader, from, to, n);
    left -= n;
    return n;
  });
}

// Pieces of several DRAM buffers as one payload.
void relay_paged_packed(uint32_t command, uint32_t stride) {
  const uint32_t count = load<uint16_t>(command + offsetof(cq::RelayPagedPacked, count));
  Report::require(count != 0 && count <= cq::kPackedLargeMaxSubCommands &&
                      sizeof(cq::RelayPagedPacked) + count * sizeof(cq::RelayPagedPackedSub) <= stride,
                  CqError::TooManySubCommands, count);
  const auto sub = [&](uint32_t i) {
    return command + static_cast<uint32_t>(sizeof(cq::RelayPagedPacked) + i * sizeof(cq::RelayPagedPackedSub));
  };
  uint32_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t length = load(sub(i) + offsetof(cq::RelayPagedPackedSub, length));
    const uint32_t log2_page = load<uint16_t>(sub(i) + offsetof(cq::RelayPagedPackedSub, log_page_size));
    Report::require(length != 0 && length <= kHalfBytes, CqError::BadLength, length);
    Report::require(log2_page >= 6 && log2_page < 32, CqError::BadLength, log2_page);
    // The next piece is read behind this one.
    Report::require(i + 1 == count || length % cq::kPcieAlign == 0, CqError::Misaligned, length);
    require_source(load(sub(i) + offsetof(cq::RelayPagedPackedSub, base_addr)), cq::kPcieAlign);
    total += length;
  }
  Report::require(total == load(command + offsetof(cq::RelayPagedPacked, total_length)), CqError::BadLength, total);
  uint32_t i = 0;
  relay_read([&](uint32_t to, uint32_t room) {
    uint32_t sum = 0;
    for (; i < count; ++i) {  // a half takes whole pieces only
      const uint32_t length = load(sub(i) + offsetof(cq::RelayPagedPackedSub, length));
      if (sum + length > room) break;
      Interleaved from(true, load(sub(i) + offsetof(cq::RelayPagedPackedSub, base_addr)),
                       1u << load<uint16_t>(sub(i) + offsetof(cq::RelayPagedPackedSub, log_page_size)),
                       load<uint16_t>(sub(i) + offsetof(cq::RelayPagedPackedSub, start_page)));
      read_interleaved(g_reader, from, to + sum, length);
      sum += length;
    }
    return sum;
  });
}

void await_ring() {
  g_reader.barrier();
  g_ring_arriving = 0;
}

void paged_to_ringbuffer(uint32_t command) {
  const uint32_t flags = load<uint8_t>(command + offsetof(cq::PagedToRingbuffer, flags));
  const uint32_t log2_page = load<uint8_t>(command + offsetof(cq::PagedToRingbuffer, log2_page_size));
  const uint32_t start = load<uint8_t>(command + offsetof(cq::PagedToRingbuffer, start_page));
  const uint32_t room = load(command + offsetof(cq::PagedToRingbuffer, wp_offset_update));
  const uint32_t base = load(command + offsetof(cq::PagedToRingbuffer, base_addr));
  const uint32_t length = load(command + offsetof(cq::PagedToRingbuffer, length));
  Report::require((flags & ~uint32_t{cq::kRingbufferReset}) == 0, CqError::UnknownId, flags);
  Report::require(log2_page >= 6 && log2_page < 32, CqError::BadLength, log2_page);
  require_source(base, cq::kPcieAlign);
  g_writer.flush();  // the ring may still be sent from
  if (flags & cq::kRingbufferReset) g_ring_write = 0;
  Report::require(length != 0 && length % cq::kPcieAlign == 0 && length <= room && room % cq::kPcieAlign == 0 &&
                      room <= cq::kRingbufferBytes - g_ring_write,
                  CqError::RingbufferRange, room);
  if (g_ring_write < g_ring_arriving) await_ring();  // reads of one place in memory may pass another's
  g_ring_offset = g_ring_write;
  Interleaved from(true, base, 1u << log2_page, start);
  read_interleaved(g_reader, from, cq::kRingbuffer + g_ring_write, length);
  g_ring_arriving = g_ring_write + length;
  g_ring_write += room;
}

void set_ringbuffer_offset(uint32_t command) {
  const uint32_t offset = load_unaligned(command + offsetof(cq::SetRingbufferOffset, offset));
  const bool write = load<uint8_t>(command + offsetof(cq::SetRingbufferOffset, update_wp)) != 0;
  Report::require(offset <= cq::kRingbufferBytes && offset % cq::kPcieAlign == 0, CqError::RingbufferRange, offset);
  (write ? g_ring_write : g_ring_offset) = offset;
}

void relay_ringbuffer(uint32_t command, uint32_t stride) {
  const uint32_t count = load<uint16_t>(command + offsetof(cq::RelayRingbuffer, count));
  Report::require(count != 0 && count <= cq::kRingbufferMaxSubCommands &&
                      sizeof(cq::RelayRingbuffer) + count * sizeof(cq::RelayRingbufferSub) <= stride,
                  CqError::TooManySubCommands, count);
  await_ring();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t sub =
        command + static_cast<uint32_t>(sizeof(cq::RelayRingbuffer) + i * sizeof(cq::RelayRingbufferSub));
    const uint32_t start = load(sub + offsetof(cq::RelayRingbufferSub, start));
    uint32_t left = load(sub + offsetof(cq::RelayRingbufferSub, length));
    const uint32_t room = cq::kRingbufferBytes - g_ring_offset;
    Report::require(left != 0 && start <= room && left <= room - start, CqError::RingbufferRange, start);
    uint32_t source = cq::kRingbuffer + g_ring_offset + start;
    Report::require((source - g_dispatch_d.next_address()) % cq::kL1Align == 0, CqError::Misaligned, start);
    while (left != 0) {
      const uint32_t n = min(left, kHalfBytes);
      left -= n;
      g_dispatch_d.append(source, n, left == 0 && i + 1 == count);
      source += n;
    }
  }
  g_half_sent[0] = g_half_sent[1] = g_writer.issued();  // the ring lies where scratch_db does
}

// Waits until the dispatcher has executed as many WAITs with NOTIFY_PREFETCH as there were STALLs.
void stall(uint32_t command) {
  Report::require(!g_dispatch_d.is_open(), CqError::OpenPayload, command);  // the WAIT would stay behind it
  const uint32_t sem = cq::sem_address(kLayout, cq::kPrefetchDownstreamSyncSem);
  ++g_stalls;
  while (!reached(load(sem), g_stalls)) fence();
  Report::require(load(sem) == g_stalls, CqError::StallOvertaken, load(sem));
}

// Bytes up to the next command. Those of EXEC_BUF and TERMINATE, which only the ring may hold, count as well.
uint32_t stride_of(uint32_t command, uint32_t id) {
  uint32_t stride = cq::kPcieAlign;
  switch (static_cast<PrefetchId>(id)) {
    case PrefetchId::RelayInline:
    case PrefetchId::RelayInlineNoflush:
    case PrefetchId::ExecBufEnd:
    case PrefetchId::RelayPagedPacked:
    case PrefetchId::Debug: stride = load(command + offsetof(cq::RelayInline, stride)); break;
    case PrefetchId::RelayRingbuffer: stride = load(command + offsetof(cq::RelayRingbuffer, stride)); break;
    case PrefetchId::RelayLinearPacked:
    case PrefetchId::RelayLinearPackedH: stride = load(command + offsetof(cq::RelayLinearPacked, stride)); break;
    case PrefetchId::RelayLinear:
    case PrefetchId::RelayLinearH:
    case PrefetchId::RelayPaged:
    case PrefetchId::ExecBuf:
    case PrefetchId::Stall:
    case PrefetchId::Terminate:
    case PrefetchId::PagedToRingbuffer:
    case PrefetchId::SetRingbufferOffset: break;
    default: Report::fail(CqError::UnknownId, id);
  }
  Report::require(stride >= cq::kPcieAlign && stride % cq::kPcieAlign == 0, CqError::BadStride, stride);
  return stride;
}
static_assert(offsetof(cq::RelayInline, stride) == offsetof(cq::RelayPagedPacked, stride));
static_assert(offsetof(cq::RelayInline, stride) == offsetof(cq::PrefetchDebug, stride));

// Commands that mean the same in the ring and in a buffer.
void execute(uint32_t command, uint32_t id, uint32_t stride) {
  // Most are this one: a jump through the table takes longer than the comparison.
  if (id == static_cast<uint32_t>(PrefetchId::RelayInline)) return relay_inline(command, stride);
  switch (static_cast<PrefetchId>(id)) {
    case PrefetchId::RelayLinear: relay_linear(command); break;
    case PrefetchId::RelayLinearH: relay_linear_h(command); break;
    case PrefetchId::RelayPaged: relay_paged(command); break;
    case PrefetchId::RelayPagedPacked: relay_paged_packed(command, stride); break;
    case PrefetchId::RelayInlineNoflush: relay_inline_noflush(command, stride); break;
    case PrefetchId::Stall: stall(command); break;
    case PrefetchId::Debug: break;
    case PrefetchId::PagedToRingbuffer: paged_to_ringbuffer(command); break;
    case PrefetchId::SetRingbufferOffset: set_ringbuffer_offset(command); break;
    case PrefetchId::RelayRingbuffer: relay_ringbuffer(command, stride); break;
    case PrefetchId::RelayLinearPacked:
    case PrefetchId::RelayLinearPackedH: relay_linear_packed(command, stride); break;
    default: Report::fail(CqError::BadExecBuf, id);  // a command that may not be there
  }
}

void exec_buf(uint32_t command) {
  // The buffer's commands will lie where the record does, so the record ends here.
  Report::require(g_source.stalled && command + cq::kPcieAlign == g_source.end, CqError::BadExecBuf, command);
  const uint32_t base = load(command + offsetof(cq::ExecBuf, base_addr));
  const uint32_t log2_page = load(command + offsetof(cq::ExecBuf, log_page_size));
  const uint32_t pages = load(command + offsetof(cq::ExecBuf, pages));
  Report::require(log2_page >= 6 && log2_page < 32, CqError::BadLength, log2_page);
  Report::require(pages != 0 && pages <= ~0u >> log2_page, CqError::BadLength, pages);
  require_source(base, cq::kPcieAlign);
  ExecBuf<Report, g_reader> buffer(base, log2_page, pages);
  for (bool done = false; !done;) {
    buffer.ensure(cq::kPcieAlign);
    const uint32_t id = Report::begin_command(buffer.command());
    const uint32_t stride = stride_of(buffer.command(), id);
    buffer.ensure(stride);
    const uint32_t at = buffer.command();
    if (id == static_cast<uint32_t>(PrefetchId::ExecBufEnd)) {
      buffer.settle();  // the next record may come as soon as the dispatcher has seen the end
      relay_inline(at, stride);
      done = true;
    } else {
      execute(at, id, stride);
    }
    Report::end_command();
    buffer.advance(stride);
  }
  g_source.resume();
}

void init(uint32_t own_xy) {
  check_queue<Report>(offsetof(cq::ConfigBlock, prefetch_xy), own_xy);
  Report::check(offsetof(cq::ConfigBlock, prefetch_q_base), cq::kPrefetchQ, cq::kPrefetchQEntries,
                cq::kPrefetchQEntryBytes);
  Report::check(offsetof(cq::ConfigBlock, dispatch_cb_base), cq::kDispatchCb, cq::kDispatchCbPages,
                cq::kDispatchCbLog2Page);
  Report::check(offsetof(cq::ConfigBlock, cmddat_q_base), cq::kCmddatQ, cq::kCmddatQBytes);
  check_banks<Report>();
  const uint32_t dispatch_xy = KERR_CONFIG(dispatch_xy);
  g_reader.init();
  g_writer.init();
  g_atomics.init(own_xy);
  g_source.init();
  g_dispatch_d.init(dispatch_xy);
  g_dispatch_s.init(dispatch_xy);
  g_half_sent[0] = g_half_sent[1] = g_writer.issued();
}

}  // namespace

extern "C" void kernel_main(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t own_xy) {
  clear_variables();
  init(own_xy);
  Report::ready();
  for (bool done = false; !done;) {
    g_source.fetch();
    const uint32_t command = g_source.command;
    const uint32_t id = Report::begin_command(command);
    const uint32_t stride = stride_of(command, id);
    Report::require(stride <= g_source.end - command, CqError::BadStride, stride);
    if (id == static_cast<uint32_t>(PrefetchId::ExecBuf)) {
      exec_buf(command);
    } else {
      done = id == static_cast<uint32_t>(PrefetchId::Terminate);
      Report::require(!done || !g_dispatch_d.is_open(), CqError::OpenPayload, command);
      if (!done) execute(command, id, stride);
      g_source.command += stride;
    }
    Report::end_command();
  }
  g_source.finish();
  g_dispatch_d.wait_all_returned();
  g_dispatch_s.wait_all_returned();
  g_writer.barrier();
  g_atomics.finish(own_xy);
}

}  // namespace kerr::firmware
