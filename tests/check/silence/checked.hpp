// A job on a device that the checker watches.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "check/checker.hpp"
#include "check/report/report.hpp"
#include "check/report/text.hpp"
#include "jobs/device.hpp"

namespace kerr::check {

/// What the checker says of all that `job`, given the device's description, has run: empty if it found nothing.
template <class Job>
std::string report_on(Job job, emu::Options options = {}) {
  Checker checker(options.boards);
  options.observer = &checker;
  job(jobs::DeviceSpec{.emulator = options});
  const Findings found = checker.findings();
  EXPECT_GT(found.accesses, 1000u) << "nothing was checked";
  if (found.all.empty()) return {};
  const Report report = report_of(found);
  return text(report, Places(), 40);
}

}  // namespace kerr::check
