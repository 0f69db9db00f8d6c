#include "emu/server/dram_bank.hpp"

#include <algorithm>

#include "arch/memory_map.hpp"
#include "arch/noc_registers.hpp"

namespace kerr::emu {

namespace {

constexpr size_t kLeastLent = 1024;

constexpr bool names_register(uint64_t address) { return ((address >> 24) & 0xFF) == 0xFF; }
constexpr uint64_t kRiscL1Bit = uint64_t{1} << 37;
constexpr uint64_t kRegisterSpaceBit = uint64_t{1} << 40;

}  // namespace

DramBank::DramBank(const NocGeometry& geometry, int bank, const timing::Parameters& parameters)
    : Server(geometry),
      parameters_(parameters),
      memory_(arch::kDramBankBytes),
      enabled_((geometry.harvesting().dram_banks >> bank) & 1) {}

bool DramBank::read(const ServerAccess& access, std::span<uint8_t> out) {
  if (names_register(access.address) && read_id_register(access, out)) return true;
  if (!is_memory(access, "read", out.size())) return false;
  memory_.read(access.address, out);
  return true;
}

// Lent, if that is cheaper than a copy.
bool DramBank::read_payload(const ServerAccess& access, size_t bytes, Payload& out) {
  if (bytes < kLeastLent || names_register(access.address)) return Server::read_payload(access, bytes, out);
  if (!is_memory(access, "read", bytes)) return false;
  const std::span<const uint8_t> written = memory_.written_bytes(access.address, bytes);
  if (written.empty()) return Server::read_payload(access, bytes, out);
  out = lending_.lend(written);
  return true;
}

bool DramBank::write(const ServerAccess& access, std::span<const uint8_t> bytes) {
  if (!is_memory(access, "write", bytes.size())) return false;
  uint64_t at = access.address;
  for (size_t part; !bytes.empty(); at += part, bytes = bytes.subspan(part)) {
    part = std::min<uint64_t>(bytes.size(), SparseMemory::kPartBytes - at % SparseMemory::kPartBytes);
    if (const uint8_t* const before = memory_.at(at)) lending_.before_change(before, part);
    memory_.write(at, bytes.first(part));
  }
  return true;
}

bool DramBank::is_memory(const ServerAccess& access, const char* verb, size_t bytes) {
  if (!enabled_) {
    return refuse(access, FaultCategory::UndefinedBehavior, verb, bytes, "the bank is harvested and answers nothing",
                  "Take banks from the bank table, which leaves it out.");
  }
  if (access.address & (kRiscL1Bit | kRegisterSpaceBit)) {
    return refuse(access, FaultCategory::Unsupported, verb, bytes,
                  "the RISC, L1 and DMA engine of a DRAM tile are not modelled");
  }
  if (names_register(access.address)) {
    return refuse(access, FaultCategory::Unsupported, verb, bytes,
                  "this register of a DRAM tile is not modelled; registers shadow the last 16 MiB of every bank",
                  "Buffers must end below 0xff000000.");
  }
  if (access.address >= arch::kDramRegisterBase || bytes > arch::kDramRegisterBase - access.address) {
    return refuse(access, FaultCategory::OutOfBounds, verb, bytes, "a bank has 0xff000000 bytes");
  }
  return true;
}

// Responder, and what GDDR adds to it (timing.md 7.2, 8.1).
Cycle DramBank::ready(Cycle arrival, bool is_write, size_t bytes) {
  const timing::Parameters& p = parameters_;
  const Cycle start = std::max(arrival, free_);
  const Cycle transfer = (bytes * 10 + p.dram_tenth_bytes_per_cycle - 1) / p.dram_tenth_bytes_per_cycle;
  free_ = start + transfer;
  if (is_write) return start + p.noc_write_ack + p.dram_write_ack;
  // The NIU sends a flit a cycle once it begins: it begins so late that the bank's slower data keep up.
  const Cycle flits = (bytes + arch::niu::kFlitBytes - 1) / arch::niu::kFlitBytes;
  return start + p.noc_read_responder + p.dram_access + (transfer > flits ? transfer - flits : 0);
}

int DramBank::port(TileId tile) const { return arch::dram_port(NocGeometry::raw_of(tile.node)).port; }

void DramBank::serialize(Archive& a) {
  Server::serialize(a);
  a(memory_);
  a.machinery(free_);
}

}  // namespace kerr::emu
