// kerr reset: a chip back to power-on.
#include <fmt/format.h>

#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "host/driver/chip_reset.hpp"
#include "jobs/device.hpp"

namespace kerr::cli {

namespace {

class Reset final : public Command {
  void declare(Syntax& syntax) override {
    add_chip(syntax, spec_);
    syntax.flag("--json", json_, "print the steps as JSON");
    syntax.footer(
        "Example:\n  kerr reset --device 0\n"
        "Exit status: 0 the chip was reset, 1 only its PCI function, 2 it does not come back or may not be reset.");
  }

  int run() override {
    const jobs::OpenDevice device = jobs::open(spec_);
    const host::ChipResetReport report = host::reset_chip(*device.device);
    if (json_) {
      write_json({{"device", device.kind}, {"chip_reset", report.chip}, {"steps", report.steps}});
    } else {
      fmt::print("{}\n", device.kind);
      for (const std::string& step : report.steps) fmt::print("  {}\n", step);
      fmt::print("{}\n", report.chip ? "The chip is back in its power-on state."
                                     : "Only the PCI function was reset; what ran on the chip may still run.");
    }
    return report.chip ? 0 : 1;
  }

  jobs::DeviceSpec spec_;
};

}  // namespace

std::unique_ptr<Command> make_reset() { return std::make_unique<Reset>(); }

}  // namespace kerr::cli
