// kerr smi: what the board's management controller says about a chip.

#include <fmt/format.h>

#include <bit>

#include "arch/boards.hpp"
#include "arch/grid.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "host/driver/noc_io.hpp"
#include "host/driver/telemetry.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

enum class Form {
  Number,       // 0 is a value
  NonZero,      // 0: not measured
  Temperature,  // signed 16.16; 0x80000000: invalid
  Version,      // four bytes
};

// docs/hardware/host-pcie.md 5.6
struct Field {
  uint16_t tag;
  const char* group;
  const char* name;
  const char* unit;
  Form form;
};
constexpr uint16_t kAiclk = 14;
constexpr Field kFields[] = {
    {kAiclk, "clocks", "AICLK", "MHz", Form::Number},
    {63, "clocks", "AICLK limit", "MHz", Form::NonZero},
    {15, "clocks", "AXICLK", "MHz", Form::Number},
    {16, "clocks", "ARCCLK", "MHz", Form::Number},
    {23, "clocks", "GDDR", "MT/s", Form::NonZero},
    {11, "temperature", "ASIC", "C", Form::Temperature},
    {13, "temperature", "board", "C", Form::Temperature},
    {12, "temperature", "regulator", "C", Form::Temperature},
    {51, "temperature", "GDDR maximum", "C", Form::NonZero},
    {56, "temperature", "throttles at", "C", Form::NonZero},
    {10, "temperature", "shuts down at", "C", Form::NonZero},
    {54, "power", "input", "W", Form::NonZero},
    {7, "power", "TDP", "W", Form::NonZero},
    {8, "power", "TDC", "A", Form::NonZero},
    {6, "power", "core voltage", "mV", Form::NonZero},
    {53, "power", "board limit", "W", Form::NonZero},
    {41, "fan", "speed", "rpm", Form::NonZero},
    {28, "firmware", "bundle", "", Form::Version},
    {24, "firmware", "Ethernet", "", Form::Version},
    {25, "firmware", "GDDR", "", Form::Version},
    {29, "firmware", "management", "", Form::Version},
    {32, "firmware", "heartbeat", "", Form::Number},
};

std::string value_text(const Field& field, uint32_t value) {
  switch (field.form) {
    case Form::Temperature:
      return value == 0x8000'0000 || value == 0 ? "" : fmt::format("{:.1f}", static_cast<int32_t>(value) / 65536.0);
    case Form::Version:
      return value == 0 ? ""
                        : fmt::format("{}.{}.{}.{}", value >> 24, value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF);
    case Form::NonZero: return value == 0 ? "" : fmt::format("{}", value);
    case Form::Number: break;
  }
  return fmt::format("{}", value);
}

struct Board {
  std::string device, name;
  uint64_t id = 0, asic = 0;
  arch::Harvesting harvesting;
};

std::string missing(uint32_t good, int count) {
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
    if (field.form == Form::Version) {
      to = text;
    } else if (field.form == Form::Temperature) {
      to = static_cast<int32_t>(*value) / 65536.0;
    } else {
      to = *value;
    }
  }
  write_json(json);
}

// Nothing on the chip is disturbed.
class Smi final : public Command {
  void declare(Syntax& syntax) override {
    add_chip(syntax, spec_);
    syntax.flag("--json", json_, "print them as JSON");
    syntax.footer(
        "An emulated chip that runs nothing is idle, at 800 MHz; 'kerr matmul' counts at the 1350 MHz of a busy one.\n"
        "Examples:\n  kerr smi --board p150\n  kerr smi --device 0000:01:00.0 --json");
  }

  int run() override {
    const jobs::OpenDevice device = jobs::open(spec_);
    host::NocIo io(*device.device);
    const host::Telemetry telemetry = host::Telemetry::read(io);
    const auto word = [&](arch::Telemetry tag) { return uint64_t{telemetry.value(tag).value_or(0)}; };
    const Board board{
        .device = device.kind,
        .name = telemetry.board_name(),
        .id = word(arch::Telemetry::BoardIdHigh) << 32 | word(arch::Telemetry::BoardIdLow),
        .asic = word(arch::Telemetry::AsicIdHigh) << 32 | word(arch::Telemetry::AsicIdLow),
        .harvesting = host::read_harvesting(telemetry, device.chip_options.missing_harvesting),
    };
    json_ ? print_json(board, telemetry) : print_text(board, telemetry);
    return 0;
  }

  jobs::DeviceSpec spec_;
};

}  // namespace

std::unique_ptr<Command> make_smi() { return std::make_unique<Smi>(); }

}  // namespace kerr::cli
