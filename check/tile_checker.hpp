// One tile as the checker knows it: clocks of its agents, the shadow of its L1, its NIUs, registers, buffers.
// docs/architecture.md "Checking"
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arch/stream_registers.hpp"
#include "check/agent_clocks.hpp"
#include "check/caches/data_caches.hpp"
#include "check/caches/fetched_code.hpp"
#include "check/circular_buffers.hpp"
#include "check/coprocessor/state.hpp"
#include "check/declarations.hpp"
#include "check/finding_log.hpp"
#include "check/flag_words.hpp"
#include "check/launched_code.hpp"
#include "check/mend.hpp"
#include "check/niu_counters.hpp"
#include "check/regions/known_launch.hpp"
#include "check/requests/outstanding_ids.hpp"
#include "check/requests/received_requests.hpp"
#include "check/requests/shared_counters.hpp"
#include "check/shadow.hpp"
#include "check/shared.hpp"
#include "check/value_history.hpp"
#include "check/waiting_load.hpp"
#include "emu/noc/message.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::check {

/// Touched in the tile's own run only; by the host and by servers between windows.
class TileChecker {
 public:
  TileChecker(const emu::TileView& view, const Directory& directory, Host& host);

  /// As emu::Observer: while something is to be held against every instruction.
  const bool& wants_all_retired() const { return wants_all_retired_; }
  void retired(const emu::Actor& actor, uint32_t pc, uint32_t word);
  void pushed(const emu::Actor& actor, int thread, uint32_t word, uint32_t number);
  void touched(const emu::Actor& actor, const emu::Footprint& footprint);
  void issued(const emu::Actor& actor, uint32_t word);
  void accessed(const emu::Actor& actor, emu::AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value);
  /// accessed() of a hart, in short, for most of what harts do: data of their own, of which nothing else needs to be
  /// known. False: it is not that, and nothing is done.
  bool own_access(const emu::Actor& actor, emu::AccessKind kind, uint32_t address, uint32_t bytes);
  void packet_left(const emu::Actor& actor, const emu::Message& message, int command_buffer);
  void packet_arrived(const emu::Message& message);
  /// A programmer says what bytes of L1 are. Between windows.
  void declare(const Declarations::Range& range);
  /// Between windows.
  void forget_old_transfers() { transfers_.forget_old(); }

  const Transfers& transfers() const { return transfers_; }
  const FindingLog& log() const { return log_; }
  const LaunchedCode& launched_code() const { return launched_; }
  /// What is known of the program of that hart's kernel; nullptr: nothing, or it executes firmware.
  const KnownLaunch* launch_of(emu::Agent agent) const {
    return launch_.known() && in_kernel(agent) ? &launch_ : nullptr;
  }
  LostHistory lost() const {
    return {.readers = l1_.lost(), .transfers = transfers_.missed() + lost_packets_, .findings = log_.lost()};
  }
  uint64_t accesses() const { return accesses_; }

 private:
  using Actor = emu::Actor;
  using Kind = emu::AccessKind;
  using Entries = std::deque<SnapshotPtr>;  // of a FIFO: what their writers knew

  // Harts: hart.cpp.
  void hart_accessed(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value);
  bool loads_own(const Actor& a, const LoadUse& use, uint32_t address, uint32_t bytes);
  bool stores_own(const Actor& a, uint32_t address, uint32_t bytes);
  bool is_plain(uint32_t line_begin) const;
  /// Other addresses than before may be plain.
  void rules_changed() { rules_ += 2; }
  void hart_loads(const Actor& a, uint32_t address, uint32_t bytes, uint32_t value);
  void hart_stores(const Actor& a, uint32_t address, uint32_t bytes, uint32_t value);
  void take_flag(const Actor& a, AgentClock& reader, const LoadUse& use, uint32_t address, uint32_t bytes,
                 uint32_t value);
  std::optional<uint32_t> peek(int hart, uint32_t address, uint32_t bytes) const;

