// RV32 code for the data-movement harts from a loop program.              docs/reference/loop-programs.md "Path scalar"
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/harvesting.hpp"
#include "isa/code.hpp"
#include "loops/executable.hpp"
#include "loops/program.hpp"
#include "loops/scalar/nest.hpp"
#include "loops/scalar/sharing.hpp"

namespace kerr::loops::scalar {

/// What is known of a launch's buffers, for which code is made.
struct Facts {
  /// For each parameter: parameters of the same number may have bytes in common; no others have.
  std::vector<uint32_t> object;
  /// For each parameter: its view begins at no multiple of the size of the elements that it is seen as.
  std::vector<bool> misaligned;
  bool operator==(const Facts&) const = default;
};
/// Every parameter has bytes of its own, and is aligned.
Facts usual_facts(const Program& program);

struct Code {
  arch::Harvesting harvesting;
  CompileOptions options;
  Facts facts;
  std::shared_ptr<const Program> hoisted;       // what it is code of, if that is not the program as it was written
  isa::Code text;                               // of both harts; can be anywhere
  uint32_t work_bytes = 0;                      // of working memory in L1, for a hart
  Nest nest;                                    // for people: a launch finds it again
  std::optional<Sharing> sharing;               // nothing: it depends on the program's variables
  uint64_t instructions_worth_a_hart = 20'000;  // estimated; a launch takes no hart for less. 0: as many as it can
  std::vector<std::string> remarks;             // for people: what lies where

  /// Code for other facts, made when a launch first needs it; copies share it.
  struct Others;
  std::shared_ptr<Others> others;
};

/// Linear in the program's length. Throws std::invalid_argument for what no hart can run: code beyond 512 KiB.
Code compile(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options = {});
/// `places`: so many, far from each other, are loaded from in turn, again and again, each a little further. 0: nobody
/// knows.
Code compile(const Program& program, const arch::Harvesting& harvesting, const CompileOptions& options,
             const Facts& facts, uint64_t places = 0);

/// Remarks, sizes, and the code with the program's lines, for people.
std::string explain(const Program& program, const Code& code);

}  // namespace kerr::loops::scalar
