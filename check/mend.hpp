// What would order two accesses, tried on a copy of what the second one's agent knows.
// docs/architecture.md "Checking"
#pragma once

#include <string>
#include <vector>

#include "check/finding.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

/// A wait of a hart for a counter of an NIU.
struct Wait {
  int noc = 0;
  int counter = 0;  // arch/noc_registers.hpp
  emu::Cycle cycle = 0;
  uint32_t pc = 0, word = 0;
};

/// "NIU_MST_RD_RESP_RECEIVED of NoC 0".
std::string counter_text(int noc, int counter);

struct Advice {
  std::vector<std::string> order;  // why nothing orders the two
  Mend mend;
};

/// For an access `then` that does not come behind `first`. `knows`: the clock of who does `then`. The mend is verified
/// if a clock that had waited as it says would know `first`.
Advice advise(const Stamp& first, const Stamp& then, const Clock& knows, const TransferDirectory& transfers);

/// The same as a line of Finding::order for the issuer's last wait before `then`; empty: it says nothing. `at`: where
/// that wait is, "reader.cpp:68".
std::string wait_text(const Transfer& transfer, Part part, const Wait& wait, const std::string& at);

}  // namespace kerr::check
