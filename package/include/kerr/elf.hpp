// Kernels from ELF files.
#pragma once

#include "kerr/image/elf/reader.hpp"
