// What kerr run prints and writes of a run: its end, registers and memory.
#pragma once

#include <string>

#include "jobs/run/run.hpp"
#include "report/json.hpp"

namespace kerr::cli {

/// "returned", "faulted", ... of a hart and of the run.
std::string_view name_of(jobs::RunHart::End end);
std::string_view name_of(jobs::RunOutcome::End end);

/// The registers of a hart, four in a line; those of float only if one is not zero.
std::string registers_text(const jobs::RunHart& hart, const std::string& indent);
/// Lines of an address (in pages of DRAM: of an offset) and what is there: hexadecimal words if nothing else is asked
/// for.
std::string memory_text(const jobs::PlacedData& asked, const jobs::RunDump& dump, const std::string& indent);

report::Json registers_json(const jobs::RunHart& hart);
report::Json memory_json(const jobs::PlacedData& asked, const jobs::RunDump& dump);

}  // namespace kerr::cli
