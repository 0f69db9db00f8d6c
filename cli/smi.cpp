#include "cli/smi.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "arch/boards.hpp"
#include "arch/grid.hpp"
#include "cli/version.hpp"
#include "host/noc_io.hpp"
#include "host/telemetry.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

enum class Form {
  kNumber,       // 0 is a value
  kNonZero,      // 0: not measured
  kTemperature,  // signed 16.16; 0x80000000: invalid
  kVersion,      // four bytes
};

// docs/hardware/host-pcie.md 5.6
struct Field {
  std::uint16_t tag;
  const char* group;
  const char* name;
  const char* unit;
  Form form;
};
constexpr std::uint16_t kAiclk = 14;
constexpr Field kFields[] = {
    {kAiclk, "clocks", "AICLK", "MHz", Form::kNumber},
    {63, "clocks", "AICLK limit", "MHz", Form::kNonZero},
    {15, "clocks", "AXICLK", "MHz", Form::kNumber},
    {16, "clocks", "ARCCLK", "MHz", Form::kNumber},
    {23, "clocks", "GDDR", "MT/s", Form::kNonZero},
    {11, "temperature", "ASIC", "C", Form::kTemperature},
    {13, "temperature", "board", "C", Form::kTemperature},
    {12, "temperature", "regulator", "C", Form::kTemperature},
    {51, "temperature", "GDDR maximum", "C", Form::kNonZero},
    {56, "temperature", "throttles at", "C", Form::kNonZero},
    {10, "temperature", "shuts down at", "C", Form::kNonZero},
    {54, "power", "input", "W", Form::kNonZero},
    {7, "power", "TDP", "W", Form::kNonZero},
    {8, "power", "TDC", "A", Form::kNonZero},
    {6, "power", "core voltage", "mV", Form::kNonZero},
    {53, "power", "board limit", "W", Form::kNonZero},
    {41, "fan", "speed", "rpm", Form::kNonZero},
    {28, "firmware", "bundle", "", Form::kVersion},
    {24, "firmware", "Ethernet", "", Form::kVersion},
    {25, "firmware", "GDDR", "", Form::kVersion},
    {29, "firmware", "management", "", Form::kVersion},
    {32, "firmware", "heartbeat", "", Form::kNumber},
};

std::string value_text(const Field& field, std::uint32_t value) {
  switch (field.form) {
    case Form::kTemperature:
      return value == 0x8000'0000 || value == 0 ? ""
                                                : fmt::format("{:.1f}", static_cast<std::int32_t>(value) / 65536.0);
    case Form::kVersion:
      return value == 0 ? ""
                        : fmt::format("{}.{}.{}.{}", value >> 24, value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF);
    case Form::kNonZero: return value == 0 ? "" : fmt::format("{}", value);
    case Form::kNumber: break;
  }
  return fmt::format("{}", value);
}

struct Board {
  std::string device, name;
  std::uint64_t id = 0, asic = 0;
  arch::Harvesting harvesting;
};

std::string missing(std::uint32_t good, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    if ((good >> i & 1) == 0) list += fmt::format("{}{}", list.empty() ? "" : ", ", i);
  }
  return list.empty() ? "none" : list;
}

void print_text(const Board& board, const host::Telemetry& telemetry) {
  const arch::Harvesting& h = board.harvesting;
  fmt::print("board         {}, id {:016x}, ASIC {:x}\n", board.name, board.id, board.asic);
  fmt::print("device        {}, PCIe tile {}\n", board.device, h.pcie_instance);
  fmt::print("harvested     Tensix columns {}  ({} tiles good)\n", missing(h.tensix_columns, arch::kTensixColumns),
             arch::good_tensix_columns(h) * arch::kTensixRows);
  fmt::print("              DRAM banks {}  ({} good)\n", missing(h.dram_banks, arch::kDramBanks),
             arch::good_dram_banks(h));
  fmt::print("              Ethernet {}  ({} good)\n", missing(h.ethernet, 14), std::popcount(h.ethernet));
  std::string group;
  for (const Field& field : kFields) {
    const auto value = telemetry.value(static_cast<arch::Telemetry>(field.tag));
    const std::string text = value ? value_text(field, *value) : "";
    if (text.empty()) continue;
    const bool idle = field.tag == kAiclk && *value == arch::kAiclkIdleMhz;
    fmt::print("{:13} {:15} {:>10} {}{}\n", group == field.group ? "" : field.group, field.name, text, field.unit,
               idle ? fmt::format("  idle: {} while programs run", arch::kAiclkBusyMhz) : "");
    group = field.group;
  }
}

void print_json(const Board& board, const host::Telemetry& telemetry) {
  const arch::Harvesting& h = board.harvesting;
  report::Json json = {
      {"board", board.name},
      {"board_id", fmt::format("{:016x}", board.id)},
      {"asic_id", fmt::format("{:x}", board.asic)},
      {"device", board.device},
      {"pcie_tile", h.pcie_instance},
      {"tensix_columns_mask", h.tensix_columns},
      {"tensix_tiles", arch::good_tensix_columns(h) * arch::kTensixRows},
      {"dram_banks_mask", h.dram_banks},
      {"ethernet_mask", h.ethernet},
  };
  for (const Field& field : kFields) {
    const auto value = telemetry.value(static_cast<arch::Telemetry>(field.tag));
    const std::string text = value ? value_text(field, *value) : "";
    report::Json& to = json[field.group][field.name];
    if (text.empty()) continue;  // null: not known
    if (field.form == Form::kVersion) {
      to = text;
    } else if (field.form == Form::kTemperature) {
      to = static_cast<std::int32_t>(*value) / 65536.0;
    } else {
      to = *value;
    }
  }
  write_json(json);
}

}  // namespace

int smi_command(const DeviceChoice& choice, bool json) {
  const OpenDevice device = open_device(choice);
  host::NocIo io(*device.device);
  const host::Telemetry telemetry = host::Telemetry::read(io);
  const auto word = [&](arch::Telemetry tag) { return std::uint64_t{telemetry.value(tag).value_or(0)}; };
  const Board board{
      .device = device.kind,
      .name = telemetry.board_name(),
      .id = word(arch::Telemetry::kBoardIdHigh) << 32 | word(arch::Telemetry::kBoardIdLow),
      .asic = word(arch::Telemetry::kAsicIdHigh) << 32 | word(arch::Telemetry::kAsicIdLow),
      .harvesting = host::read_harvesting(telemetry, device.chip_options.missing_harvesting),
  };
  json ? print_json(board, telemetry) : print_text(board, telemetry);
  return 0;
}

}  // namespace kerr::cli
