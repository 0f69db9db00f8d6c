// The debug unit of a hart, by the accesses that tt-exalens makes over the NoC.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace kerr::debug_unit {

class Unit {
 public:
  using Read = std::function<uint32_t(uint32_t address)>;
  using Write = std::function<void(uint32_t address, uint32_t value)>;

  /// `risc`: 0 BRISC, 1 to 3 TRISC0 to TRISC2.
  Unit(Read read, Write write, uint32_t risc) : read_(std::move(read)), write_(std::move(write)), risc_(risc) {}

  // Registers by number: status 0, command 1, arguments 2 and 3, result 4, modes 5, addresses 10 to 17.
  uint32_t read(uint32_t number) {
    trigger(0x8000'0000 + (risc_ << 17) + number);
    valid_ = (read_(kStatus0) >> 30 & 1) != 0;
    return read_(kStatus1);
  }
  void write(uint32_t number, uint32_t value) {
    write_(kControl1, value);
    trigger(0x8001'0000 + (risc_ << 17) + number);
  }
  bool was_valid() const { return valid_; }

  void command(uint32_t bits) { write(1, kDebugMode + bits); }
  bool is_halted() { return (read(0) & 1) != 0; }
  uint32_t read_register(uint32_t index) {
    write(2, index);
    command(0x8);
    return read(4);
  }
  void write_register(uint32_t index, uint32_t value) {
    write(3, value);
    write(2, index);
    command(0x10);
  }
  uint32_t read_memory(uint32_t address) {
    write(2, address);
    command(0x20);
    return read(4);
  }
  void write_memory(uint32_t address, uint32_t value) {
    write(3, value);
    write(2, address);
    command(0x40);
  }
  /// By the debug bus, as it does on Blackhole.
  uint32_t pc() {
    constexpr uint32_t kSignals[] = {11, 13, 15, 17};
    return pc_of_signal(kSignals[risc_]);
  }
  /// Likewise of a hart of an Ethernet tile.
  uint32_t ethernet_pc() { return pc_of_signal(19 + 2 * risc_); }
  uint32_t pc_of_signal(uint32_t signal) {
    write_(0xFFB1'2054, 1u << 29 | 1u << 25 | 7u << 16 | signal);
    return read_(0xFFB1'205C) & 0x3FFF'FFFF;
  }

 private:
  static constexpr uint32_t kControl0 = 0xFFB1'2080, kControl1 = 0xFFB1'2084, kStatus0 = 0xFFB1'2088,
                            kStatus1 = 0xFFB1'208C, kDebugMode = 0x8000'0000;
  void trigger(uint32_t control) {
    write_(kControl0, control);
    write_(kControl0, 0);
  }

  Read read_;
  Write write_;
  uint32_t risc_;
  bool valid_ = false;
};

}  // namespace kerr::debug_unit