  // Registers: registers.cpp.
  void hart_loads_register(const Actor& a, uint32_t address, uint32_t value);
  void hart_stores_register(const Actor& a, uint32_t address, uint32_t value);
  void hart_loads_counter(const Actor& a, int noc, int counter, uint32_t value);
  void take_history(const Actor& a, AgentClock& reader, const ValueHistory& history, uint32_t mask);
  void take_entry(AgentClock& reader, Entries& fifo);
  void put_entry(AgentClock& writer, Entries& fifo, size_t depth);
  void drains(AgentClock& hart, int thread);
  static constexpr bool is_stream(uint32_t address) {
    return address - arch::kOverlayBase < arch::kStreams * arch::kStreamStride;
  }
  /// A store to a register of an overlay stream: its readers take over `event` and `clock`.
  void stream_stored(const Actor& a, uint32_t address, uint32_t value, const Event& event, const SnapshotPtr& clock,
                     const View& view);

  // The coprocessor: threads.cpp.
  void thread_accessed(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value);
  void begin_word(const Actor& a);
  void pass(int thread, const ThreadClock::Gate& gate);

  // Semaphores: coprocessor/semaphores.cpp.
  void semaphores_changed(const Actor& a, const emu::Footprint& footprint);
  void hart_stores_semaphore(const Actor& a, size_t semaphore, uint32_t value);
  void hart_loads_semaphore(const Actor& a, size_t semaphore, uint32_t value);
  void without_effect(const Stamp& by, size_t semaphore, bool post);
  void check_has_max(const Actor& a, uint32_t semaphores);
  void init_race(const Stamp& first, std::string_view first_op, const Stamp& then, std::string_view then_op,
                 size_t semaphore);
  void take_mutex(const Actor& a, size_t mutex);
  void give_mutex(const Actor& a, size_t mutex);
  Object mutex_object(size_t mutex) const;
  void take_semaphores(ThreadClock& of, uint32_t semaphores, uint32_t conditions);

  // Dst, SrcA and SrcB: coprocessor/units.cpp.
  void bank_accessed(int thread, Lane lane, const Stamp& by, const emu::Footprint& footprint);
  void hand_over(const Actor& a, const emu::Footprint& footprint);
  static void take(ThreadClock& of, const HandOver& hand_over, uint32_t& taken);
  void take_awaited_banks(int thread, uint32_t awaited);
  void vector_executed(const Stamp& by);
  void vector_registers_used(const Stamp& by);
  void dst_accessed(const Stamp& by, const View& view, const emu::Footprint& footprint);
  bool units_keep_order(const Stamp& earlier, bool wrote, const Stamp& by, const View& view) const;
  void check_bank_pointers(const Actor& a, const emu::Footprint& footprint);
  void check_coprocessor_at_the_end();

  // Configuration and MOP words: coprocessor/config.cpp.
  void config_written(const Stamp& by, size_t writer, uint32_t bank, uint32_t word, bool whole,
                      std::optional<uint32_t> before, uint32_t after);
  void config_instruction(const Actor& a, const emu::Footprint& footprint);
  void config_used(const Stamp& by, Lane lane);
  /// What this hart or thread knows to have happened.
  const Clock& clock_of(emu::Agent agent);
  void check_readers_of_bits(const Stamp& by, size_t writer, uint32_t bank, uint32_t word, uint32_t changed);
  void check_users(const Stamp& by, uint32_t bank, uint32_t word);
  void address_taken(const Actor& a, const emu::Footprint& footprint);
  void hart_stores_config(const Actor& a, uint32_t word, uint32_t value);
  void hart_stores_mop_word(const Actor& a, size_t index, uint32_t value);
  void mop_pushed(const Actor& a, int thread, uint32_t number);
  void hart_waits_for_stores(int hart, bool mop_is_idle);

