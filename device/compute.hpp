// Kernels of the three TRISCs. One source is compiled three times; UNPACK(...), MATH(...) and PACK(...) are what only one
// of them executes. docs/guide/kernels-in-cpp.md
#pragma once

#include "device/arguments.hpp"
#include "device/circular_buffer_interface.hpp"
#include "device/formats.hpp"

#define MAIN kernel_main()
#define NAMESPACE kerr_compiled
