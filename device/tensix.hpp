// The coprocessor from the code of a TRISC, instruction by instruction.   docs/guide/kernels-in-cpp.md
#pragma once

#include "device/tensix/config.hpp"
#include "device/tensix/issue.hpp"
#include "device/tensix/mop.hpp"
#include "device/tensix/sync.hpp"