  // General purpose registers: coprocessor/gprs.cpp.
  void gprs_used(const Actor& a);
  void gprs_written(const Actor& a, uint32_t first, uint32_t count);
  void gprs_read(const Actor& a, uint32_t first, uint32_t count);
  void hart_stores_gpr(const Actor& a, uint32_t address);

  // Programs and their ends: coprocessor/programs.cpp.
  void kernel_begins(int hart);
  void thread_is_idle(int hart);
  void check_sync_is_used(const Actor& a, uint32_t address);

  // The NoC: noc.cpp.
  struct InKernel {
    bool runs = false;         // not firmware
    uint32_t pc = 0;           // of an instruction in the line of the last one
    uint32_t stack_limit = 0;  // where its variables end
    bool has_firmware = false;
    std::vector<uint64_t> packets;  // that the kernel has sent
  };
  void answer_goes_to(const Transfer& transfer, uint64_t packet, uint32_t address);
  void remember(InKernel& kernel, const AgentClock& issuer, uint64_t packet);
  void inbox_accessed(Kind kind, uint32_t address, uint32_t bytes, uint32_t value);
  void host_accessed(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value);
  void host_accesses(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value);
  void leaves_kernel(const Actor& a, int hart);
  void command_buffer_stored(const Actor& a, int noc, uint32_t offset, uint32_t value);

  // Flags and words that atomics change: flags.cpp.
  bool is_flag(uint32_t address, uint32_t bytes) const {
    return flags_.has(address / 4) || flags_.has((address + bytes - 1) / 4);
  }
  void make_flag(uint32_t address, uint32_t bytes);
  void add_flags(uint32_t address, uint32_t bytes);
  void host_fills(uint32_t address, uint32_t bytes);
  void take_hint(int hart, uint32_t word);
  bool is_declared(Annotation::Kind kind, uint64_t address, uint64_t bytes) const;
  void atomic(const Stamp& by, const View& view, const Event& event, const SnapshotPtr& clock, uint32_t address,
              uint32_t bytes, uint32_t value);
  /// A plain store to words that atomics have changed.
  void stored_over_atomics(const Stamp& by, const View& view, uint32_t address, uint32_t bytes, uint32_t value);
  /// The reader takes over what the writers of these bytes knew.
  bool acquire_writers(Clock& reader, uint32_t address, uint32_t bytes);
  bool acquire_from(Clock& reader, const Stamp& writer);

  // Findings: conflicts.cpp.
  void conflict(const Stamp& earlier, bool earlier_writes, const Stamp& later, bool later_writes, uint64_t address,
                uint64_t bytes);
  /// The number of the finding in the log; kNone: there was no room.
  size_t found(Rule rule, const Stamp* first, std::string_view first_op, const Stamp& then, std::string_view then_op,
               Object object, std::string what);
  void find_outcome(size_t finding, const Stamp& first, std::string_view first_op, const Stamp& then,
                    std::string_view then_op);
  void answer_came(Transfer& transfer, uint64_t packet, Cycle cycle);
  /// A finding has told that bytes were handed on before `earlier` is done with them: who meets that there next does so
  /// because of it.
  void hand_on(size_t finding, const Stamp& earlier, uint64_t address, uint64_t bytes);
  bool follows_from_another(const Stamp& earlier, std::string_view earlier_op, const Stamp& later,
                            std::string_view later_op, uint64_t address);
  Site site(const Stamp& stamp, std::string_view op) const;
  Clock knowledge_of(const Stamp& stamp) const;
  std::string last_wait(const Stamp& first, const Stamp& then) const;
  Site::Who who(const Stamp& stamp) const;
  std::string name_of(uint64_t address) const;
  Object l1_object(uint64_t address, uint64_t bytes) const;

  // Pages of circular buffers: buffer_rules.cpp.
  Object page_object(int buffer, uint32_t page) const;
  /// The counter of a buffer's pages that were pushed, or popped, changes.
  void check_pages(bool pushes, const Stamp& by, const View& view, int buffer, uint32_t before, uint32_t after);
  void check_page_of_unit(const Stamp& by, const View& view, uint64_t address, bool writes);

