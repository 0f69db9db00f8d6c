// Messages between tiles: what happens when all of them have reached the end of a window.   docs/architecture.md "Time"
#include <algorithm>
#include <utility>

#include "emu/machine/machine.hpp"
#include "emu/noc/fabric.hpp"

namespace kerr::emu {

void Machine::exchange(Outbox& outbox) {
  if (outbox.empty()) return;
  std::vector<Message>& messages = outbox.messages();
  if (!fabrics_.empty()) return fabrics_[messages.front().source.chip]->inject(messages);
  for (Message& message : messages) {
    message.arrival = relaxed_arrival(message, window_);
    route(std::move(message));
  }
  messages.clear();
}

void Machine::route(Message&& message) {
  message.arrival += reorder_.extra(message);
  Chip& chip = *chips_[message.destination.chip];
  if (chip.tiles.present(message.destination.node)) {
    chip.tiles.deliver(std::move(message));
  } else {
    next_request_ = std::min(next_request_, message.arrival);
    chip.server_at(message.destination.node).receive(std::move(message));
  }
}

// All tiles have reached `end`, and what they sent is with the fabric or has been delivered.
void Machine::pass_time(Cycle end) {
  if (fabrics_.empty()) {
    options_.observer ? pass_time<false, true>(end) : pass_time<false, false>(end);
  } else {
    options_.observer ? pass_time<true, true>(end) : pass_time<true, false>(end);
  }
}

template <bool kExact, bool kObserved>
void Machine::pass_time(Cycle end) {
  set_time(end);
  if constexpr (kExact) {
    for (auto& fabric : fabrics_) fabric->advance(end, delivered_);
    for (Message& message : delivered_) route(std::move(message));
    delivered_.clear();
  }
  const auto tell = [this](const Message& request) {
    if constexpr (kObserved) options_.observer->packet_arrived(request);
  };
  const Cycle horizon = end + lookahead_;
  if (next_request_ < horizon) {
    struct Recount {  // also if the host's memory throws
      Machine& machine;
      ~Recount() { machine.find_next_request(); }
    } const recount{*this};
    for (auto& chip : chips_) {
      for (Server* server : chip->servers()) {
        if (server->next_arrival() < horizon) server->serve(horizon, responses_, server_faults_, tell);
      }
    }
  }
  send_responses<kExact, kObserved>();
}

// Called at the start of a step too: the host's memory may have thrown when only a part of the requests was served.
void Machine::send_responses() {
  if (fabrics_.empty()) {
    options_.observer ? send_responses<false, true>() : send_responses<false, false>();
  } else {
    options_.observer ? send_responses<true, true>() : send_responses<true, false>();
  }
}

template <bool kExact, bool kObserved>
void Machine::send_responses() {
  if (responses_.empty()) return;
  if constexpr (kObserved) {
    for (const Message& response : responses_) options_.observer->packet_left(response);
  }
  if constexpr (kExact) {
    for (size_t chip = 0; chip < fabrics_.size(); ++chip) {
      std::vector<Message>& of_chip = delivered_;
      for (Message& response : responses_) {
        if (response.source.chip == chip) of_chip.push_back(std::move(response));
      }
      fabrics_[chip]->inject(of_chip);
    }
  } else {
    for (Message& response : responses_) {
      response.arrival = relaxed_arrival(response, window_);
      route(std::move(response));
    }
  }
  responses_.clear();
}

}  // namespace kerr::emu
