// Matmuls that somebody timed on silicon, whole programs: docs/hardware/timing.md 12.1, 12.2, with the bands of 15.1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/matmul/product.hpp"

namespace kerr::timing_tests {

struct MatmulRow {
  std::string table;  // "seed", "seed, with dispatch", "sweep HiFi2", "sweep LoFi", "rectangles LoFi"
  kernels::ProductShape shape;
  bool lofi = false;           // one fidelity phase; else two
  bool with_dispatch = false;  // everything that the host has the device write for the launch, in seed 000's pieces
  double measured_us;
  double firmware_us = 0;      // of these are another firmware's dispatch (timing.md 14, 15)
  double band;                 // 0.05 = 5 %; and a microsecond
  bool expected_miss = false;  // known to lie outside

  double silicon_us() const { return measured_us - firmware_us; }
  std::string name() const;
  bool fits(double kerr_us) const;
};

/// In the order of the page. Nothing of the model was fitted to any of them.
const std::vector<MatmulRow>& matmul_rows();

/// Runs it, on `threads` threads (0: one a CPU), and checks its product. Throws std::runtime_error if that is wrong.
double kerr_us(const MatmulRow& row, int threads = 0);

/// A line of the page's table.
std::string line(const MatmulRow& row, double kerr_us);

}  // namespace kerr::timing_tests
