// Registers of the 64 overlay streams. Streams are never started: the registers are storage and accumulators.
// docs/hardware/tile.md 5
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "arch/stream_registers.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

class StreamRegisters {
 public:
  StreamRegisters(WaitBoard& board, Reporter& reporter) : board_(board), reporter_(reporter) {}

  /// `offset` from FFB40000, below 0x40000, a multiple of 4. `over_noc`: debuggers read whole streams, in which what
  /// is write only or nothing is 0; a hart that loads it is faulted.
  Access load(uint32_t offset, uint32_t& value, bool over_noc) const;
  Access store(uint32_t offset, uint32_t value);
  /// Every register that can be loaded is pure.
  WaitMask watch_of(uint32_t offset) const { return wait::stream(offset / arch::kStreamStride); }

  /// "stream 8 register 10 (REMOTE_DEST_BUF_SIZE)"
  static std::string name(uint32_t offset);
  void serialize(Archive& archive);

 private:
  static constexpr int kStored = 42;           // configuration registers 0..41
  static constexpr int kMulticastStreams = 4;  // streams 0..3 have 32 accumulators
  static constexpr int kDestinations = 32;

  struct Stream {
    std::array<uint32_t, kStored> registers{};
    uint32_t read_pointer_shadow = 0;  // status register 262
    uint32_t scratch32 = 0;
    uint32_t space = 0;  // register 297
    void serialize(Archive& a) { a(registers, read_pointer_shadow, scratch32, space); }
  };
  struct Bank {
    std::array<Stream, arch::kStreams> streams{};
    std::array<std::array<uint32_t, kDestinations - 1>, kMulticastStreams> more_space{};  // registers 298..328
    void serialize(Archive& a) { a(streams, more_space); }
  };

  /// A status register of a stream that is idle; false: there is none of that number.
  bool load_status(int stream, int reg, uint32_t& value) const;
  Access refuse(uint32_t offset, const char* action, const char* why) const;
  Access store_configuration(uint32_t offset, int stream, int reg, uint32_t value);
  Access add_space(uint32_t offset, int stream, uint32_t value);

  WaitBoard& board_;
  Reporter& reporter_;
  std::unique_ptr<Bank> bank_;  // made by the first store: a tile that nobody touches costs nothing
};

}  // namespace kerr::emu
