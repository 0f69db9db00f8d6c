// The commands of kerr, each made in the file of its name.
#pragma once

#include <memory>

#include "cli/command.hpp"

namespace kerr::cli {

std::unique_ptr<Command> make_asm();
std::unique_ptr<Command> make_check_edges();
std::unique_ptr<Command> make_check_explain();
std::unique_ptr<Command> make_check_rules();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_cq_dump();
std::unique_ptr<Command> make_devices();
std::unique_ptr<Command> make_diff();
std::unique_ptr<Command> make_disasm();
std::unique_ptr<Command> make_eval();
std::unique_ptr<Command> make_info();
std::unique_ptr<Command> make_isa();
std::unique_ptr<Command> make_kernel_show();
std::unique_ptr<Command> make_loops_check();
std::unique_ptr<Command> make_loops_run();
std::unique_ptr<Command> make_loops_show();
std::unique_ptr<Command> make_map();
std::unique_ptr<Command> make_matmul();
std::unique_ptr<Command> make_replay();
std::unique_ptr<Command> make_report();
std::unique_ptr<Command> make_reset();
std::unique_ptr<Command> make_run();
std::unique_ptr<Command> make_debug();
std::unique_ptr<Command> make_smi();
std::unique_ptr<Command> make_snapshot();
std::unique_ptr<Command> make_sweep_eval();
std::unique_ptr<Command> make_sweep_matmul();
std::unique_ptr<Command> make_timing_show();

}  // namespace kerr::cli
