// Everything through which a machine sees the world.   docs/architecture.md "All input can be recorded"
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "emu/cycle.hpp"
#include "emu/server/host_memory.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// One event at the machine's border, with all that is needed to make it happen again, or to see that it did.
struct Input {
  enum class Kind : uint8_t {
    ConfigWrite,  // address, value in `bytes`
    Read,         // bar, address, length: reads can have side effects
    Write,        // bar, address, bytes
    TileRead,     // x, y, address, length
    TileWrite,    // x, y, address, bytes
    Reset,        // of the chip, by its caller
    Returned,     // what the read or write before gave back: outcome, hash of the bytes
    HostRead,     // the device read host memory: address, length, outcome, bytes
    HostWrite,    // the device wrote host memory: address, length, outcome, hash of the bytes
    Note,         // no input: the host has said what it does, in `bytes` (notes/note_writer.hpp)
    End,          // the recording ended here
  };
  enum class Outcome : uint8_t { Done, Refused, Threw };

  Kind kind = Kind::End;
  Outcome outcome = Outcome::Done;
  uint8_t chip = 0;  // of an access by the host
  uint8_t bar = 0;
  uint16_t x = 0, y = 0;
  uint32_t length = 0;
  Cycle cycle = 0;       // the machine's time
  uint64_t address = 0;  // offset in the BAR, address in the tile, or bus address
  uint64_t hash = 0;
  std::vector<uint8_t> bytes;

  void serialize(Archive& archive);
  /// "at cycle 512 a read of 64 bytes of host memory at 0x1000"
  std::string describe() const;
  friend bool operator==(const Input&, const Input&) = default;
};

/// Is told every input, in order: a Read or a Write before it is carried out, an access to host memory after it.
class InputSink {
 public:
  virtual void record(const Input& input) = 0;

 protected:
  ~InputSink() = default;
};

/// What identifies the inputs so far: two runs with the same number have seen the same.
uint64_t fold(uint64_t run, const Input& input);

/// Passes the chips' accesses on to the host's memory, and tells the machine of each.
class HostPort final : public HostMemory {
 public:
  using Tell = std::function<void(Input&&)>;
  /// `tell` gets outcome, length, address, and bytes or hash if `wanted()`.
  HostPort(HostMemory* memory, std::function<bool()> wanted, Tell tell)
      : memory_(memory), wanted_(std::move(wanted)), tell_(std::move(tell)) {}
  void set_memory(HostMemory* memory) { memory_ = memory; }
  bool read(uint64_t bus_address, std::span<uint8_t> out) override;
  bool write(uint64_t bus_address, std::span<const uint8_t> bytes) override;

 private:
  template <class Access>
  bool told(Input&& input, Access access, std::span<const uint8_t> got);

  HostMemory* memory_;
  std::function<bool()> wanted_;
  Tell tell_;
};

}  // namespace kerr::emu
