// kerr timing show: the numbers of the cost model.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "emu/timing/parameters.hpp"
#include "report/json.hpp"

namespace kerr::cli {

using emu::timing::ParameterRow;
using emu::timing::Parameters;

namespace {

class TimingShow final : public Command {
  void declare(Syntax& syntax) override {
    add_timing_parameters(syntax, parameters_, parameters_file_);
    syntax
        .number("--clock", clock_mhz_,
                "MHz of the chip's own clock: converts what DRAM and PCIe, which have theirs, take", 1, 10'000)
        .excludes({"--timing-parameters"});
    syntax.flag("--json", json_, "print them as JSON, which --timing-parameters reads back");
    syntax.footer(
        "Examples:\n  kerr timing show\n"
        "  kerr timing show --clock 800 --json > slow.json && kerr matmul 256 256 256 --timing exact "
        "--timing-parameters slow.json");
  }

  int run() override {
    Parameters parameters = parameters_;
    if (clock_mhz_ != 0) parameters = emu::timing::at_clock(parameters, clock_mhz_);
    if (json_) {
      report::Json all = report::Json::array();
      for (const ParameterRow& row : emu::timing::parameter_rows()) {
        all.push_back({{"name", row.name},
                       {"unit", row.unit},
                       {"value", parameters.*row.member},
                       {"evidence", name_of(row.evidence)},
                       {"source", fmt::format("docs/hardware/timing.md {}", row.source)},
                       {"meaning", row.meaning}});
      }
      write_json("parameters", std::move(all));
      return 0;
    }
    for (const ParameterRow& row : emu::timing::parameter_rows()) {
      fmt::print("{:<31} {:>5} {:<16} {:<10} {:<9} {}\n", row.name, parameters.*row.member, row.unit,
                 name_of(row.evidence), row.source, row.meaning);
    }
    return 0;
  }

  Parameters parameters_;
  std::string parameters_file_;
  uint64_t clock_mhz_ = 0;  // 0: the usual one
};

}  // namespace

std::unique_ptr<Command> make_timing_show() { return std::make_unique<TimingShow>(); }

}  // namespace kerr::cli
