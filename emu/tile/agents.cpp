#include "emu/tile/agents.hpp"

#include <algorithm>
#include <utility>

#include "arch/memory_map.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/tile_stops.hpp"

namespace kerr::emu {

Agents::Agents(TileId tile, L1& l1, CodeCache& code, Inbox& inbox, MessageSink& sink, const Options& options)
    : tile_(tile),
      reference_(options.reference()),
      exact_(options.exact()),
      observer_(options.observer),
      tells_(observer_ != nullptr),
      prints_(options.prints),
      l1_(l1),
      code_(code),
      inbox_(inbox),
      sink_(sink) {
  l1_.listen(this);
}

void Agents::attach(std::array<Hart*, kHarts> harts, Coprocessor* coprocessor, Pic* pic) {
  harts_ = harts;
  coprocessor_ = coprocessor;
  pic_ = pic;
}

Cycle Agents::now() const {
  switch (current_) {
    case Agent::Host: return time_;
    case Agent::Inbox: return message_cycle_;
    case Agent::Units: return quantum_start_;
    case Agent::Thread0:
    case Agent::Thread1:
    case Agent::Thread2:
      return exact_ ? thread_cycle_[static_cast<size_t>(current_) - static_cast<size_t>(Agent::Thread0)]
                    : quantum_start_;
    default: return harts_[static_cast<int>(current_) - static_cast<int>(Agent::Brisc)]->state().cycle;
  }
}

Actor Agents::actor() const {
  switch (current_) {
    case Agent::Host:
    case Agent::Inbox:
    case Agent::Units: return {.tile = tile_, .agent = current_, .cycle = now()};
    case Agent::Thread0:
    case Agent::Thread1:
    case Agent::Thread2: return coprocessor_->actor(static_cast<int>(current_) - static_cast<int>(Agent::Thread0));
    default: return harts_[static_cast<int>(current_) - static_cast<int>(Agent::Brisc)]->actor();
  }
}

bool Agents::any_runnable() const {
  for (const Hart* hart : harts_) {
    if (hart->state().running() || interrupt_due(*hart)) return true;
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    if (coprocessor_->threads[thread].waits_for == 0) return true;
  }
  return false;
}

Cycle Agents::next_event() const {
  if (exact_ && !reference_) return std::max(time_, next_step());
  if (any_runnable()) return time_;
  if (reference_) {
    // Nothing is skipped as long as somebody could be spinning or retrying.
    for (const Hart* hart : harts_) {
      if (hart->state().status == HartStatus::Blocked) return time_;
    }
  }
  Cycle next = inbox_.next_arrival();
  for (const Hart* hart : harts_) next = std::min(next, hart->alarm());
  return std::max(time_, next);
}

Cycle Agents::next_event_beside_running() const {
  Cycle next = inbox_.next_arrival();
  for (const Hart* hart : harts_) next = std::min(next, interrupt_due(*hart) ? time_ : hart->alarm());
  for (int thread = 0; thread < kThreads; ++thread) {
    if (coprocessor_->threads[thread].waits_for == 0) next = time_;
  }
  return next == kNever ? kNever : std::max(time_, next);
}

void Agents::run(Cycle end) {
  if (exact_) return reference_ ? run_exact_reference(end) : run_exact(end);
  while (time_ < end) {
    const Cycle next = next_event();
    if (next >= end) {
      time_ = end;
      break;
    }
    const Cycle start = quantum_start(next);
    run_quantum(start, start + kQuantumCycles);
    time_ = start + kQuantumCycles;
  }
  current_ = Agent::Host;
}

// Inbox, threads, harts, once each. A thing that one of them changes is seen by those behind it in this quantum and by
// those before it in the next.
void Agents::run_quantum(Cycle start, Cycle end) {
  quantum_start_ = start;
  rearm();
  current_ = Agent::Inbox;
  while (inbox_.next_arrival() < end) {
    const Message message = inbox_.pop();
    message_cycle_ = std::max(start, message.arrival);
    sink_.apply(message, message_cycle_);
    if (stops_) [[unlikely]]
      stops_->tell(message.source);
  }
  for (int thread = 0; thread < kThreads; ++thread) {
    current_ = agent_of_thread(thread);
    if (reference_) coprocessor_->threads[thread].wake();
    if (coprocessor_->threads[thread].waits_for == 0) {
      coprocessor_->run(thread, start, end);
      armed_ |= coprocessor_->threads[thread].waits_for;
      if (stops_) [[unlikely]]
        stops_->tell();
    }
  }
  for (Hart* hart : harts_) {
    if (interrupt_due(*hart)) interrupt(*hart);
    current_ = agent_of(hart->index());
    if (reference_ && hart->state().status == HartStatus::Blocked) hart->wake(start);
    if (!hart->state().running() && hart->alarm() >= end) continue;
    hart->run(start, end);
    armed_ |= hart->depends_on();
  }
}

// Before the hart's turn: harts are interrupted between quanta only.
void Agents::interrupt(Hart& hart) {
  if (hart.state().parked()) wake_hart(hart);
  hart.interrupt(pic_->next_handler(hart.index()));
}

// armed_ only grows inside a quantum; here it becomes exact again.
void Agents::rearm() {
  armed_ = 0;
  for (int thread = 0; thread < kThreads; ++thread) armed_ |= coprocessor_->threads[thread].waits_for;
  for (const Hart* hart : harts_) armed_ |= hart->depends_on();
}

// The cycle to which a sleeping hart is brought when it is looked at, or when what it reads is about to change. In a
// quantum: its start, if the hart has not run in it yet, otherwise its end. Between windows: the tile's time.
Cycle Agents::caught_up_to(const Hart& hart) const {
  if (current_ == Agent::Host) return time_;
  if (exact_) return next_turn(agent_of(hart.index()));
  const bool still_to_come = agent_of(hart.index()) > current_;
  return still_to_come ? quantum_start_ : quantum_start_ + kQuantumCycles;
}

// What the hart does meanwhile, it does itself, at its own time.
void Agents::wake_hart(Hart& hart) {
  if (observer_) observer_->released({tile_, agent_of(hart.index()), now()}, current_);
  const Cycle until = caught_up_to(hart);
  const Agent acting = std::exchange(current_, agent_of(hart.index()));
  hart.wake(until);
  current_ = acting;
  lower_limit(hart.state().cycle, agent_of(hart.index()));
}

void Agents::catch_up() {
  for (Hart* hart : harts_) {
    const Cycle until = caught_up_to(*hart);
    const Agent acting = std::exchange(current_, agent_of(hart->index()));
    hart->catch_up(until);
    current_ = acting;
  }
}

void Agents::wake_thread(int thread) {
  if (observer_) observer_->released({tile_, agent_of_thread(thread), now()}, current_);
  coprocessor_->threads[thread].wake();
  if (!exact_) return;
  Cycle& cycle = thread_cycle_[static_cast<size_t>(thread)];
  cycle = std::max(cycle, next_turn(agent_of_thread(thread)));
  lower_limit(cycle, agent_of_thread(thread));
}

void Agents::wake(WaitMask what) {
  for (int thread = 0; thread < kThreads; ++thread) {
    if (coprocessor_->threads[thread].waits_for & what) wake_thread(thread);
  }
  for (Hart* hart : harts_) {
    if (hart->depends_on() & what) hart->state().asleep() ? wake_hart(*hart) : hart->disturb();
  }
}

// A hart polls bytes, not lines: flags of several harts lie side by side, and each is written often.
void Agents::wake_readers(uint32_t line, L1::LineBytes written) {
  l1_.attributes()[line] &= static_cast<uint8_t>(~L1::kWatched);
  for (int thread = 0; thread < kThreads; ++thread) {
    if (coprocessor_->waits_for_line(thread, line)) wake_thread(thread);
  }
  bool still_watched = false;
  for (Hart* hart : harts_) {
    const L1::LineBytes read = hart->reads(line);
    if ((read & written) == 0) {
      still_watched |= read != 0;
    } else {
      hart->state().parked() ? wake_hart(*hart) : hart->disturb();
    }
  }
  if (still_watched) l1_.attributes()[line] |= L1::kWatched;
}

// A parked hart has executed its old code until now, so it is woken before the code is forgotten.
void Agents::invalidate_code(uint32_t harts) {
  for (Hart* hart : harts_) {
    if (!(harts >> arch::kIcInvalidateBit[static_cast<size_t>(hart->index())] & 1)) continue;
    if (hart->state().parked()) wake_hart(*hart);
    hart->invalidate_code();
  }
}

void Agents::before_write(uint32_t line, uint8_t attributes, L1::LineBytes written) {
  if (attributes & L1::kWatched) wake_readers(line, written);
  // A hart that was just woken may have decoded the line again while it caught up.
  if (l1_.attributes()[line] & L1::kDecoded) code_.drop(line);
  if (attributes & kStopping) stops_->before_write(line, written);
  if (attributes & kPrinting) prints_->before_write(tile_, current_, now(), line, written);
}

void Agents::tell_stops(AccessKind kind, uint32_t address, uint32_t bytes) { stops_->accessed(kind, address, bytes); }

// Between windows, when only the host acts.
void Agents::serialize(Archive& a) {
  a.machinery(time_, quantum_start_, message_cycle_, armed_, thread_cycle_);
  a.require(exact_ || time_ % kQuantumCycles == 0, "the time of a tile is not the end of a quantum");
}

}  // namespace kerr::emu
