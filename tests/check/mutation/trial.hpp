// A run of a mutant before the eyes of the checker, and what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emu/observe/observer.hpp"
#include "tests/check/mutation/mutating_device.hpp"
#include "tests/check/mutation/subject.hpp"

namespace kerr::mutation {

enum class Outcome : uint8_t {
  Found,       // a report has a site in the function that was changed
  Stuck,       // the run does not end, and what is said of that names the place: see is_named() in trial.cpp
  Elsewhere,   // there are reports, but of other places
  Hangs,       // the run does not end, or faults, and nothing names the place
  Missed,      // the result is wrong, and the checker says nothing
  Unlooked,    // the result is right and the checker says nothing; it does not look at what was ordered
  Equivalent,  // the result is right, and each two accesses that conflict are still ordered: by something else
};
inline constexpr int kOutcomes = 7;
std::string_view name(Outcome outcome);

/// Instructions that harts have executed somewhere. Not for shards.
class Executed final : public emu::Observer {
 public:
  bool has(arch::Hart hart, uint32_t pc, uint32_t word) const {
    return all_.contains({static_cast<int>(hart), pc, word});
  }
  void retired(const emu::Actor& actor, uint32_t pc, uint32_t word) override {
    all_.emplace(static_cast<int>(actor.agent) - static_cast<int>(emu::Agent::Brisc), pc, word);
  }

 private:
  std::set<std::tuple<int, uint32_t, uint32_t>> all_;
};

/// The run as it should be.
struct Plain {
  std::vector<std::byte> result;
  uint64_t cycles = 0;
  std::vector<Loaded> loaded;
  Executed executed;
  std::string findings;  // is to be empty
};
Plain run_plain(const Subject& subject);

struct Trial {
  Outcome outcome{};
  std::string text{};    // "race, in-flight", or how the run ended
  std::string report{};  // of a run that does not end: what waits for what
};
/// Throws std::logic_error if the changed text was never loaded.
Trial run_mutant(const Subject& subject, const Plain& plain, const Loaded& target, const Mutant& mutant);

/// A mutant, and the subjects that execute what it changes.
struct Case {
  struct Place {
    const Subject* subject = nullptr;
    const Plain* plain = nullptr;
    const Loaded* target = nullptr;
  };
  std::vector<Place> places;
  Mutant mutant{};
};
/// Each site of each image once. `plains`: of all subjects, in their order.
std::vector<Case> all_cases(const std::vector<Plain>& plains);
/// In one subject after the other until one shows it, or has a wrong result.
Trial run_case(const Case& c);
/// The fences of one image, all taken out at once. If that is equivalent, each of them is: what is ordered without all
/// of them is ordered without one.
struct Fences {
  Case together;
  std::vector<size_t> each;  // indices of the cases
};
std::vector<Fences> fences_of(const std::vector<Case>& cases);

/// How often each kind of change came to what.
using Table = std::array<std::array<uint32_t, kOutcomes>, kKinds>;
std::string text(const Table& table);
/// How many of those that take some order away were found or stuck: of waits for transfers, flags and counters, of all
/// waits, and of all. Those of which the checker looks at nothing are told apart.
std::string shares(const Table& table);

}  // namespace kerr::mutation
