// What mutants run in: small programs of every kind that Kerr itself makes, and its firmware.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "host/device/pcie_device.hpp"

namespace kerr::mutation {

struct Subject {
  std::string_view name;
  /// Boots the device, runs the program, and returns what it has computed. `deadline`: of the program.
  std::function<std::vector<std::byte>(host::PcieDevice&, host::Deadline deadline)> run;
};

std::span<const Subject> subjects();

}  // namespace kerr::mutation
