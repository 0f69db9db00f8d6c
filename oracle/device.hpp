// A chip behind the C ABI as a test sees it: bytes of a tile, harts in and out of reset, time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/memory_map.hpp"
#include "host/device/library_abi.hpp"

namespace kerr::oracle {

struct TileXy {
  unsigned x = 1, y = 2;  ///< translated coordinates; the default is the first Tensix tile
};

using arch::Hart;

/// The number of a hart in scripts, at done_address() and in recorded checksums: B, T0, T1, T2, NC.
constexpr unsigned place_of(Hart hart) {
  return hart == Hart::Brisc ? 0 : hart == Hart::Ncrisc ? 4 : static_cast<unsigned>(hart) - 1;
}

/// What a test needs of a chip: tiles' memory and registers, and time.
class Chip {
 public:
  virtual ~Chip() = default;

  /// Any bytes of L1 (or GDDR), or single aligned words of a tile's registers.
  virtual void write(TileXy tile, uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual std::vector<uint8_t> read(TileXy tile, uint64_t address, size_t bytes) = 0;
  virtual void clock(uint32_t cycles) = 0;

  void write32(TileXy tile, uint64_t address, uint32_t value);
  uint32_t read32(TileXy tile, uint64_t address);

  /// Lets `harts` of a tile out of reset, starting at the given L1 addresses: plants BRISC's jump at address 0 and
  /// sets the others' reset PCs with their override bits. All harts of the tile are put into reset first.
  struct Start {
    Hart hart;
    uint32_t pc;
  };
  void start(TileXy tile, std::span<const Start> harts);
  void stop(TileXy tile);
};

class Device final : public Chip {
 public:
  /// Loads and initialises a library; one process can hold one initialised library of a path. The destructor calls its
  /// exit function. Throws std::runtime_error.
  explicit Device(const std::string& library);
  ~Device() override;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void write(TileXy tile, uint64_t address, std::span<const uint8_t> bytes) override;
  std::vector<uint8_t> read(TileXy tile, uint64_t address, size_t bytes) override;
  void clock(uint32_t cycles) override { library_.clock(cycles); }

 private:
  uint64_t window(TileXy tile, uint64_t address);  // programs window 0, returns the bus address

  host::LibraryAbi library_;
  uint64_t bar0_;
};

/// The path in the environment variable KERR_ORACLE, or an empty string.
std::string library_from_environment();

}  // namespace kerr::oracle
