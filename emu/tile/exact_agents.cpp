// Exact timing inside a tile: interactions happen in the order of (cycle, agent).
// docs/architecture.md "Inside a tile"
//
// Always the agent whose next step comes first runs, up to the next step of the second. It cannot be disturbed before:
// everybody else is later. What it does may call others in earlier than they had planned (lower_limit).
#include <algorithm>

#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/agents.hpp"
#include "emu/tile/tile_stops.hpp"

namespace kerr::emu {

namespace {

constexpr int kKeyAgentBits = 4;
constexpr std::array<Agent, kAgents - 1> kActing{Agent::Inbox,   Agent::Thread0, Agent::Thread1,
                                                 Agent::Thread2, Agent::Brisc,   Agent::Ncrisc,
                                                 Agent::Trisc0,  Agent::Trisc1,  Agent::Trisc2};

constexpr size_t hart_index(Agent agent) { return static_cast<size_t>(agent) - static_cast<size_t>(Agent::Brisc); }
constexpr int thread_index(Agent agent) { return static_cast<int>(agent) - static_cast<int>(Agent::Thread0); }

constexpr Agent agent_of(uint64_t key) { return static_cast<Agent>(key % (1u << kKeyAgentBits)); }

// (c, agent) comes before (cycle, other) if c is below this.
constexpr Cycle below(Agent agent, Cycle cycle, Agent other) { return cycle + (agent < other); }

}  // namespace

Agents::Key Agents::next_key(Agent agent) const {
  Cycle cycle = kNever;
  if (agent == Agent::Inbox) {
    cycle = inbox_.next_arrival();
  } else if (agent < Agent::Brisc) {
    const int thread = thread_index(agent);
    if (coprocessor_->threads[thread].waits_for == 0) cycle = thread_cycle_[static_cast<size_t>(thread)];
  } else {
    const Hart& hart = *harts_[hart_index(agent)];
    cycle = hart.state().running() ? hart.state().cycle : hart.alarm();
  }
  return cycle == kNever ? kNever : cycle << kKeyAgentBits | static_cast<Key>(agent);
}

Cycle Agents::next_step() const {
  Key first = kNever;
  for (const Agent agent : kActing) first = std::min(first, next_key(agent));
  return first == kNever ? kNever : first >> kKeyAgentBits;
}

void Agents::run_exact(Cycle end) {
  rearm();
  for (;;) {
    Key first = kNever;
    Key second = kNever;
    for (const Agent agent : kActing) {
      const Key key = next_key(agent);
      second = std::min(second, std::max(first, key));
      first = std::min(first, key);
    }
    const Cycle cycle = first >> kKeyAgentBits;
    if (first == kNever || cycle >= end) break;
    const Agent agent = agent_of(first);
    current_ = agent;
    limit_ = end;
    if (second != kNever) lower_limit(second >> kKeyAgentBits, agent_of(second));
    run_agent(agent, cycle, end);
  }
  time_ = std::max(time_, end);
  current_ = Agent::Host;
}

void Agents::run_agent(Agent agent, Cycle cycle, Cycle end) {
  current_ = agent;
  if (agent == Agent::Inbox) {
    const Message message = inbox_.pop();
    message_cycle_ = std::max(cycle, time_);
    sink_.apply(message, message_cycle_);
    if (stops_) [[unlikely]]
      stops_->tell(message.source);
  } else if (agent < Agent::Brisc) {
    const int thread = thread_index(agent);
    coprocessor_->run_exact(thread, thread_cycle_[static_cast<size_t>(thread)], limit_);
    armed_ |= coprocessor_->threads[thread].waits_for;
  } else {
    Hart& hart = *harts_[hart_index(agent)];
    hart.run_exact(cycle, end, limit_);
    armed_ |= hart.depends_on();
  }
  if (stops_) [[unlikely]]
    stops_->tell();
}

void Agents::lower_limit(Cycle cycle, Agent agent) { limit_ = std::min(limit_, below(current_, cycle, agent)); }

Cycle Agents::next_turn(Agent agent) const {
  return current_ == Agent::Host ? time_ : below(agent, now(), current_) + (agent == current_);
}

// A hart that may be interrupted asks before each instruction (exact_loop.cpp); one that is parked executes none.
void Agents::interrupts_changed() {
  if (!exact_) return;
  for (Hart* hart : harts_) {
    if (hart->state().parked() && interrupt_due(*hart)) wake_hart(*hart);
  }
}

bool Agents::may_be_ahead(arch::Hart hart) const {
  return exact_ && current_ != Agent::Host && current_ != agent_of(hart) &&
         harts_[static_cast<size_t>(hart)]->state().status != HartStatus::InReset;
}

Cycle Agents::start_of(Agent agent, Cycle now) {
  if (!exact_) return now;
  const Cycle start = next_turn(agent);
  lower_limit(start, agent);
  return start;
}

// Cycle by cycle everybody is tried.
void Agents::run_exact_reference(Cycle end) {
  for (; time_ < end; ++time_) {
    limit_ = time_ + 1;
    for (const Agent agent : kActing) {
      if (agent == Agent::Inbox) {
        while (inbox_.next_arrival() <= time_) run_agent(agent, time_, limit_);
      } else if (agent < Agent::Brisc) {
        const int thread = thread_index(agent);
        Cycle& cycle = thread_cycle_[static_cast<size_t>(thread)];
        if (coprocessor_->threads[thread].waits_for != 0) {
          coprocessor_->threads[thread].wake();
          cycle = time_;
        }
        if (cycle <= time_ && coprocessor_->threads[thread].waits_for == 0) run_agent(agent, time_, limit_);
      } else {
        Hart& hart = *harts_[hart_index(agent)];
        if (hart.state().status == HartStatus::Blocked) hart.wake(time_);
        if (hart.state().running() && hart.state().cycle <= time_) run_agent(agent, time_, limit_);
      }
    }
  }
  current_ = Agent::Host;
}

}  // namespace kerr::emu
