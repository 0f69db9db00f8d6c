// The generators by unit. A body sets up, executes the instruction a few times and shows what it may have changed.
#pragma once

#include <functional>
#include <map>
#include <string_view>

#include "oracle/instructions/maker.hpp"

namespace kerr::oracle {

using Bodies = std::map<std::string_view, std::function<void(CaseMaker&)>>;

void add_scalar_bodies(Bodies& out);      // scalar unit
void add_config_bodies(Bodies& out);      // configuration unit
void add_counter_bodies(Bodies& out);     // address and row counters
void add_sync_bodies(Bodies& out);        // sync unit and front end
void add_matrix_bodies(Bodies& out);      // matrix unit: arithmetic, moves, clears
void add_conversion_bodies(Bodies& out);  // unpackers and packer
void add_vector_bodies(Bodies& out);      // vector unit

/// For a mnemonic without a generator of its own: an encoding with any operands, sources valid.
void any_operands(CaseMaker& m, const isa::tensix::Row& row);

}  // namespace kerr::oracle
