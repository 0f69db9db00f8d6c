#include "report/memory_map_page.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "arch/boards.hpp"
#include "arch/memory_map.hpp"
#include "arch/noc_registers.hpp"
#include "arch/tile_registers.hpp"
#include "emu/noc/niu.hpp"
#include "emu/tile/tile.hpp"
#include "isa/assembler.hpp"

namespace kerr::report {

namespace {

const char* mark(const arch::Region& region, uint8_t who) { return region.accessors & who ? "yes" : "-"; }

void add_regions(std::string& out) {
  out += "### Regions\n\n| From | To | Region | BRISC | NCRISC | TRISC0 to 2 | NoC |\n|---|---|---|---|---|---|---|\n";
  for (const arch::Region& r : arch::kTensixRegions) {
    out +=
        fmt::format("| `{:08X}` | `{:08X}` | {} | {} | {} | {} | {} |\n", r.base, r.base + r.bytes - 1, r.name,
                    mark(r, arch::kByBrisc), mark(r, arch::kByNcrisc), mark(r, arch::kByTrisc), mark(r, arch::kByNoc));
  }
}

// What BRISC of a fresh tile gets when its first program loads from, or stores to, one address.
struct Answer {
  bool done = false;
  uint32_t value = 0;
  emu::FaultCategory fault = emu::FaultCategory::UndefinedBehavior;
};

Answer ask(const std::function<void(isa::Assembler&)>& access) {
  using namespace isa::reg;
  constexpr uint32_t kResult = 0x100;
  static const emu::NocGeometry geometry(arch::kP150.harvesting);
  emu::Tile tile(emu::TileId::at(0, 1, 2), geometry);
  isa::Assembler program;
  access(program);
  program.li(t2, kResult);
  program.sw(t0, t2, 0);
  const isa::Label end = program.here();
  program.j(end);
  tile.host_write(0, program.finish(0).bytes);
  const uint32_t runs = arch::kSoftResetBriscRuns;
  std::array<uint8_t, 4> bytes{};
  std::memcpy(bytes.data(), &runs, 4);
  tile.host_write(arch::kSoftReset0, bytes);
  tile.run(emu::kQuantumCycles);
  const std::vector<emu::Fault> faults = tile.faults().take();
  if (!faults.empty()) return {.fault = faults.front().category};
  return {.done = true, .value = tile.l1().load<uint32_t>(kResult)};
}

std::string fault_name(const Answer& answer) { return std::string(category_name(answer.fault)); }

void add_register(std::string& out, uint32_t address, const std::string& label) {
  using namespace isa::reg;
  const Answer loaded = ask([&](isa::Assembler& a) {
    a.li(t1, address);
    a.lw(t0, t1, 0);
  });
  const Answer stored = ask([&](isa::Assembler& a) {
    a.li(t1, address);
    a.li(t0, loaded.value);
    a.sw(t0, t1, 0);
  });
  out += fmt::format("| `{:08X}` | {} | {} | {} |\n", address, label,
                     loaded.done ? fmt::format("`{:#x}`", loaded.value) : fault_name(loaded),
                     stored.done ? "yes" : fault_name(stored));
}

constexpr const char* kTableHeading = "| Address | Register | Load | Store |\n|---|---|---|---|\n";

}  // namespace

std::string memory_map_tables() {
  std::string out;
  add_regions(out);
  out += fmt::format("\n### Registers of the tile\n\n{}", kTableHeading);
  for (const arch::TileRegister& r : arch::kTileRegisters) add_register(out, r.address, r.name);
  out += fmt::format(
      "\n### Registers of a NIU\n\nNIU 0 of the tile at (1, 2); NIU 1's are {:#x} higher. "
      "Counters of a slave show the two writes of the host that brought the program.\n\n{}",
      arch::kNiuStride, kTableHeading);
  for (uint32_t offset = 0; offset < arch::niu::kCommandBuffers * arch::niu::kCommandBufferStride; offset += 4) {
    const std::string label = emu::niu_register_name(offset);
    if (!label.empty()) add_register(out, arch::niu_base(0) + offset, label);
  }
  return out;
}

}  // namespace kerr::report
