// Kernels that are checked before they run: code with circular buffers and semaphores, and what it is made of; planners
// of products.
#pragma once

#include "kerr/isa/text/assemble.hpp"
#include "kerr/kernels/blocks/circular_buffer_layout.hpp"
#include "kerr/kernels/blocks/compute.hpp"
#include "kerr/kernels/blocks/config.hpp"
#include "kerr/kernels/blocks/dataflow.hpp"
#include "kerr/kernels/blocks/dst_section.hpp"
#include "kerr/kernels/blocks/flow.hpp"
#include "kerr/kernels/blocks/frame.hpp"
#include "kerr/kernels/blocks/multicast.hpp"
#include "kerr/kernels/blocks/packer.hpp"
#include "kerr/kernels/blocks/unpacker.hpp"
#include "kerr/kernels/blocks/vector_unit.hpp"
#include "kerr/kernels/blocks/zone.hpp"
#include "kerr/kernels/elementwise/streams.hpp"
#include "kerr/kernels/matmul/matmul.hpp"
#include "kerr/kernels/stream/checked_program.hpp"
#include "kerr/kernels/stream/registers.hpp"
#include "kerr/kernels/stream/stream.hpp"
#include "kerr/kernels/vector/functions.hpp"
