// Options that several commands have. One of the emulator is a member of its options and a line in options.cpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "arch/boards.hpp"
#include "cli/syntax/syntax.hpp"
#include "emu/timing/parameters.hpp"
#include "jobs/device.hpp"
#include "jobs/matmul.hpp"
#include "kernels/format.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::cli {

void add_board(Syntax& syntax, arch::Board& board);
/// Which chip: the board of an emulated one, a library, or a card.
void add_chip(Syntax& syntax, jobs::DeviceSpec& device);
Option add_threads(Syntax& syntax, int& threads);
/// `file`: its name, for messages.
Option add_timing_parameters(Syntax& syntax, emu::timing::Parameters& parameters, std::string& file);

/// The chip that programs run on, and how it is emulated.
struct DeviceOptions {
  void declare(Syntax& syntax);

  jobs::DeviceSpec spec;
  std::string timing_parameters_file;
  bool observe = false;
};

void add_seed(Syntax& syntax, uint64_t& seed);
void add_cores(Syntax& syntax, uint32_t& cores);
void add_plan(Syntax& syntax, jobs::Planner& planner);
void add_slow_dispatch(Syntax& syntax, bool& slow_dispatch);
void add_fp32(Syntax& syntax, bool& fp32_accumulate);

struct NamedFidelity {
  const char* name;
  kernels::Fidelity fidelity;
};
inline constexpr NamedFidelity kFidelities[] = {{"lofi", kernels::Fidelity::LoFi},
                                                {"hifi2", kernels::Fidelity::HiFi2},
                                                {"hifi3", kernels::Fidelity::HiFi3},
                                                {"hifi4", kernels::Fidelity::HiFi4}};
/// Fidelity and accumulation. `given`: becomes true if the fidelity is.
void add_fidelity(Syntax& syntax, kernels::MatmulOptions& options, bool* given = nullptr);
void add_format(Syntax& syntax, const char* name, kernels::Format& format,
                std::initializer_list<kernels::Format> formats, const char* help);
/// --format of an expression.
void add_element_format(Syntax& syntax, kernels::Format& format);

}  // namespace kerr::cli
