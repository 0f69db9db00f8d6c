// One GDDR bank behind its three NoC tiles and both NoCs.   docs/hardware/noc.md 7.1, timing.md 13.6
#pragma once

#include "emu/memory/sparse_memory.hpp"
#include "emu/server/lending.hpp"
#include "emu/server/server.hpp"
#include "emu/timing/parameters.hpp"

namespace kerr::emu {

/// 4 GiB, of which the last 16 MiB are shadowed by registers. Of those the identification registers of the NIUs
/// answer; the tile's own RISC, its L1 and its DMA engine are not modelled. A harvested bank has nothing but the
/// identification registers.
class DramBank final : public Server {
 public:
  /// `parameters` must outlive the bank.
  DramBank(const NocGeometry& geometry, int bank, const timing::Parameters& parameters);

  bool read(const ServerAccess& access, std::span<uint8_t> out) override;
  bool read_payload(const ServerAccess& access, size_t bytes, Payload& out) override;
  bool write(const ServerAccess& access, std::span<const uint8_t> bytes) override;
  uint64_t touched_bytes() const { return memory_.touched_bytes(); }
  void serialize(Archive& archive) override;

 private:
  Cycle ready(Cycle arrival, bool is_write, size_t bytes) override;
  int port(TileId tile) const override;
  bool is_memory(const ServerAccess& access, const char* verb, size_t bytes);

  const timing::Parameters& parameters_;
  SparseMemory memory_;
  Lending lending_;  // of memory_
  bool enabled_;
  Cycle free_ = 0;  // when the bank can take the next access
};

}  // namespace kerr::emu
