// What the coprocessor can reach of its tile besides L1: STOREREG, LOADREG and the indirect forms.
#pragma once

#include <cstdint>

#include "emu/access.hpp"

namespace kerr::emu {

/// Implemented by emu/tile.
class CoprocessorBus {
 public:
  virtual Access load(uint32_t address, BusReply& reply) = 0;
  virtual Access store(uint32_t address, uint32_t value, BusReply& reply) = 0;

 protected:
  ~CoprocessorBus() = default;
};

}  // namespace kerr::emu
