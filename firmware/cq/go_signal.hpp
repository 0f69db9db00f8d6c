#pragma once

#include <stdint.h>

#include "arch/stream_registers.hpp"
#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"

// Completion counters, and the go words that start workers. Used by dispatch_d and dispatch_s.
// docs/hardware/fast-dispatch.md 7.3, 12, 13
namespace kerr::firmware {

template <class Report>
inline void check_stream(uint32_t stream, uint32_t count) {
  Report::require(stream - cq::kFirstStream < cq::kMaxWorkerSems, CqError::BadStreamOrCount, stream);
  Report::require(count < cq::kMaxStreamCount, CqError::BadStreamOrCount, count);
}

template <class Report>
inline void check_worker_sems(uint32_t command) {
  const uint32_t n = load(command + offsetof(cq::SetNumWorkerSems, num_worker_sems));
  Report::require(n <= cq::kMaxWorkerSems, CqError::BadStreamOrCount, n);
}

inline uint32_t stream_counter(uint32_t stream) {
  return load(arch::stream_address(static_cast<int>(stream), arch::stream::kSpaceAvailable)) & arch::kStreamCounterMask;
}
inline void wait_stream(uint32_t stream, uint32_t count) {
  while (!arch::stream_reached(stream_counter(stream), count)) fence();
}
// Brings the counter to 0 without losing what arrives meanwhile; in effect when it returns.
inline void clear_stream(uint32_t stream) {
  const uint32_t address = arch::stream_address(static_cast<int>(stream), arch::stream::kSpaceAvailableUpdate);
  store(address, arch::stream_increment(-static_cast<int32_t>(stream_counter(stream))));
  drain_store(arch::stream_address(static_cast<int>(stream), arch::stream::kSpaceAvailable));
}

// The table of workers that a launch goes to: words of arch::cq::go_worker() and go_rectangle().
template <class Report>
class GoTable {
 public:
  // The words lie behind the header, in the first page.
  void set(uint32_t command, uint32_t page_bytes) {
    const uint32_t n = load(command + offsetof(cq::SetGoSignalNocData, num_words));
    Report::require(n <= cq::kGoTableEntries && n <= (page_bytes - sizeof(cq::SetGoSignalNocData)) / 4,
                    CqError::TooManySubCommands, n);
    copy_words(words_, command + sizeof(cq::SetGoSignalNocData), n);
    count_ = n;
  }
  uint32_t count() const { return count_; }
  uint32_t operator[](uint32_t i) const { return words_[i]; }

 private:
  uint32_t count_;
  uint32_t words_[cq::kGoTableEntries];
};

// SEND_GO_SIGNAL with its fields read: the go word lies at an odd place.
struct GoSignal {
  uint32_t word, multicast, count, first, wait_count, stream;

  explicit GoSignal(uint32_t command)
      : word(load(command) >> 8 | load(command + 4) << 24),
        multicast(load<uint8_t>(command + offsetof(cq::SendGoSignal, multicast_go_offset))),
        count(load<uint8_t>(command + offsetof(cq::SendGoSignal, num_unicast_txns))),
        first(load<uint8_t>(command + offsetof(cq::SendGoSignal, noc_data_start_index))),
        wait_count(load(command + offsetof(cq::SendGoSignal, wait_count))),
        stream(load(command + offsetof(cq::SendGoSignal, wait_stream))) {}
};

template <class Report>
inline Destination go_rectangle(uint32_t word) {
  Report::require(word >> cq::kGoReceiversShift != 0, CqError::BadMulticastGroup, word);
  return Destination::rectangle(word, word >> cq::kGoReceiversShift);
}

// To the rectangles of the configuration block, as message `go.multicast` of the workers' go messages. A NoC write
// needs equal low bits on both sides, so the slot holds four places.
template <class Report, class Writer>
inline void multicast_go(const GoSignal& go, Writer& writer, uint32_t slot) {
  const uint32_t rectangles = KERR_CONFIG(go_rectangle_count);
  Report::require(go.multicast < kLayout.go_message_count && rectangles != 0 && rectangles <= cq::kMaxGoRectangles,
                  CqError::BadMulticastGroup, go.multicast);
  writer.flush();
  const uint32_t place = slot + 4 * (go.multicast % 4);
  store(place, go.word);
  drain_store(place);
  for (uint32_t i = 0; i < rectangles; ++i) {
    const uint32_t at = cq::kConfigBlock + offsetof(cq::ConfigBlock, go_rectangles) + i * sizeof(cq::GoRectangle);
    writer.barrier();  // before every multicast path (7.4)
    writer.write(Destination::rectangle(load(at + offsetof(cq::GoRectangle, corners)),
                                        load(at + offsetof(cq::GoRectangle, receivers))),
                 kLayout.go_messages + 4 * go.multicast, place, 4);
  }
  writer.flush();
}

// Writes the go word once everything that was written before has arrived (12.4) and the stream has counted up: to the
// rectangles of the configuration block if the command says so (kConfigured: there are some for this NoC), and to the
// entries of the table that it names. The word is sent from a slot of its own, not from the command: the page may go
// back early. What depends on neither is done before: of the first packet to a rectangle one register is left.
template <class Report, bool kConfigured, class Writer>
inline void send_go(const GoSignal& go, const GoTable<Report>& table, Writer& writer, uint32_t slot) {
  const uint32_t end = go.first + go.count;
  Report::require(end <= table.count(), CqError::TooManySubCommands, end);
  check_stream<Report>(go.stream, go.wait_count);
  Report::require(kConfigured || go.multicast == cq::kNoMulticastGo, CqError::BadMulticastGroup, go.multicast);
  writer.flush();  // an earlier go word may still be on its way out of the slot
  store(slot, go.word);
  drain_store(slot);
  const auto prepare = [&](uint32_t word) {
    writer.prepare_multicast(go_rectangle<Report>(word), kLayout.go_messages, slot, 4);
  };
  uint32_t i = go.first;
  const bool multicasts = i != end && cq::is_go_rectangle(table[i]);
  if (multicasts) prepare(table[i]);
  writer.barrier();
  wait_stream(go.stream, go.wait_count);
  if (multicasts) {
    writer.fire(table[i] >> cq::kGoReceiversShift);
    while (++i != end && cq::is_go_rectangle(table[i])) {
      writer.barrier();  // the path of the one before is free (7.4)
      prepare(table[i]);
      writer.fire(table[i] >> cq::kGoReceiversShift);
    }
  }
  if (go.multicast != cq::kNoMulticastGo) multicast_go<Report>(go, writer, slot);
  typename Writer::Copies words(writer, kLayout.go_messages, slot, 4);
  for (; i != end; ++i) {
    Report::require(!cq::is_go_rectangle(table[i]), CqError::BadMulticastGroup, table[i]);
    words.send(table[i]);
  }
}

}  // namespace kerr::firmware
