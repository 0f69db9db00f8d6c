// Ethernet tiles without links: memory, the results that their boot firmware would have left, and a core that stays
// in reset.   docs/hardware/noc.md 9, host-pcie.md 6.9
#pragma once

#include <array>

#include "arch/grid.hpp"
#include "emu/server/server.hpp"
#include "emu/server/sparse_memory.hpp"

namespace kerr::emu {

/// All fourteen; the harvested ones have identification registers only. Every port reports "down".
class EthernetTiles final : public Server {
 public:
  explicit EthernetTiles(const NocGeometry& geometry);
  bool read(const ServerAccess& access, std::span<std::uint8_t> out) override;
  bool write(const ServerAccess& access, std::span<const std::uint8_t> bytes) override;
  void serialize(Archive& archive) override;

 private:
  struct Registers {
    std::uint32_t soft_reset = kBothInReset;
    std::uint32_t reset_pc[2] = {0, 0};
    void serialize(Archive& a) { a(soft_reset, reset_pc); }
  };
  static constexpr std::uint32_t kBothInReset = 0x1800;

  Cycle ready(Cycle arrival, bool, std::size_t) override { return arrival + 41; }  // as L1: timing.md 13.5
  bool check(const ServerAccess& access, const char* verb, std::size_t bytes);
  std::uint32_t* reset_pc(const ServerAccess& access);

  SparseMemory l1_;  // 512 KiB each, by Ethernet index
  std::array<Registers, arch::kEthernetTiles> registers_{};
};

}  // namespace kerr::emu
