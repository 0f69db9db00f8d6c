// Zones inside kernels: where a hart's time goes.   arch/profiler.hpp
#pragma once

#include <cstdint>
#include <string_view>

#include "arch/profiler.hpp"
#include "isa/assembler.hpp"

namespace kerr::kernels {

enum class Zone : uint32_t { Kernel = 1, Read, Multiply, Pack, Write, Send, Receive };

constexpr std::string_view name(Zone zone) {
  switch (zone) {
    case Zone::Kernel: return "kernel";
    case Zone::Read: return "read";
    case Zone::Multiply: return "multiply";
    case Zone::Pack: return "pack";
    case Zone::Write: return "write";
    case Zone::Send: return "send";
    case Zone::Receive: return "receive";
  }
  return "zone";
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
