#include "emu/noc/id_registers.hpp"

#include "arch/noc_registers.hpp"
#include "arch/pcie.hpp"

namespace kerr::emu {

namespace {

struct NiuOffset {
  int noc;
  uint32_t offset;
};

// Tiles with a 32-bit address space show both NIUs; those with a 64-bit one show the NIU that carried the request, in
// the topmost 16 MiB, at two places (docs/hardware/noc.md 2).
std::optional<NiuOffset> niu_offset(arch::NocCoord raw, int noc, uint64_t address) {
  const arch::TileClass kind = arch::tile_class(raw);
  const bool wide = kind == arch::TileClass::Pcie || kind == arch::TileClass::Arc || kind == arch::TileClass::L2Cpu ||
                    kind == arch::TileClass::Security;
  if (wide) {
    if (address < arch::pcie::kNocNiuBase) return std::nullopt;
    return NiuOffset{noc, static_cast<uint32_t>(address & 0xFFFF)};
  }
  // The registers of a DRAM tile do not decode the upper half of the address.
  const uint64_t local = kind == arch::TileClass::Dram ? address & 0xFFFF'FFFFu : address;
  if (kind == arch::TileClass::Router && local >= 0xFF00'0000u && local < 0xFF00'2000u) {
    return NiuOffset{noc, static_cast<uint32_t>(local - 0xFF00'0000u)};
  }
  for (int n = 0; n < arch::kNocs; ++n) {
    const uint64_t base = arch::niu_base(n);
    if (local >= base && local < base + arch::niu::kBlockBytes)
      return NiuOffset{n, static_cast<uint32_t>(local - base)};
  }
  return std::nullopt;
}

uint32_t endpoint_id(const arch::NocCoord raw, int noc) {
  using arch::EndpointType;
  switch (arch::tile_class(raw)) {
    case arch::TileClass::Tensix: {
      uint32_t column = raw.x - 1u - (raw.x > 8 ? 2u : 0u);
      return arch::endpoint_id(noc, EndpointType::Tensix, column + arch::kTensixColumns * (raw.y - 2u));
    }
    case arch::TileClass::Ethernet:
      return arch::endpoint_id(noc, EndpointType::Ethernet, static_cast<uint32_t>(arch::ethernet_index(raw)));
    case arch::TileClass::Pcie: return arch::endpoint_id(noc, EndpointType::Pcie, 2);
    case arch::TileClass::Arc: return arch::endpoint_id(noc, EndpointType::Arc, 0);
    case arch::TileClass::Dram:
      return arch::endpoint_id(noc, EndpointType::Dram, static_cast<uint32_t>(arch::dram_port(raw).bank));
    case arch::TileClass::Security: return arch::endpoint_id(noc, EndpointType::Security, 0);
    case arch::TileClass::L2Cpu:
      for (uint32_t i = 0; i < arch::kL2CpuTiles; ++i)
        if (arch::kL2CpuMainPorts[i] == raw) return arch::endpoint_id(noc, EndpointType::L2Cpu, i);
      return 0;
    default: return 0;
  }
}

uint32_t niu_cfg_0(const arch::Harvesting& harvesting, arch::NocCoord raw) {
  uint32_t value = arch::niu::kNiuCfg0AfterArc;
  if (arch::tile_class(raw) == arch::TileClass::Dram) value |= arch::niu::kNiuCfg0AxiSubordinate;
  if (!is_enabled(harvesting, raw)) value |= arch::niu::kNiuCfg0TileClockOff;
  return value;
}

uint32_t table_word(const arch::Array<uint8_t, 32>& table, uint32_t word) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < arch::niu::kTranslateEntriesPerWord; ++i) {
    const uint32_t entry = word * arch::niu::kTranslateEntriesPerWord + i;
    if (entry < 32) value |= uint32_t{table[entry]} << (arch::niu::kTranslateEntryBits * i);
  }
  return value;
}

}  // namespace

std::optional<uint32_t> id_register_at(const NocGeometry& geometry, arch::NocCoord raw, int noc, uint32_t offset) {
  namespace niu = arch::niu;
  if (offset < niu::kCommandBuffers * niu::kCommandBufferStride) {
    const uint32_t in_buffer = offset % niu::kCommandBufferStride;
    const arch::NocCoord own = arch::raw_to_noc(noc, raw);
    if (in_buffer == niu::kNodeId) return arch::node_id(noc, own.x, own.y);
    if (in_buffer == niu::kEndpointId) return endpoint_id(raw, noc);
  }
  const arch::TranslationTables& tables = geometry.translation(noc);
  if (offset >= niu::kXTranslateTable0 && offset < niu::kYTranslateTable0 && offset % 4 == 0)
    return table_word(tables.x, (offset - niu::kXTranslateTable0) / 4);
  if (offset >= niu::kYTranslateTable0 && offset < niu::kIdLogical && offset % 4 == 0)
    return table_word(tables.y, (offset - niu::kYTranslateTable0) / 4);
  switch (offset) {
    case niu::kNiuCfg0: return niu_cfg_0(geometry.harvesting(), raw);
    case niu::kRouterCfg0: return niu::kRouterCfg0AfterArc;
    case niu::kRouterCfg1: return geometry.broadcast_masks(noc).columns;
    case niu::kRouterCfg3: return geometry.broadcast_masks(noc).rows;
    case niu::kRouterCfg2:
    case niu::kRouterCfg4: return 0;
    case niu::kIdLogical: return arch::logical_id(geometry.harvesting(), raw).packed();
    case niu::kTranslateColMask: return tables.col_mask;
    case niu::kTranslateRowMask: return tables.row_mask;
    default: return std::nullopt;
  }
}

std::optional<uint32_t> id_register(const NocGeometry& geometry, arch::NocCoord raw, int noc, uint64_t address) {
  const auto place = niu_offset(raw, noc, address);
  if (!place) return std::nullopt;
  return id_register_at(geometry, raw, place->noc, place->offset);
}

}  // namespace kerr::emu
