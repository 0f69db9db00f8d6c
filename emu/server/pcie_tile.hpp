// The PCIe endpoint as a NoC target: host memory, the controller's own registers, the NIU.
// docs/hardware/noc.md 7.4, host-pcie.md 1.9 to 1.11
#pragma once

#include "emu/server/host_memory.hpp"
#include "emu/server/iatu.hpp"
#include "emu/server/server.hpp"
#include "emu/timing/parameters.hpp"

namespace kerr::emu {

class PcieTile final : public Server {
 public:
  /// `parameters` must outlive the tile.
  PcieTile(const NocGeometry& geometry, HostMemory* host, const timing::Parameters& parameters);

  Iatu& iatu() { return iatu_; }

  bool read(const ServerAccess& access, std::span<uint8_t> out) override;
  bool write(const ServerAccess& access, std::span<const uint8_t> bytes) override;
  /// A transfer that the controller makes by itself (the DMA engine): `bus` is an address of the host's memory.
  bool read_bus(const ServerAccess& access, uint64_t bus, std::span<uint8_t> out);
  void serialize(Archive& archive) override;

 private:
  Cycle ready(Cycle arrival, bool is_write, size_t bytes) override;
  /// False if refused. `bus`: where the transfer leaves towards the host.
  bool to_bus(const ServerAccess& access, const char* verb, size_t bytes, uint64_t& bus);
  template <class Byte>
  bool each_page(const ServerAccess& access, const char* verb, uint64_t bus, std::span<Byte> bytes,
                 bool (HostMemory::*move)(uint64_t, std::span<Byte>));
  bool write_bus(const ServerAccess& access, uint64_t bus, std::span<const uint8_t> bytes);

  const timing::Parameters& parameters_;
  HostMemory* const host_;
  Iatu iatu_;
  uint32_t device_control_ = 0;  // DBI 0x78, which reset code saves and restores
  Cycle read_free_ = 0;
  Cycle write_free_ = 0;
};

}  // namespace kerr::emu
