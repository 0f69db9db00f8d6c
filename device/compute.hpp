// What a compute kernel includes: circular buffers, tiles in Dst, and what is calculated with them. One source is
// compiled three times; UNPACK((...)), MATH((...)) and PACK((...)) are what only one hart does.
// docs/guide/kernels-in-cpp.md
#pragma once

#include "device/arguments.hpp"
#include "device/compute/binary.hpp"
#include "device/compute/broadcast.hpp"
#include "device/compute/circular_buffers.hpp"
#include "device/compute/copy.hpp"
#include "device/compute/matmul.hpp"
#include "device/compute/matmul_blocks.hpp"
#include "device/compute/pack.hpp"
#include "device/compute/reconfigure.hpp"
#include "device/compute/reduce.hpp"
#include "device/compute/start.hpp"
#include "device/compute/tile_registers.hpp"
#include "device/compute/transpose.hpp"
#include "device/compute/untilize.hpp"
#include "device/compute/vector_functions.hpp"
#include "device/compute/vector_values.hpp"
#include "device/constants.hpp"
#include "device/debug.hpp"
#include "device/division.hpp"
#include "device/tensix.hpp"
