// The first thing that a hart or thread does otherwise in the second of two runs.   docs/guide/compare-two-runs.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/finding.hpp"
#include "diff/event.hpp"
#include "diff/states.hpp"

namespace kerr::diff {

/// One agent's event in each of the two runs; nothing: it does no more there.
struct Parting {
  struct Side {
    Event event{};
    check::Site site{};    // kernel, function and line as far as notes or symbols name them
    std::string object{};  // what lies at the address: "argument 3 of reader"; empty: nobody named it
  };
  Place place;
  std::optional<Side> a{}, b{};
  std::optional<Side> before{};  // the agent's last event that was the same, in A; nothing: none since the begin
  uint64_t equal = 0;            // events of the agent that were the same, since the begin
};

struct Events {
  emu::Cycle begin = 0;            // where comparing began: up to there the states were equal
  uint64_t equal = 0;              // events of all agents that were the same
  std::optional<Parting> first{};  // of harts and threads: the earliest in A. Nothing: they all do the same
  std::optional<Parting> data{};   // the earliest packet into a tile that brings other bytes, or another packet
  std::vector<Place> others{};     // agents whose next event differs as well, in the order of the grid
  bool gave_up = false;            // the runs drifted apart too far before a difference was certain
};

/// Replays both logs from where `states` says that they are equal. Throws emu::SnapshotError if a log is damaged.
Events compare_events(const std::string& a, const std::string& b, const Inputs& inputs, const States& states);

}  // namespace kerr::diff