  // Requests that are wrong together with others: requests/.
  void check_request(const Actor& a, const Transfer& t, uint64_t packet, bool goes_on);
  void request_moves(const Stamp& by, int noc, SharedCounters::Counter counter);
  void check_wait(const Actor& a, int noc, SharedCounters::Counter counter);
  void check_open_trains(const Stamp& then);
  bool counts_alone(int hart) const {
    return hart < SharedCounters::kHarts && shared_.alone() && kernels_[static_cast<size_t>(hart)].runs;
  }

  // What belongs to whom: regions/.
  void begin_launch(Cycle now);
  void check_overlap(Cycle now);
  bool in_kernel(emu::Agent agent) const {
    if (is_thread(agent)) agent = hart_of_thread(agent);
    return is_hart(agent) && kernels_[static_cast<size_t>(hart_index(agent))].runs;
  }
  void look_at_pages(const Actor& a, uint32_t address);
  void check_side(bool pushes, const Stamp& by, const View& view, int buffer);
  void check_buffer_index(const Stamp& by, uint32_t reg, int buffer, const Event& event);
  void check_page_read(const Stamp& by, uint64_t address);
  void check_page_write(const Stamp& by, uint64_t address);
  void check_end_of_transfer(const Stamp& by, uint64_t address, uint64_t bytes);
  void check_place_of_load(const Stamp& by, uint32_t address, uint32_t bytes);
  void check_place_of_store(const Stamp& by, uint32_t address, uint32_t bytes);
  void check_bounds(const Stamp& by, uint64_t address, uint64_t bytes);
  void enters_kernel(int hart);
  void stack_overflows(const Actor& a, int hart);

  // What bytes hold: contents/.
  bool is_unwritten(uint64_t address, uint64_t bytes, Stamp& copy) const;
  void look_at_source(const Transfer& t, uint64_t address, uint64_t bytes);
  void look_at_answer(Transfer& t);
  void check_contents(const Stamp& by, uint64_t address, uint64_t bytes);
  void check_age(const Stamp& by, uint64_t address, uint64_t bytes);
  void forget_contents();

  // What harts have fetched: caches/.
  void look_at_cache(int hart, uint32_t word);
  void check_cached_load(const Stamp& by, const LoadUse& use, int hart, uint32_t address, uint32_t bytes);
  /// True: a hart is there.
  bool check_code_write(const Stamp& by, uint64_t address, uint64_t bytes);
  void code_written(const Stamp& by, uint64_t address, uint64_t bytes) {
    fetched_.written(address, bytes, by);
    wants_all_retired_ |= fetched_.has_old();
  }
  void check_fetch(const Actor& a, int hart, uint32_t pc, uint32_t word);
  void forget_fetches_of_held(uint32_t soft_reset);

  AgentClock& hart(int h) { return harts_[static_cast<size_t>(h)]; }
  ThreadClock& thread(int t) { return threads_[static_cast<size_t>(t)]; }

  const emu::TileView view_;
  const Place place_;
  const Directory& directory_;
  Host& host_;
  Code code_;
  Shadow l1_;
  std::array<AgentClock, 5> harts_;
  std::array<ThreadClock, 3> threads_;
  Transfers transfers_;
  std::array<NiuCounters, 2> nius_{NiuCounters(0), NiuCounters(1)};
  std::array<std::optional<Wait>, 5> waits_;  // of each hart for a counter of an NIU: the last one
  uint32_t next_channel_ = component::kFixed;

  struct CommandBuffer {
    std::array<uint32_t, 16> words{};
    uint64_t last = kNone;  // the packet that it sent, until somebody has seen that it was accepted
    static constexpr uint64_t kNone = ~uint64_t{0};
  };
  std::array<std::array<CommandBuffer, 4>, 2> command_buffers_;
  struct Source {
    uint32_t address = 0, bytes = 0;
  };
  std::vector<Source> sources_;  // bytes that an NIU has read for the packet that leaves next
  uint64_t last_packet_ = ~uint64_t{0};

