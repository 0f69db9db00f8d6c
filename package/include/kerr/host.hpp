// Devices, Chip, buffers, Program and CommandQueue.
#pragma once

#include "kerr/host/device/emulated_device.hpp"
#include "kerr/host/device/library_device.hpp"
#include "kerr/host/error.hpp"
#include "kerr/host/runtime/chip.hpp"
#include "kerr/host/runtime/cq/command_queue.hpp"
#include "kerr/host/runtime/program/multicast.hpp"
#include "kerr/host/runtime/program/program.hpp"
#include "kerr/isa/assembler.hpp"
