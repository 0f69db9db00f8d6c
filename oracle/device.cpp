#include "oracle/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "arch/pcie.hpp"
#include "arch/tile_registers.hpp"

namespace kerr::oracle {
namespace {

constexpr uint64_t kWindowBytes = 2 << 20;
constexpr uint32_t kVendorAndDevice = arch::pcie::kVendorId | arch::pcie::kDeviceId << 16;

uint32_t jump_from_zero(uint32_t target) {
  if (target >= 1 << 20 || target % 4) throw std::runtime_error("BRISC's code must lie below 1 MiB, aligned to 4");
  return arch::jal_word(target);
}

}  // namespace

Device::Device(const std::string& library) : library_(library) {
  library_.init();
  const uint32_t id = library_.config_read(0, 0);
  if (id != kVendorAndDevice) throw std::runtime_error("not a Blackhole: PCI id " + std::to_string(id));
  bar0_ = (library_.config_read(0, 0x10) & ~0xFu) | static_cast<uint64_t>(library_.config_read(0, 0x14)) << 32;
}

Device::~Device() { library_.exit(); }

uint64_t Device::window(TileXy tile, uint64_t address) {
  const uint64_t offset = address / kWindowBytes;
  const uint32_t entry[3] = {static_cast<uint32_t>(offset),
                             static_cast<uint32_t>(offset >> 32) | tile.x << 11 | tile.y << 17, 0};
  for (unsigned n = 0; n < 3; ++n) library_.write(bar0_ + arch::pcie::kTlbConfigBase + 4 * n, &entry[n], 4);
  return bar0_ + address % kWindowBytes;
}

void Device::write(TileXy tile, uint64_t address, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const size_t n = std::min<size_t>(bytes.size(), kWindowBytes - address % kWindowBytes);
    library_.write(window(tile, address), bytes.data(), static_cast<uint32_t>(n));
    address += n;
    bytes = bytes.subspan(n);
  }
}

std::vector<uint8_t> Device::read(TileXy tile, uint64_t address, size_t bytes) {
  std::vector<uint8_t> out(bytes);
  for (size_t done = 0; done < bytes;) {
    const size_t n = std::min<size_t>(bytes - done, kWindowBytes - (address + done) % kWindowBytes);
    library_.read(window(tile, address + done), out.data() + done, static_cast<uint32_t>(n));
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
  uint32_t reset = arch::kSoftResetAllHarts;
  uint32_t override_trisc = 0;
  for (const Start& s : harts) {
    reset &= ~(1u << arch::kSoftResetBit[static_cast<size_t>(s.hart)]);
    if (s.hart == Hart::Brisc) {
      write32(tile, 0, jump_from_zero(s.pc));
    } else if (s.hart == Hart::Ncrisc) {
      write32(tile, arch::kNcriscResetPc, s.pc);
      write32(tile, arch::kNcriscResetPcOverride, 1);
    } else {
      const unsigned thread = static_cast<unsigned>(s.hart) - static_cast<unsigned>(Hart::Trisc0);
      write32(tile, arch::kTrisc0ResetPc + 4 * thread, s.pc);
      override_trisc |= 1u << thread;
    }
  }
  write32(tile, arch::kTriscResetPcOverride, override_trisc);
  write32(tile, arch::kSoftReset0, reset);
}

std::string library_from_environment() {
  const char* path = std::getenv("KERR_ORACLE");
  return path ? path : "";
}

void Chip::stop(TileXy tile) { write32(tile, arch::kSoftReset0, arch::kSoftResetAllHarts); }

}  // namespace kerr::oracle
