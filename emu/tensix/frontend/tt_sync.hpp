// Automatic TTSync: which accesses of a TRISC wait for instructions that it pushed before.
// docs/hardware/tensix-datapath.md 5.7
#pragma once

#include <array>
#include <cstdint>

#include "emu/snapshot/archive.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// An access of a TRISC to what instructions of its own thread may touch too.
struct TrackedAccess {
  enum class Kind : uint8_t { Config, Gpr, Tdma };
  Kind kind;
  bool store;
  uint32_t word = 0;  // of configuration: from the start of the window
};

/// The resource set of each class of instructions, which RESOURCEDECL replaces, one thread's.
class TtSync {
 public:
  using Set = uint16_t;  // nine bits

  void declare(const isa::tensix::RESOURCEDECL& i) { classes_[i.op_class & 15] = static_cast<Set>(i.resources); }
  /// TENSIX_TRISC_SYNC (thread configuration word 56) tracks accesses of this kind.
  static bool tracks(uint16_t enables, TrackedAccess::Kind kind);
  /// The access has to wait for an instruction that is still on its way. `enables` as above.
  bool conflicts(uint32_t instruction, const TrackedAccess& access, uint16_t enables) const;
  bool conflicts_with_mop(const TrackedAccess& access) const { return clash(classes_[kMop], access); }
  bool conflicts_with_replay(const TrackedAccess& access) const { return clash(classes_[kReplay], access); }

  const std::array<Set, 16>& classes() const { return classes_; }
  void serialize(Archive& a) { a(classes_); }

 private:
  static constexpr unsigned kMop = 13, kReplay = 14;

  static bool clash(Set pending, const TrackedAccess& access);

  // Write and read of TDMA registers, of GPRs; configuration of other units, unpacker 1, unpacker 0; its write and
  // read.
  std::array<Set, 16> classes_{0b00'11'000'00, 0b00'11'000'00, 0b11'11'000'00, 0b00'11'000'00,
                               0b00'00'111'11, 0b00'01'000'00, 0b00'10'000'00, 0b10'00'000'00,
                               0b00'01'111'10, 0b00'10'111'01, 0b00'11'111'11, 0b11'00'111'01,
                               0b11'00'100'01, 0b11'11'111'11, 0b11'11'111'11, 0b00'00'100'01};
};

}  // namespace kerr::emu::tensix
