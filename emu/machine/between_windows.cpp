// Messages between tiles: what happens when all of them have reached the end of a window.   docs/architecture.md "Time"
#include <algorithm>
#include <utility>

#include "emu/machine/machine.hpp"
#include "emu/noc/fabric.hpp"
#include "emu/observe/print_listener.hpp"

namespace kerr::emu {

void Machine::exchange(Outbox& outbox) {
  if (outbox.empty()) return;
  std::vector<Message>& messages = outbox.messages();
  if (!state_.fabrics.empty()) return state_.fabrics[messages.front().source.chip]->inject(messages);
  for (Message& message : messages) {
    message.arrival = relaxed_arrival(message, window_);
    route(std::move(message));
  }
  messages.clear();
}

void Machine::route(Message&& message) {
  message.arrival += reorder_.extra(message);
  Chip& chip = *state_.chips[message.destination.chip];
  if (chip.tiles.present(message.destination.node)) {
    chip.tiles.deliver(std::move(message));
  } else {
    next_request_ = std::min(next_request_, message.arrival);
    chip.server_at(message.destination.node).receive(std::move(message));
  }
}

namespace {

// Server::serve() tells nobody, or an observer and a debugger.
struct Untold {
  void arrived(const Message&) const {}
  void served(const Message&) const {}
};
struct Told {
  Observer* observer;
  Debugger* debugger;
  void arrived(const Message& request) const {
    if (observer) observer->packet_arrived(request);
  }
  void served(const Message& request) const {
    if (observer) observer->served(request, request.arrival);
    if (debugger) debugger->served(request);
  }
};

}  // namespace

// All tiles have reached `end`, and what they sent is with the fabric or has been delivered.
void Machine::pass_time(Cycle end) {
  set_time(end);
  if (options_.prints) options_.prints->window_ended(end);
  for (auto& fabric : state_.fabrics) fabric->advance(end, delivered_);
  for (Message& message : delivered_) route(std::move(message));
  delivered_.clear();
  const Cycle horizon = end + lookahead_;
  if (next_request_ < horizon) {
    struct Recount {  // also if the host's memory throws
      Machine& machine;
      ~Recount() { machine.find_next_request(); }
    } const recount{*this};
    for (auto& chip : state_.chips) {
      for (Server* server : chip->servers()) {
        if (server->next_arrival() >= horizon) continue;
        if (options_.observer || debugger_) {
          server->serve(horizon, state_.responses, state_.server_faults, Told{options_.observer, debugger_});
        } else {
          server->serve(horizon, state_.responses, state_.server_faults, Untold{});
        }
      }
    }
  }
  send_responses();
}

// Called at the start of a step too: the host's memory may have thrown when only a part of the requests was served.
void Machine::send_responses() {
  if (state_.responses.empty()) return;
  if (options_.observer) {
    for (const Message& response : state_.responses) {
      options_.observer->packet_left({.tile = response.source, .agent = Agent::Units, .cycle = response.sent}, response,
                                     Observer::kNoBuffer);
    }
  }
  for (size_t chip = 0; chip < state_.fabrics.size(); ++chip) {
    std::vector<Message>& of_chip = delivered_;
    for (Message& response : state_.responses) {
      if (response.source.chip == chip) of_chip.push_back(std::move(response));
    }
    state_.fabrics[chip]->inject(of_chip);
  }
  if (state_.fabrics.empty()) {
    for (Message& response : state_.responses) {
      response.arrival = relaxed_arrival(response, window_);
      route(std::move(response));
    }
  }
  state_.responses.clear();
}

void Machine::collect_faults() {
  if (!state_.server_faults.any() && !fault_seen_.load(std::memory_order_relaxed)) return;
  for (Fault& fault : state_.server_faults.take()) state_.faults.push_back(std::move(fault));
  if (fault_seen_.exchange(false, std::memory_order_relaxed)) {
    for (auto& chip : state_.chips) {
      for (const uint8_t node : chip->tiles.nodes()) {
        for (Fault& fault : chip->tiles.find(node)->faults().take()) state_.faults.push_back(std::move(fault));
      }
    }
  }
  std::stable_sort(state_.faults.begin(), state_.faults.end());
}

}  // namespace kerr::emu
