// RV32 code for the data-movement harts from a loop program.              docs/reference/loop-programs.md "Path scalar"
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arch/harvesting.hpp"
#include "isa/code.hpp"
#include "loops/executable.hpp"
#include "loops/program.hpp"

namespace kerr::loops::scalar {

/// What is known of a launch's buffers, for which code is made.
struct Facts {
  /// For each parameter: parameters of the same number may have bytes in common; no others have.
  std::vector<uint32_t> object;
  /// For each parameter: its view begins at no multiple of its elements' size.
  std::vector<bool> misaligned;
  bool operator==(const Facts&) const = default;
};
/// Every parameter has bytes of its own, and is aligned.
Facts usual_facts(const Program& program);

/// A part of the memory that the code of a hart works in. It begins with what launch.cpp and memory.cpp agree on.
struct Code {
  arch::Harvesting harvesting;
  CompileOptions options;
  Facts facts;
  isa::Code text;            // of both harts; can be anywhere
  uint32_t l1_bytes = 0;     // of working memory for a hart
  uint64_t cycles_outside = 0, cycles_inside = 0;  // estimated instructions, and those of an iteration of the nest that is shared
  std::vector<std::string> remarks;  // for people: why it runs on one hart, what lies where

  /// Code for other facts, made when a launch first needs it; copies share it.
  struct Others;
  std::shared_ptr<Others> others;
};

/// Linear in the program's length. Throws std::invalid_argument for what no hart can run: code beyond 512 KiB.
Code compile(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options = {});
Code compile(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options, const Facts& facts);

/// For the blob of an executable. from_bytes throws std::invalid_argument for what to_bytes did not give.
std::vector<std::byte> to_bytes(const Code& code);
Code from_bytes(std::span<const std::byte> bytes);

/// Remarks, sizes, and the code with the program's lines, for people.
std::string explain(const Program& program, const Code& code);

}  // namespace kerr::loops::scalar
