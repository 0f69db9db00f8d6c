// A card without a kernel module of its own: bound to vfio-pci, its BARs mapped, its DMA kept inside the buffers that
// were pinned by the IOMMU. docs/hardware/host-pcie.md 2
#pragma once

#include <bitset>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/pcie.hpp"
#include "host/device/card/card_device.hpp"
#include "host/device/card/pci.hpp"
#include "host/device/card/vfio_abi.hpp"
#include "host/device/pin_table.hpp"

namespace kerr::host {

class VfioDevice final : public CardDevice {
 public:
  /// `card` must be bound to vfio-pci. `system` must outlive the device. The card belongs to this process alone until
  /// the end of the device's life. Throws CardError.
  VfioDevice(System& system, const Card& card);
  ~VfioDevice() override;

  /// Throws what the constructor would, as far as can be told without taking the card.
  static void check(System& system, const Card& card) { open_container(system, card); }

  std::string name() const override { return "vfio " + card_.bdf; }
  uint32_t config_read(uint32_t offset) override;
  void config_write(uint32_t offset, uint32_t value) override;
  /// At most 16 buffers at a time (regions of the address translation unit).
  uint64_t pin(std::span<std::byte> memory) override;
  void unpin(uint64_t noc_address) override;
  std::unique_ptr<ResetPort> reset_port() override;

 private:
  struct Pinned {
    uint64_t iova;
    uint64_t bytes;
    int region;
  };
  struct Container {
    File container, group;
  };
  class Port;

  static Container open_container(System& system, const Card& card);
  void attach_iommu();
  void read_iova_ranges();
  void open_device();
  void map_bars();
  vfio::RegionInfo region(uint32_t index) const;
  void map_combined(BarView& view, const char* file);
  void enable(bool on);
  uint64_t take_iova(uint64_t bytes);
  void check_config(uint32_t offset) const;
  void write_bar2(uint32_t offset, uint32_t value);
  void enable_region(int region, uint64_t base, uint64_t bytes, uint64_t target);
  void disable_region(int region);
  void program_pins();

  Card card_;
  Container container_;
  File device_;
  uint64_t config_offset_ = 0;
  uint64_t config_bytes_ = 0;
  std::mutex mutex_;
  PinTable pins_;  // by NoC offset
  std::map<uint64_t, Pinned> pinned_;
  std::bitset<arch::pcie::kIatuRegions> regions_;
  std::vector<vfio::IovaRange> iova_ranges_;
  uint64_t next_iova_;
};

}  // namespace kerr::host
