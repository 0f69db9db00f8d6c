// What kernels use of the system header.
#pragma once
#include <stddef.h>
#include <stdint.h>
