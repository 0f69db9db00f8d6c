// Kernels of BRISC and NCRISC: arguments, circular buffers, the NoC. The names are tt-metal's where the meaning is.
// docs/guide/kernels-in-cpp.md
#pragma once

// What tt-metal's header brings along.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/arguments.hpp"
#include "device/circular_buffer.hpp"
#include "device/constants.hpp"
#include "device/debug.hpp"
#include "device/division.hpp"
#include "device/experimental.hpp"
#include "device/noc/address.hpp"
#include "device/noc/barriers.hpp"
#include "device/noc/inline_write.hpp"
#include "device/noc/multicast.hpp"
#include "device/noc/pages.hpp"
#include "device/noc/read.hpp"
#include "device/noc/semaphores.hpp"
#include "device/noc/tensor_accessor.hpp"
#include "device/noc/tile_blocks.hpp"
#include "device/noc/transactions.hpp"
#include "device/noc/write.hpp"
#include "device/position.hpp"
#include "device/streams.hpp"
#include "device/uses.hpp"

static_assert(kerr::device::kMovesData,
              "<kerr/device/dataflow.hpp> is for kernels of BRISC and NCRISC (HART brisc or ncrisc); "
              "those of HART compute include <kerr/device/compute.hpp>");
