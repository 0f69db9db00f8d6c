#pragma once

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "firmware/cq/dispatch_units.hpp"
#include "firmware/cq/go_signal.hpp"
#include "firmware/cq/interleaved.hpp"

// The dispatcher: executes the commands that the prefetcher relays. BRISC of the dispatch tile; data and host writes on
// NoC 0, credits to the prefetcher on NoC 1. The end of two kernels, dispatch.cpp and dispatch_d.cpp, whose `Host` does
// what concerns the host.   docs/hardware/fast-dispatch.md 7, 8.2, 10 to 12, 15
namespace kerr::firmware {
namespace {

// Sub-commands: one word for a core, two for a rectangle with its receiver count, three in a WRITE_PACKED_LARGE. They
// are copied out of the first page if its block may go back before the last of them is used.
constexpr uint32_t kSubCommandWords = 140;
static_assert(kSubCommandWords >= 3 * cq::kPackedLargeMaxSubCommands);

GoTable<Report> g_go_table;
uint32_t g_write_offset[cq::kMaxWriteOffsets];
uint32_t g_sub_commands[kSubCommandWords];
uint32_t g_sync_counts[cq::kMaxWorkerSems];
uint32_t g_prefetch_xy;

// Where the data behind a header of 16 bytes and `words` words of sub-commands begin: at the next multiple of 16.
uint32_t behind_sub_commands(uint32_t command, uint32_t words) {
  Report::require(words <= kSubCommandWords, CqError::TooManySubCommands, words);
  return align_up(command + cq::kCommandBytes + 4 * words, cq::kL1Align);
}
// Where to load them from until `bytes` have been consumed behind them.
uint32_t place_sub_commands(uint32_t command, uint32_t words, uint32_t bytes) {
  const uint32_t place = command + cq::kCommandBytes;
  if (cq::kCommandBytes + 4 * words + bytes < g_reader.kKeptBytes) return place;
  copy_words(g_sub_commands, place, words);
  return reinterpret_cast<uint32_t>(g_sub_commands);
}

uint32_t write_offset(uint32_t index) {
  Report::require(index < cq::kMaxWriteOffsets, CqError::TooManySubCommands, index);
  return g_write_offset[index];
}

void require_aligned(uint32_t address) { Report::require(address % cq::kL1Align == 0, CqError::Misaligned, address); }

// Checks the alignment of each sub-command's data in a packed large write.
void require_data_alignment(uint32_t alignment) {
  Report::require(alignment % cq::kL1Align == 0 && (alignment & (alignment - 1)) == 0 && alignment != 0 &&
                      alignment <= cq::kPageBytes,
                  CqError::Misaligned, alignment);
}

// `size` bytes, in pieces if they have not all arrived or a block ends; returns their end in the buffer.
uint32_t write_from_pages(const Destination& to, uint32_t address, uint32_t data, uint32_t size) {
  g_reader.consume(data, size, [&](uint32_t source, uint32_t n) {
    g_writer.write(to, address, source, n);
    address += n;
  });
  return align_up(data, cq::kL1Align);
}

uint32_t packed_multicasts(uint32_t subs, uint32_t data, uint32_t count, uint32_t address, uint32_t size, bool shared) {
  uint32_t end = data;
  for (uint32_t i = 0; i < count; ++i, subs += sizeof(cq::WritePackedMulticastSub)) {
    const uint32_t corners = load(subs);
    const Destination to =
        Destination::rectangle(corners, load(subs + offsetof(cq::WritePackedMulticastSub, num_mcast_dests)));
    Report::require(to.receivers != 0, CqError::BadMulticastGroup, i);
    g_writer.barrier();
    end = write_from_pages(to, address, data, size);
    if (!shared) data = end;
  }
  return end;
}

// The first page, with the data, is here whole.
uint32_t packed_copies(uint32_t subs, uint32_t data, uint32_t count, uint32_t address, uint32_t size) {
  const uint32_t sent = NocWriter<0>::Series(g_writer, address, size).send(subs, count, data, 0);
  if (sent != count) Report::fail(CqError::HostWriteOutside, load(subs + 4 * sent));
  return align_up(data + size, cq::kL1Align);
}

uint32_t packed_unicasts(uint32_t subs, uint32_t data, uint32_t count, uint32_t address, uint32_t size) {
  const NocWriter<0>::Series series(g_writer, address, size);
  const uint32_t stride = align_up(size, cq::kL1Align);
  while (count != 0) {
    const uint32_t there = g_reader.wait_data(data);
    const uint32_t whole = there < size ? 0 : min(count, (there - size) / stride + 1);
    const uint32_t sent = series.send(subs, whole, data, stride);
    subs += 4 * sent;
    data += stride * sent;
    count -= sent;
    if (sent == whole && whole != 0) continue;
    // Data in two pieces, or for host memory.
    data = write_from_pages(Destination::unicast(load(subs)), address, data, size);
    series.restart();
    subs += 4;
    --count;
  }
  return data;
}

// The same or consecutive data of `size` bytes to each of `count` destinations.
uint32_t write_packed(uint32_t command) {
  const uint32_t head = load(command), word = load(command + offsetof(cq::WritePacked, write_offset_index));
  const uint32_t flags = head >> 8 & 0xFF, count = head >> 16;
  const uint32_t size = word >> 16;
  const uint32_t address = load(command + offsetof(cq::WritePacked, addr)) + write_offset(word & 0xFFFF);
  const bool multicast = flags & cq::kPackedMulticast;
  const bool shared = flags & cq::kPackedNoStride;
  require_aligned(address);
  Report::require(size != 0 && size <= cq::kPageBytes, CqError::BadLength, size);
  Report::require(count != 0, CqError::TooManySubCommands, count);

  const uint32_t words = multicast ? 2 * count : count;
  const uint32_t data = behind_sub_commands(command, words);
  // Shared data are read again for each destination, so they lie in the first page with the header.
  Report::require(!shared || data + size <= command + cq::kPageBytes, CqError::TooManySubCommands, size);
  const uint32_t subs =
      place_sub_commands(command, words, (shared ? 1 : count) * align_up(size, cq::kL1Align) + cq::kL1Align);
  if (multicast) return packed_multicasts(subs, data, count, address, size, shared);
  return shared ? packed_copies(subs, data, count, address, size) : packed_unicasts(subs, data, count, address, size);
}
static_assert(offsetof(cq::WritePacked, count) == 2 && offsetof(cq::WritePacked, write_offset_index) == 4);

// Multicasts, each with its own data. Sub-commands up to one with UNLINK form a train to one rectangle. Nothing is sent
// before all that was written earlier has arrived (wait() relies on it).
uint32_t write_packed_large(uint32_t command) {
  const uint32_t head = load(command), word = load(command + offsetof(cq::WritePackedLarge, alignment));
  uint32_t subs = command + cq::kCommandBytes;
  uint32_t xy = load(subs), place = load(subs + offsetof(cq::WritePackedLargeSub, addr));
  uint32_t last_word = load(subs + offsetof(cq::WritePackedLargeSub, length_minus1));
  const uint32_t count = head >> 16, alignment = word & 0xFFFF;
  const uint32_t offset = write_offset(word >> 16);
  Report::require(count != 0 && count <= cq::kPackedLargeMaxSubCommands, CqError::TooManySubCommands, count);
  require_data_alignment(alignment);
  if (count != 1) {  // how far their data reach is not known
    copy_words(g_sub_commands, subs, 3 * count);
    subs = reinterpret_cast<uint32_t>(g_sub_commands);
  }
  uint32_t data = behind_sub_commands(command, 3 * count);
  bool new_path = true;
  uint32_t rectangle = xy;
  uint32_t receivers = 0;
  for (uint32_t i = 0;;) {
    uint32_t address = place + offset;
    uint32_t left = (last_word & 0xFFFF) + 1;
    const uint32_t dests = (last_word >> 16) & 0xFF;
    const bool unlink = (last_word >> 24) & cq::kPackedLargeUnlink;
    require_aligned(address);
    Report::require(dests != 0 && (unlink || i + 1 < count), CqError::BadMulticastGroup, i);
    Report::require(new_path || (xy == rectangle && dests == receivers), CqError::BadMulticastGroup, i);
    rectangle = xy;
    receivers = dests;
    const uint32_t pad = align_up(left, alignment) - left;
    g_reader.consume(data, left, [&](uint32_t source, uint32_t n) {
      left -= n;
      g_writer.write_train(new_path, xy & 0xFFFFFF, dests, address, source, n, left != 0 || !unlink);
      new_path = false;
      address += n;
    });
    if (pad != 0) g_reader.consume(data, pad, [](uint32_t, uint32_t) {});
    new_path = unlink;
    if (++i == count) return data;
    subs += sizeof(cq::WritePackedLargeSub);
    xy = load(subs);
    place = load(subs + offsetof(cq::WritePackedLargeSub, addr));
    last_word = load(subs + offsetof(cq::WritePackedLargeSub, length_minus1));
  }
}
static_assert(offsetof(cq::WritePackedLarge, count) == 2 && offsetof(cq::WritePackedLarge, write_offset_index) == 6);

// As write_packed_large, but each with one receiver and up to 4 GiB; or none, which throws its data away.
uint32_t write_packed_large_unicast(uint32_t command) {
  const uint32_t count = load<uint16_t>(command + offsetof(cq::WritePackedLarge, count));
  const uint32_t alignment = load<uint16_t>(command + offsetof(cq::WritePackedLarge, alignment));
  const uint32_t offset = write_offset(load<uint16_t>(command + offsetof(cq::WritePackedLarge, write_offset_index)));
  Report::require(count != 0 && count <= cq::kPackedLargeMaxSubCommands, CqError::TooManySubCommands, count);
  require_data_alignment(alignment);
  uint32_t data = behind_sub_commands(command, 3 * count);
  copy_words(g_sub_commands, command + cq::kCommandBytes, 3 * count);
  for (uint32_t i = 0; i < count; ++i) {
    const Destination to = Destination::unicast(g_sub_commands[3 * i]);
    const uint32_t target = g_sub_commands[3 * i + 1];
    const uint32_t length = g_sub_commands[3 * i + 2];
    const bool discard = target == cq::kDiscardAddress;
    uint32_t address = target + offset;
    Report::require(length != 0 && length <= ~0u - alignment, CqError::BadLength, length);
    if (!discard) require_aligned(address);
    g_reader.consume(data, length, [&](uint32_t source, uint32_t n) {
      if (!discard) g_writer.write(to, address, source, n);
      address += n;
    });
    g_reader.consume(data, align_up(length, alignment) - length, [](uint32_t, uint32_t) {});
  }
  return data;
}

// Pages of an interleaved buffer.
uint32_t write_paged(uint32_t command) {
  const bool is_dram = load<uint8_t>(command + offsetof(cq::WritePaged, is_dram)) != 0;
  const uint32_t start = load<uint16_t>(command + offsetof(cq::WritePaged, start_page));
  const uint32_t base = load(command + offsetof(cq::WritePaged, base_addr));
  const uint32_t page_size = load(command + offsetof(cq::WritePaged, page_size));
  const uint32_t pages = load(command + offsetof(cq::WritePaged, pages));
  require_aligned(base);
  require_aligned(page_size);
  Report::require(page_size != 0 && pages != 0 && pages <= ~0u / page_size, CqError::BadLength, pages);
  Interleaved to(is_dram, base, page_size, start);
  uint32_t data = command + sizeof(cq::WritePaged);
  g_reader.consume(data, pages * page_size, [&](uint32_t source, uint32_t n) {
    while (n != 0) {
      const uint32_t piece = min(n, to.room());
      g_writer.write(Destination::unicast(to.xy()), to.address(), source, piece);
      to.advance(piece);
      source += piece;
      n -= piece;
    }
  });
  return data;
}

// A barrier alone. If the next command is there and begins with one itself, it does this one's work as well: what comes
// before its first packet happens while the acknowledgments are under way.
void wait_barrier(uint32_t next) {
  for (; !g_writer.all_acked(); fence()) {
    if (!g_reader.has_data(next)) continue;
    if (load<uint8_t>(next) != static_cast<uint32_t>(DispatchId::WritePackedLarge)) return g_writer.barrier();
    return;
  }
}

void wait(uint32_t command) {
  const uint32_t head = load(command);
  const uint32_t flags = head >> 8 & 0xFF, stream = head >> 16;
  if (flags == cq::kWaitBarrier) return wait_barrier(align_up(command + cq::kCommandBytes, cq::kPageBytes));
  const uint32_t address = load(command + offsetof(cq::Wait, addr));
  const uint32_t count = load(command + offsetof(cq::Wait, count));
  Report::require((flags & ~uint32_t{cq::kWaitAllFlags}) == 0, CqError::UnknownId, flags);
  if (flags & (cq::kWaitStream | cq::kWaitClearStream)) check_stream<Report>(stream, count);
  if (flags & cq::kWaitBarrier) g_writer.barrier();
  if (flags & cq::kWaitMemory) {
    Report::require(address % 4 == 0 && address < arch::kL1Bytes, CqError::Misaligned, address);
    while (!reached(load(address), count)) fence();
  }
  if (flags & cq::kWaitStream) wait_stream(stream, count);
  if (flags & cq::kWaitClearStream) clear_stream(stream);
  if (flags & cq::kWaitNotifyPrefetch)
    g_atomics.add(g_prefetch_xy, cq::sem_address(kLayout, cq::kPrefetchDownstreamSyncSem), 1);
}

// Followed by another command in the same payload.
uint32_t debug(uint32_t command) {
  const uint32_t stride = load(command + offsetof(cq::Debug, stride));
  Report::require(stride >= cq::kCommandBytes && stride % cq::kL1Align == 0, CqError::BadStride, stride);
  uint32_t end = command;
  g_reader.consume(end, stride, [](uint32_t, uint32_t) {});
  return end;
}

// Data that go no further.
uint32_t sink(uint32_t command) {
  uint32_t data = command + sizeof(cq::Sink);
  g_reader.consume(data, load(command + offsetof(cq::Sink, length)), [](uint32_t, uint32_t) {});
  return data;
}

void delay(uint32_t command) {
  for (uint32_t turns = load(command + offsetof(cq::Delay, delay)); turns != 0; --turns) asm volatile("nop");
}

void set_write_offset(uint32_t command) {
  const uint32_t n = load<uint8_t>(command + offsetof(cq::SetWriteOffset, offset_count));
  Report::require(n <= cq::kMaxWriteOffsets, CqError::TooManySubCommands, n);
  for (uint32_t i = 0; i < n; ++i) g_write_offset[i] = load(command + sizeof(cq::SetWriteOffset) + 4 * i);
}

// Tells dispatch_s, on this tile, that the data before a go signal are written.
void notify_subordinate(uint32_t command) {
  if (load<uint8_t>(command + offsetof(cq::NotifySubordinateGoSignal, wait)) != 0) g_writer.barrier();
  const uint32_t mask = load<uint16_t>(command + offsetof(cq::NotifySubordinateGoSignal, index_bitmask));
  Report::require(mask < 1u << cq::kMaxWorkerSems, CqError::BadStreamOrCount, mask);
  for (uint32_t i = 0; i < cq::kMaxWorkerSems; ++i)
    if ((mask >> i) & 1) store(cq::kDispatchSSyncSems + cq::kSemStride * i, ++g_sync_counts[i]);
}

// Wall clock of this tile, eight bytes. In host memory only a timestamp slot may be the target.
void timestamp(uint32_t command) {
  const uint32_t xy = load(command + offsetof(cq::Timestamp, noc_xy_addr));
  const uint32_t address = load(command + offsetof(cq::Timestamp, addr));
  require_aligned(address);
  const Destination to = Destination::unicast(xy);
  if (to.mid != 0) {
    const uint32_t slots = KERR_CONFIG(timestamp_slots) * cq::kTimestampSlotBytes;
    Report::require(address - KERR_CONFIG(timestamp_base) < slots, CqError::HostWriteOutside, address);
  }
  const uint32_t low = load(arch::kWallClockL);  // latches the high half
  const uint32_t high = load(arch::kWallClockH);
  store(command, low);
  store(command + 4, high);
  drain_store(command + 4);
  g_writer.write(to, address, command, 8);
  g_writer.flush();  // the next command need not wait until it has arrived: waiting costs the time that is measured
}

// Executes one command and returns the end of what it consumed; `done` is set by TERMINATE.
uint32_t execute(uint32_t command, uint32_t id, bool& done) {
  // Most are these: a jump through the table takes longer than comparisons.
  if (id == static_cast<uint32_t>(DispatchId::WritePackedLarge)) return write_packed_large(command);
  if (id == static_cast<uint32_t>(DispatchId::Wait)) {
    wait(command);
    return command + cq::kCommandBytes;
  }
  if (id == static_cast<uint32_t>(DispatchId::WritePacked)) return write_packed(command);
  switch (static_cast<DispatchId>(id)) {
    case DispatchId::WriteLinear: return write_linear<Report>(command, g_reader, g_writer, write_offset);
    case DispatchId::WriteLinearH: return Host::write_linear_h(command);
    case DispatchId::WriteLinearHHost: return Host::write_host(command);
    case DispatchId::WritePaged: return write_paged(command);
    case DispatchId::WritePackedLargeUnicast: return write_packed_large_unicast(command);
    case DispatchId::Sink: return sink(command);
    case DispatchId::Delay: delay(command); break;
    case DispatchId::ExecBufEnd: Host::exec_buf_end(command); break;
    case DispatchId::SetWriteOffset: set_write_offset(command); break;
    case DispatchId::Terminate: done = true; break;
    case DispatchId::SendGoSignal: send_go<Report, true>(GoSignal(command), g_go_table, g_writer, kGoSlot); break;
    case DispatchId::NotifySubordinateGoSignal: notify_subordinate(command); break;
    // Says how many counters dispatch_s forwards from another tile; here both are on one.
    case DispatchId::SetNumWorkerSems: check_worker_sems<Report>(command); break;
    case DispatchId::SetGoSignalNocData: g_go_table.set(command, cq::kPageBytes); break;
    case DispatchId::Timestamp: timestamp(command); break;
    default: Report::fail(CqError::UnknownId, id);
  }
  return command + cq::kCommandBytes;
}

void init(uint32_t own_xy) {
  check_queue<Report>(offsetof(cq::ConfigBlock, dispatch_xy), own_xy);
  Report::check(offsetof(cq::ConfigBlock, dispatch_cb_base), cq::kDispatchCb, cq::kDispatchCbPages,
                cq::kDispatchCbLog2Page, cq::kDispatchCbBlocks);
  Report::check(offsetof(cq::ConfigBlock, first_stream), cq::kFirstStream);
  check_banks<Report>();
  g_prefetch_xy = KERR_CONFIG(prefetch_xy);
  g_writer.init();
  g_atomics.init(own_xy);
  g_reader.init(g_prefetch_xy, cq::kPrefetchDownstreamCbSem);
  Host::init(own_xy);
  for (uint32_t i = 0; i < cq::kMaxWorkerSems; ++i) {
    clear_stream(cq::kFirstStream + i);
    g_sync_counts[i] = load(cq::kDispatchSSyncSems + cq::kSemStride * i);
  }
}

}  // namespace

extern "C" void kernel_main(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t own_xy) {
  clear_variables();
  init(own_xy);
  Report::ready();
  uint32_t command = cq::kDispatchCb;
  for (bool done = false; !done;) {
    g_reader.wait_data(command);
    const uint32_t id = Report::begin_command(command);
    const bool another = id == static_cast<uint32_t>(DispatchId::Debug);
    command = another ? debug(command) : align_up(execute(command, id, done), cq::kPageBytes);
    Report::end_command();
  }
  Host::finish(own_xy);
  g_reader.finish(command);
  g_writer.barrier();
  g_atomics.finish(own_xy);
}

}  // namespace kerr::firmware
