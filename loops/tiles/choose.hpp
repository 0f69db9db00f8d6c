// Whether a program runs on the vector or matrix unit.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "loops/tiles/plan.hpp"

namespace kerr::loops::tiles {

/// The decision for certain numbers in place of a program's variables.
struct Choice {
  Program bound;
  std::unique_ptr<const Plan> plan;  // none: no way, or scalar code is expected to be quicker
  std::string why;                   // in a sentence, for people; of either
};

/// The choices of a program. Thread-safe.
class Choices {
 public:
  /// `program` must outlive this. `options`: what is forced and what is forbidden.
  Choices(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options)
      : program_(program), harvesting_(harvesting), options_(options) {}

  /// `numbers`: one for each variable. The last ones are kept; without them, or while another thread looks them up, it
  /// plans, which takes milliseconds.
  std::shared_ptr<const Choice> of(std::span<const int64_t> numbers);
  /// Lines for people: the steps of a plan, and why it is taken or why there is none.
  std::string explain();

 private:
  struct Kept {
    std::vector<int64_t> numbers;
    std::shared_ptr<const Choice> choice;
  };
  std::shared_ptr<const Choice> choose(std::span<const int64_t> numbers) const;

  const Program& program_;
  const arch::Harvesting harvesting_;
  const CompileOptions options_;
  std::mutex mutex_;
  std::vector<Kept> kept_;  // the one used last stands last
};

}  // namespace kerr::loops::tiles
