// Zones inside kernels: where a hart's time goes.   arch/profiler.hpp
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

#include "arch/profiler.hpp"
#include "isa/assembler.hpp"

namespace kerr::kernels {

enum class Zone : uint32_t { Kernel = 1, Read, Multiply, Pack, Write, Send, Receive };

constexpr std::string_view name(Zone zone) {
  constexpr std::string_view kNames[] = {"zone", "kernel", "read", "multiply", "pack", "write", "send", "receive"};
  const auto number = static_cast<uint32_t>(zone);
  return kNames[number < std::size(kNames) ? number : 0];
}

/// Marks of one kernel, or nothing at all if `on` is false. A mark takes about fifteen instructions and clobbers
/// t0..t2; when the hart's buffer in L1 is full, later marks are dropped.
struct ZoneMarks {
  bool on = false;
  arch::Hart hart = arch::Hart::Brisc;

  void begin(isa::Assembler& a, Zone zone) const { mark(a, static_cast<uint32_t>(zone)); }
  void end(isa::Assembler& a, Zone zone) const { mark(a, static_cast<uint32_t>(zone) | arch::profiler::kZoneEnd); }

 private:
  void mark(isa::Assembler& a, uint32_t id) const;
};

}  // namespace kerr::kernels
