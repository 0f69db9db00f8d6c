// Kernels have nothing to write to; DPRINT compiles to nothing.
#pragma once
