// What kernels/calls.cpp is asked to do.
#pragma once

#include <stdint.h>

enum class Case : uint32_t {
  WhoAmI,
  Reads,
  Writes,
  DramGenerators,
  L1Generators,
  Shards,
  Multicasts,
  Semaphores,
  InlineWrites,
  Buffers,
  Library,
};