  // The packet that arrives right now.
  emu::MessageKind arriving_ = emu::MessageKind::Write;
  Place arriving_from_ = 0;
  uint64_t arriving_packet_ = 0;
  const Transfer* arriving_transfer_ = nullptr;

  FlagWords flags_;
  std::vector<Declarations::Range> declared_;
  std::array<uint32_t, 5> hinted_bytes_{};                // of each hart, for its next hint
  std::map<uint32_t, ValueHistory> words_;                // that atomics have changed, by address
  std::unordered_map<uint32_t, ValueHistory> registers_;  // of streams, by address
  CoprocessorState coprocessor_{place_};
  std::array<Clock, 8> mutexes_;
  std::array<std::array<Entries, 4>, 4> mailboxes_;  // from and to, by arch::kMailboxIndex
  std::array<Entries, 3> pc_bufs_;
  CircularBuffers buffers_;
  LaunchedCode launched_;
  KnownLaunch launch_;
  std::bitset<arch::kL1Bytes / Shadow::kBlock> has_contents_;  // blocks of which a byte was written, for certain
  DataCaches data_caches_;
  FetchedCode fetched_;
  SharedCounters shared_;
  std::array<OutstandingIds, 2> ids_;
  std::array<std::array<ReceivedRequests, ReceivedRequests::kCounters>, 2> received_;  // of each NIU
  std::array<uint64_t, 2> trains_{CommandBuffer::kNone, CommandBuffer::kNone};  // the last packet, if more is to follow

  std::array<InKernel, 5> kernels_;
  uint64_t lost_packets_ = 0;  // of kernels with very many

  FindingLog log_;
  // Findings of which the answer of a transfer will tell what they did.
  struct Pending {
    size_t finding;
    uint64_t packet;
    Stamp then;
    std::string_view then_op;
  };
  std::vector<Pending> pending_;
  struct HandedOn {
    size_t finding;
    Stamp by;  // accesses of the same agent or unit, and its transfers, up to this one
    uint64_t address, bytes;
  };
  std::deque<HandedOn> handed_on_;
  uint64_t accesses_ = 0;
  bool wants_all_retired_ = false;
  // In Shadow::Line::rules of lines that were looked at since rules_changed(); there plus 1: the line is plain.
  uint32_t rules_ = 2;
};

inline bool TileChecker::own_access(const Actor& a, Kind kind, uint32_t address, uint32_t bytes) {
  Shadow::Line* const line = l1_.line(address);
  if (line == nullptr || address % Shadow::kGranule + bytes > Shadow::kGranule) return false;
  if (line->rules != rules_ + 1) [[unlikely]] {
    if (line->rules == rules_) return false;
    const bool plain = is_plain(address & ~(Shadow::kLine - 1));
    line->rules = rules_ + (plain ? 1 : 0);
    if (!plain) return false;
  }
  if (kind == Kind::Load ? !is_load(a.word) || code_.use_of_load(a.pc, a.word).waits : kind != Kind::Store)
    return false;
  Shadow::Cell& cell = (*line->granules)[address % Shadow::kLine / Shadow::kGranule];
  const uint16_t mask = Shadow::mask_of(address, address + bytes);
  const uint32_t c = component::hart(hart_index(a.agent));
  if (!l1_.is_alone(cell, {place_, c}, mask)) return false;
  AgentClock& by = harts_[c];
  Stamp stamp = stamp_of(a, place_, c, kind == Kind::Load ? by.reads() : by.stores());
  stamp.mask = mask;
  kind == Kind::Load ? l1_.read_alone(cell, stamp) : l1_.write_alone(cell, stamp);
  ++accesses_;
  return true;
}

}  // namespace kerr::check
