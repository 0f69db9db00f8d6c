// What a compute kernel includes: circular buffers, tiles in Dst, and what is calculated with them.   docs/guide/kernels-in-cpp.md
#pragma once

#include "device/compute/circular_buffers.hpp"
#include "device/compute/copy.hpp"
#include "device/compute/matmul.hpp"
#include "device/compute/pack.hpp"
#include "device/compute/start.hpp"
#include "device/compute/tile_registers.hpp"
#include "device/tensix.hpp"
