// Kernels of BRISC and NCRISC: arguments, circular buffers, the NoC. The names are tt-metal's where the meaning is.
// docs/guide/kernels-in-cpp.md
#pragma once

#include "device/arguments.hpp"
#include "device/circular_buffer.hpp"
#include "device/noc/address.hpp"
#include "device/noc/barriers.hpp"
#include "device/noc/read.hpp"
#include "device/noc/write.hpp"
