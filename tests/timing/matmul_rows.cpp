#include "tests/timing/matmul_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "jobs/matmul.hpp"

namespace kerr::timing_tests {

namespace {

constexpr double kMicrosecond = 1.0;  // of tolerance, besides the band
constexpr double kSweepFirmware = 4.0;

struct Measured {
  uint64_t m, k, n;
  double us;
};

double feed_bound_band(double us) { return us < 50 ? 0.12 : 0.10; }

std::vector<MatmulRow> make_rows() {
  std::vector<MatmulRow> rows;
  struct Seed {
    Measured measured;
    double firmware, band;
  };
  const Seed seeds[] = {{{256, 256, 256, 32.8}, 24, 0.15},     {{512, 512, 512, 42.0}, 24, 0.15},
                        {{1024, 1024, 1024, 63.1}, 16, 0.15},  {{2048, 2048, 2048, 151.7}, 16, 0.10},
                        {{4096, 4096, 4096, 654.9}, 16, 0.05}, {{5120, 4096, 5632, 1069.8}, 16, 0.05}};
  const auto add = [&](std::string table, const Measured& m, double firmware, double band) -> MatmulRow& {
    rows.push_back({.table = std::move(table),
                    .shape = {m.m, m.n, m.k},
                    .measured_us = m.us,
                    .firmware_us = firmware,
                    .band = band});
    return rows.back();
  };
  for (const Seed& s : seeds) add("seed", s.measured, s.firmware, s.band);
  for (const Seed& s : seeds) {
    MatmulRow& row = add("seed, with dispatch", s.measured, 0, 0.15);
    row.with_dispatch = true;
    // Too quick: 7 cores leave little time to fetch records while they run, and our kernels and arguments need fewer
    // than that host's.
    row.expected_miss = s.measured.m == 256;
  }
  for (const auto& [n, us] : {std::pair{uint64_t{256}, 14.0},
                              {512, 24.4},
                              {1024, 51.5},
                              {1536, 84.2},
                              {2048, 138.0},
                              {2560, 215.2},
                              {3072, 306.1},
                              {3584, 491.7},
                              {4096, 642.7},
                              {4608, 948.4},
                              {5120, 1185.8}})
    add("sweep HiFi2", {n, n, n, us}, kSweepFirmware, n >= 3584 ? 0.05 : n <= 512 ? 0.12 : 0.10);
  for (const auto& [n, us] : {std::pair{uint64_t{256}, 12.4},
                              {512, 21.2},
                              {1024, 48.0},
                              {1536, 83.3},
                              {2048, 134.5},
                              {2560, 207.9},
                              {3072, 284.8},
                              {3584, 408.4},
                              {4096, 500.7},
                              {4608, 664.1},
                              {5120, 782.5}})
    add("sweep LoFi", {n, n, n, us}, kSweepFirmware, n <= 512 ? 0.12 : 0.10).lofi = true;
  for (const Measured& m : {Measured{256, 1024, 256, 27.0},
                            {256, 4096, 256, 80.9},
                            {256, 5120, 256, 99.2},
                            {512, 2048, 512, 53.5},
                            {1024, 256, 1024, 22.5},
                            {1024, 4096, 1024, 135.2},
                            {1024, 5120, 1024, 163.4},
                            {2048, 1024, 2048, 88.9},
                            {2048, 4096, 2048, 225.4},
                            {3072, 1024, 3072, 148.8},
                            {4096, 1024, 4096, 227.9},
                            {4096, 2048, 4096, 321.6},
                            {4096, 5120, 4096, 592.4},
                            {5120, 256, 5120, 233.6},
                            {5120, 1024, 5120, 321.6},
                            {5120, 4096, 5120, 670.3}})
    add("rectangles LoFi", m, kSweepFirmware, feed_bound_band(m.us)).lofi = true;
  return rows;
}

}  // namespace

std::string MatmulRow::name() const { return fmt::format("{} x {} x {}", shape.m, shape.k, shape.n); }

bool MatmulRow::fits(double kerr_us) const {
  return std::abs(kerr_us - silicon_us()) <= band * silicon_us() + kMicrosecond;
}

const std::vector<MatmulRow>& matmul_rows() {
  static const std::vector<MatmulRow> rows = make_rows();
  return rows;
}

double kerr_us(const MatmulRow& row, int threads) {
  jobs::MatmulJob job{.shape = row.shape, .planner = jobs::Planner::Compat};
  job.device.emulator.timing = emu::Timing::Exact;
  if (threads != 0) job.device.emulator.shards = threads;
  if (row.with_dispatch) job.launch = jobs::Launch::SmallWrites;
  // Silicon's rows are of FP16: as many bytes, and the compat plan knows BF16 only.
  if (row.lofi) job.options.fidelity = kernels::Fidelity::LoFi;
  const jobs::MatmulOutcome outcome = jobs::run(job);
  if (!outcome.agreement.good())
    throw std::runtime_error(fmt::format("{}, {}: the product is wrong", row.table, row.name()));
  return outcome.microseconds(row.with_dispatch ? outcome.total_cycles : outcome.device_cycles);
}

std::string line(const MatmulRow& row, double kerr_us) {
  const std::string percent = fmt::format("{:+.1f} %", 100 * (kerr_us / row.silicon_us() - 1));
  return fmt::format("| {} | {:.1f} us | {:.1f} us | {} | {:.0f} % + 1 us |\n", row.name(), row.silicon_us(), kerr_us,
                     row.fits(kerr_us) ? percent : "**" + percent + "**", 100 * row.band);
}

}  // namespace kerr::timing_tests
