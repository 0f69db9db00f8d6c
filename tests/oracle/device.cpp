#include "tests/oracle/device.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace kerr::oracle {
namespace {

constexpr uint64_t kWindowBytes = 2 << 20;
constexpr uint64_t kWindowConfig = 0x1FC00000;
constexpr uint32_t kVendorAndDevice = 0xB1401E52;
constexpr uint32_t kSoftReset = 0xFFB121B0;
constexpr uint32_t kAllInReset = 0x47800;
constexpr uint32_t kResetPcTrisc0 = 0xFFB12228, kOverrideTrisc = 0xFFB12234;
constexpr uint32_t kResetPcNcrisc = 0xFFB12238, kOverrideNcrisc = 0xFFB1223C;

unsigned reset_bit(Hart hart) {
  switch (hart) {
    case Hart::Brisc: return 11;
    case Hart::Ncrisc: return 18;
    default: return 11 + static_cast<unsigned>(hart);
  }
}

uint32_t jump_from_zero(uint32_t target) {
  if (target >= 1 << 20 || target % 4) throw std::runtime_error("BRISC's code must lie below 1 MiB, aligned to 4");
  return 0x6F | (target & 0x7FE) << 20 | (target & 0x800) << 9 | (target & 0xFF000);
}

}  // namespace

Device::Device(Library& library) : library_(library) {
  library_.init();
  const uint32_t id = library_.config_rd32(0, 0);
  if (id != kVendorAndDevice) throw std::runtime_error("not a Blackhole: PCI id " + std::to_string(id));
  bar0_ = (library_.config_rd32(0, 0x10) & ~0xFu) | static_cast<uint64_t>(library_.config_rd32(0, 0x14)) << 32;
}

Device::~Device() { library_.exit(); }

uint64_t Device::window(TileXy tile, uint64_t address) {
  const uint64_t offset = address / kWindowBytes;
  const uint32_t entry[3] = {static_cast<uint32_t>(offset),
                             static_cast<uint32_t>(offset >> 32) | tile.x << 11 | tile.y << 17, 0};
  for (unsigned n = 0; n < 3; ++n) library_.mem_wr_bytes(bar0_ + kWindowConfig + 4 * n, &entry[n], 4);
  return bar0_ + address % kWindowBytes;
}

void Device::write(TileXy tile, uint64_t address, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const size_t n = std::min<size_t>(bytes.size(), kWindowBytes - address % kWindowBytes);
    library_.mem_wr_bytes(window(tile, address), bytes.data(), static_cast<uint32_t>(n));
    address += n;
    bytes = bytes.subspan(n);
  }
}

std::vector<uint8_t> Device::read(TileXy tile, uint64_t address, size_t bytes) {
  std::vector<uint8_t> out(bytes);
  for (size_t done = 0; done < bytes;) {
    const size_t n = std::min<size_t>(bytes - done, kWindowBytes - (address + done) % kWindowBytes);
    library_.mem_rd_bytes(window(tile, address + done), out.data() + done, static_cast<uint32_t>(n));
    done += n;
  }
  return out;
}

void Chip::write32(TileXy tile, uint64_t address, uint32_t value) {
  uint8_t bytes[4];
  std::memcpy(bytes, &value, 4);
  write(tile, address, bytes);
}

uint32_t Chip::read32(TileXy tile, uint64_t address) {
  uint32_t value = 0;
  std::memcpy(&value, read(tile, address, 4).data(), 4);
  return value;
}

void Chip::start(TileXy tile, std::span<const Start> harts) {
  stop(tile);
  uint32_t reset = kAllInReset;
  uint32_t override_trisc = 0;
  for (const Start& s : harts) {
    reset &= ~(1u << reset_bit(s.hart));
    if (s.hart == Hart::Brisc) {
      write32(tile, 0, jump_from_zero(s.pc));
    } else if (s.hart == Hart::Ncrisc) {
      write32(tile, kResetPcNcrisc, s.pc);
      write32(tile, kOverrideNcrisc, 1);
    } else {
      const unsigned thread = static_cast<unsigned>(s.hart) - static_cast<unsigned>(Hart::Trisc0);
      write32(tile, kResetPcTrisc0 + 4 * thread, s.pc);
      override_trisc |= 1u << thread;
    }
  }
  write32(tile, kOverrideTrisc, override_trisc);
  write32(tile, kSoftReset, reset);
}

void Chip::stop(TileXy tile) { write32(tile, kSoftReset, kAllInReset); }

}  // namespace kerr::oracle
