#include "check/agent_clocks.hpp"

namespace kerr::check {

bool AgentClock::hand_store(Clock& reader, uint32_t number) {
  const Event store{clock_.place(), component_, number};
  if (reader.knows(store)) return false;
  for (const auto& [until, snapshot] : history_) {
    if (number <= until) return reader.join(*snapshot, store);
  }
  return reader.join(*clock_.snapshot(), store);
}

}  // namespace kerr::check
