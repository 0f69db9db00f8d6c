// Kernels that are checked before they run: code with circular buffers and semaphores, and what it is made of; planners of products.
#pragma once

#include "kerr/kernels/emit/circular_buffer_layout.hpp"
#include "kerr/kernels/emit/compute.hpp"
#include "kerr/kernels/emit/dataflow.hpp"
#include "kerr/kernels/emit/flow.hpp"
#include "kerr/kernels/emit/multicast.hpp"
#include "kerr/kernels/emit/packer.hpp"
#include "kerr/kernels/emit/unpacker.hpp"
#include "kerr/kernels/emit/vector_unit.hpp"
#include "kerr/kernels/emit/zone.hpp"
#include "kerr/kernels/ir/checked_program.hpp"
#include "kerr/kernels/ir/stream.hpp"
#include "kerr/kernels/matmul/matmul.hpp"
