// tt-metal's compute kernels may include the header of data movement; what they mean are arguments.
#pragma once

#include "device/hart.hpp"

#if KERR_HART < 2
#include "device/dataflow.hpp"
#else
#include "device/compute.hpp"
#endif
