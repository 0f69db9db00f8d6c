// A card behind the kernel module tt-kmd: its character device maps the BARs, pins memory and shares windows among
// processes. docs/hardware/host-pcie.md 3
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/device/card/card_device.hpp"
#include "host/device/card/kmd_abi.hpp"
#include "host/device/card/pci.hpp"

namespace kerr::host {

struct KmdVersion {
  uint32_t major = 0, minor = 0, patch = 0;
  friend auto operator<=>(const KmdVersion&, const KmdVersion&) = default;
};

class KmdDevice final : public CardDevice, public WindowOwner {
 public:
  /// `card` must be bound to the driver 'tenstorrent'. `system` must outlive the device. Other processes may use the
  /// same card. Throws CardError.
  KmdDevice(System& system, const Card& card);
  ~KmdDevice() override;

  /// Throws what the constructor would, as far as can be told without changing the card's power state.
  static void check(System& system, const Card& card);

  std::string name() const override { return "tt-kmd " + card_.kmd_node + " (" + card_.bdf + ")"; }
  uint32_t config_read(uint32_t offset) override;
  void config_write(uint32_t offset, uint32_t value) override;
  /// The driver's own limit: 16 buffers of all processes together.
  uint64_t pin(std::span<std::byte> memory) override;
  void unpin(uint64_t noc_address) override;
  WindowOwner* window_owner() override { return this; }
  std::unique_ptr<ResetPort> reset_port() override;

  std::optional<int> claim_window(bool large) override;
  void release_window(int window) override;

 private:
  static KmdVersion check_version(System& system);
  static File open_node(System& system, const Card& card, KmdVersion version);
  static void check_interface(const File& node, const Card& card);
  static void check_iommu(const Card& card);
  void map_bars();
  void ask_for_power();
  class Port;

  Card card_;
  KmdVersion version_;
  File node_;
  std::mutex mutex_;
  std::map<uint64_t, std::span<std::byte>> pinned_;  // by NoC address
};

}  // namespace kerr::host
