// Packets that leave the tile and that arrive in it; accesses of the host.
#include <utility>

#include "arch/firmware_layout.hpp"
#include "arch/noc_registers.hpp"
#include "arch/stream_registers.hpp"
#include "arch/tile_registers.hpp"
#include "check/tile_checker.hpp"

namespace kerr::check {

using emu::MessageKind;

namespace {

// The part of a transfer that has to be over before the kernel ends.
Part end_of(const Transfer& t) {
  switch (t.kind) {
    case Class::Read: return Part::Data;
    case Class::Write: return Part::Arrival;
    case Class::PostedWrite: return Part::Source;
    default: return Part::Atomic;
  }
}

}  // namespace

void TileChecker::command_buffer_stored(const Actor& a, int noc, uint32_t offset, uint32_t value) {
  using namespace arch::niu;
  const uint32_t n = offset / kCommandBufferStride;
  const uint32_t reg = offset % kCommandBufferStride;
  if (n >= 4) return;
  if (reg == kClearOutstandingReqCnt) {
    for (int id = 0; id < 16; ++id)
      if (value >> id & 1) ids_[static_cast<size_t>(noc)].at_most(id, 0);
    return nius_[static_cast<size_t>(noc)].cleared(value);
  }
  if (reg > kCmdCtrl) return;
  CommandBuffer& buffer = command_buffers_[static_cast<size_t>(noc)][n];
  if (reg / 4 < buffer.words.size()) buffer.words[reg / 4] = value;
  if (reg == kCmdCtrl || buffer.last == CommandBuffer::kNone) return;
  const int h = hart_index(a.agent);
  const Transfer* const t = transfers_.find(buffer.last);
  // A request that is over, or has left, was accepted.
  const View view(hart(h).clock());
  if (t == nullptr || view.knows(*t, place_, Part::Target) || view.knows(*t, place_, Part::Source)) {
    buffer.last = CommandBuffer::kNone;
    return;
  }
  const Stamp first = stamp_of(*t, buffer.last, place_, Part::Source);
  const Stamp then = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
  found(Rule::NocBusyBuffer, &first, "request", then, "store",
        {.space = Space::Register,
         .tile = view_.tile,
         .address = arch::niu_address(noc, static_cast<int>(n), reg),
         .bytes = 4},
        "a command buffer is written although nobody has seen that its last request was accepted");
  buffer.last = CommandBuffer::kNone;
}

void TileChecker::packet_left(const Actor& a, const emu::Message& m, int command_buffer) {
  if (command_buffer < 0 || emu::is_response(m.kind) || m.noc > 1) return;
  NiuCounters& niu = nius_[m.noc];
  niu.expects(m);
  if (m.packet == last_packet_) return;
  last_packet_ = m.packet;
  Transfer* const t = transfers_.add(m.packet);
  const std::vector<Source> sources = std::exchange(sources_, {});
  if (t == nullptr) return;
  const auto& words = command_buffers_[m.noc][static_cast<size_t>(command_buffer)].words;
  const bool by_target = m.kind == MessageKind::InlineWrite || m.kind == MessageKind::Atomic;
  const uint32_t corners = words[(by_target ? arch::niu::kTargAddrHi : arch::niu::kRetAddrHi) / 4] ^
                           words[arch::niu::kBrcstExclude / 4] * 0x9E3779B9u;
  niu.issued(m, command_buffer, corners, *t, next_channel_);
  t->cycle = a.cycle;
  t->pc = a.pc;
  t->word = a.word;
  t->issuer = a.agent;
  if (is_hart(a.agent)) {
    t->clock = hart(hart_index(a.agent)).release_to_others();
    command_buffers_[m.noc][static_cast<size_t>(command_buffer)].last = m.packet;
    InKernel& kernel = kernels_[static_cast<size_t>(hart_index(a.agent))];
    if (kernel.runs) remember(kernel, hart(hart_index(a.agent)), m.packet);
  } else if (is_thread(a.agent)) {
    t->clock = thread(thread_index(a.agent)).clock.snapshot_for_others();
  } else {
    t->clock = hart(0).release_to_others();  // a debug bus: nobody's
  }
  t->bytes = m.kind == MessageKind::ReadRequest ? m.length
             : m.kind == MessageKind::Atomic    ? 4
                                                : static_cast<uint32_t>(m.payload.size());
  check_request(a, *t, m.packet, (words[arch::niu::kCtrl / 4] & arch::niu::kCtrlVcLinked) != 0);
  const View view(*t, place_, m.packet);
  for (const Source& source : sources) {
    if (m.kind == MessageKind::ReadRequest) break;
    t->local = source.address;
    const Stamp by = stamp_of(*t, m.packet, place_, Part::Source);
    if (buffers_.reach(source.address)) {
      check_page_read(by, source.address);
      check_end_of_transfer(by, source.address, source.bytes);
    }
    l1_.read(source.address, source.bytes, by, view, directory_,
             [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
               conflict(earlier, wrote, by, false, source.address, source.bytes);
             });
  }
  if (m.kind == MessageKind::Atomic && m.marked && m.reply_tile == view_.tile && m.reply_address < view_.l1.size())
    answer_goes_to(*t, m.packet, static_cast<uint32_t>(m.reply_address));
  if (m.kind == MessageKind::ReadRequest && m.reply_tile == view_.tile && m.reply_address < view_.l1.size() &&
      m.length <= view_.l1.size() - m.reply_address) {
    t->local = static_cast<uint32_t>(m.reply_address);
    const Stamp by = stamp_of(*t, m.packet, place_, Part::Data);
    if (buffers_.reach(t->local)) {
      check_page_write(by, t->local);
      check_end_of_transfer(by, t->local, m.length);
    } else if (launch_.known() && in_kernel(a.agent) && !launch_.owns(t->local, m.length)) {
      check_bounds(by, t->local, m.length);
    }
    l1_.write(t->local, m.length, by, view, directory_, [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
      conflict(earlier, wrote, by, true, t->local, m.length);
    });
  }
}

// An atomic's old value goes to a word of this tile. Where all of them go it is a sink, and answers overwrite each
// other in any order: only who uses such a word is told.
void TileChecker::answer_goes_to(const Transfer& t, uint64_t packet, uint32_t address) {
  if (address / 4 == arch::kFwB.atomic_return / 4) return;
  l1_.write(address & ~3u, 4, stamp_of(t, packet, place_, Part::Data), View(t, place_, packet), directory_,
            [](const Stamp&, bool, uint64_t, uint64_t) {});
}

// Packets that are known to be over are dropped first.
void TileChecker::remember(InKernel& kernel, const AgentClock& issuer, uint64_t packet) {
  constexpr size_t kMany = 1024;
  if (kernel.packets.size() >= kMany) {
    const View view(issuer.clock());
    std::erase_if(kernel.packets, [&](uint64_t p) {
      const Transfer* const t = transfers_.find(p);
      return t == nullptr || view.knows(*t, place_, end_of(*t));
    });
    if (kernel.packets.size() >= kMany) {
      kernel.packets.erase(kernel.packets.begin(), kernel.packets.begin() + kMany / 2);
      lost_packets_ += kMany / 2;
    }
  }
  kernel.packets.push_back(packet);
}

void TileChecker::packet_arrived(const emu::Message& m) {
  arriving_ = m.kind;
  arriving_from_ = place_of(m.source);
  arriving_packet_ = m.packet;
  arriving_transfer_ = emu::is_response(m.kind) ? nullptr : directory_.find(arriving_from_, m.packet);
  if (m.marked && m.noc < received_.size() && arriving_transfer_ != nullptr &&
      (arriving_transfer_->kind == Class::Write || arriving_transfer_->kind == Class::Atomic)) {
    received_[m.noc][arriving_transfer_->kind == Class::Atomic].arrived(arriving_from_, m.packet);
  }
  if (!emu::is_response(m.kind)) return;
  Transfer* const t = m.request().source == view_.tile ? transfers_.find(m.request().packet) : nullptr;
  if (t == nullptr) return;
  answer_came(*t, m.request().packet, m.arrival);
  if (m.kind != MessageKind::ReadResponse || t->kind != Class::Read) return;
  look_at_answer(*t);
  code_written(stamp_of(*t, m.request().packet, place_, Part::Data), t->local, t->bytes);
  if (data_caches_.any())
    data_caches_.written(t->local, t->bytes, stamp_of(*t, m.request().packet, place_, Part::Data), -1);
}

void TileChecker::inbox_accessed(Kind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  const Transfer* const t = arriving_transfer_;
  if (t == nullptr) return;  // an answer, whose effect was noted at the request; or nobody knows who sent it
  const View view(*t, arriving_from_, arriving_packet_);
  const Event event{arriving_from_, t->channel, t->in_channel};
  if (address >= view_.l1.size()) {
    if (kind != Kind::Store) return;
    Actor a{view_.tile, t->issuer, t->cycle};
    a.pc = t->pc;
    a.word = t->word;
    if (is_stream(address)) return stream_stored(a, address, value, event, t->clock, view);
    if (address == arch::kSoftReset0) {  // edge: soft-reset
      forget_fetches_of_held(value);
      for (AgentClock& other : harts_) {
        other.acquire([&](Clock& c) {
          c.join(t->clock);
          c.raise(event);
        });
      }
    }
    return;
  }
  if (kind == Kind::Atomic) {
    const Stamp by = stamp_of(*t, arriving_packet_, arriving_from_, Part::Atomic);
    if (data_caches_.any()) data_caches_.written(address, bytes, by, -1);
    return atomic(by, view, event, t->clock, address, bytes, value);
  }
  if (kind == Kind::Load) {
    if (arriving_ == MessageKind::ReadRequest && bytes <= 4 && is_flag(address, bytes)) return;
    if (arriving_ == MessageKind::ReadRequest) look_at_source(*t, address, bytes);
    const Stamp by = stamp_of(*t, arriving_packet_, arriving_from_, Part::Target);
    l1_.read(address, bytes, by, view, directory_, [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
      conflict(earlier, wrote, by, false, address, bytes);
    });
    return;
  }
  const Stamp by = stamp_of(*t, arriving_packet_, arriving_from_, Part::Arrival);
  if (data_caches_.any()) data_caches_.written(address, bytes, by, -1);
  if (!check_code_write(by, address, bytes)) code_written(by, address, bytes);
  stored_over_atomics(by, view, address, bytes, value);
  l1_.write(address, bytes, by, view, directory_, [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
    // A multicast that comes back onto its own source changes nothing.
    if (earlier.part == Part::Source && earlier.place == arriving_from_ && earlier.number == arriving_packet_) return;
    conflict(earlier, wrote, by, true, address, bytes);
  });
}

void TileChecker::host_accessed(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  host_accesses(a, kind, address, bytes, value);
  host_.publish();
}

void TileChecker::host_accesses(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  AgentClock& by = host_.clock;
  if (address >= view_.l1.size()) {
    if (kind == Kind::Load) {
      // It may be polling. Edge: host-sees.
      if (const auto found = registers_.find(address); found != registers_.end() && is_stream(address)) {
        if (((found->second.value() ^ value) & arch::kStreamCounterMask) != 0) found->second.forget(value);
        by.acquire([&](Clock& c) { found->second.acquire(c); });
      }
      return;
    }
    if (kind != Kind::Store) return;
    if (is_stream(address)) {
      by.stores();
      return stream_stored(a, address, value, by.event(), by.release(), View(by.clock()));
    }
    if (address == arch::kSoftReset0) {  // edge: soft-reset
      forget_fetches_of_held(value);
      const SnapshotPtr clock = by.release();
      for (AgentClock& other : harts_) other.acquire([&](Clock& c) { c.join(clock); });
    }
    return;
  }
  if (kind == Kind::Load) {
    by.acquire([&](Clock& c) {  // edge: host-sees
      if (bytes <= 64) acquire_writers(c, address, bytes);
      for (uint32_t word = address & ~3u; word < address + bytes && bytes <= 64; word += 4) {
        if (const auto found = words_.find(word); found != words_.end()) found->second.acquire(c);
      }
    });
    if (is_flag(address, bytes) || bytes <= 64) return;
    const Stamp stamp = stamp_of(a, kHostPlace, component::kHost, by.reads());
    l1_.read(address, bytes, stamp, View(by.clock()), directory_,
             [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
               conflict(earlier, wrote, stamp, false, address, bytes);
             });
    return;
  }
  by.stores();
  const Event store = host_.store();
  const Stamp stamp = stamp_of(a, kHostPlace, store.component, store.number);
  View view(by.clock());
  view.extra = {kHostPlace, component::kHostCombined, store.number};  // its own stores do not race
  if (data_caches_.any()) data_caches_.written(address, bytes, stamp, -1);
  code_written(stamp, address, bytes);
  stored_over_atomics(stamp, view, address, bytes, value);
  host_fills(address, bytes);
  l1_.write(address, bytes, stamp, view, directory_, [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
    conflict(earlier, wrote, stamp, true, address, bytes);
  });
}

// A kernel returns to firmware: nothing that it has asked for may be under way.
void TileChecker::leaves_kernel(const Actor& a, int h) {
  InKernel& kernel = kernels_[static_cast<size_t>(h)];
  kernel.runs = false;
  const View view(hart(h).clock());
  const Stamp then = stamp_of(a, place_, component::hart(h), hart(h).clock().at(component::hart(h)));
  for (const uint64_t packet : kernel.packets) {
    const Transfer* const t = transfers_.find(packet);
    if (t == nullptr) continue;
    const Part part = end_of(*t);
    if (view.knows(*t, place_, part) || (t->kind == Class::PostedWrite && t->bytes == 0)) continue;
    if (t->kind == Class::Atomic && t->over == 0) continue;
    const Stamp first = stamp_of(*t, packet, place_, part);
    found(Rule::NocLeft, &first, "request", then, "return",
          {.space = Space::Counter, .tile = view_.tile, .address = t->noc, .bytes = 0},
          "a kernel ends with a transfer under way that nothing has waited for");
  }
  kernel.packets.clear();
  check_open_trains(then);
}

}  // namespace kerr::check
