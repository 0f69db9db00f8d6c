#include "bench/against/pairs.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/cpu_time.hpp"
#include "oracle/device.hpp"

namespace kerr::bench {

namespace {

class Side {
 public:
  Side(const Workload& workload, const std::string& path) : device_(path), progress_(workload.start(device_)) {
    run(clocks_);  // harts out of reset, caches warm
  }

  /// So many clocks take about `seconds`.
  void calibrate(double seconds) {
    while (true) {
      const double took = run(clocks_);
      if (took >= seconds / 4) {
        clocks_ = std::max<uint64_t>(1000, static_cast<uint64_t>(static_cast<double>(clocks_) * seconds / took));
        return;
      }
      if (clocks_ > kMostClocks / 4) return;
      clocks_ *= 4;
    }
  }

  /// Units a second in one slice.
  double measure() {
    const double before = progress_(total_);
    const double took = run(clocks_);
    const double done = progress_(total_) - before;
    if (done <= 0) throw std::runtime_error("the work does not get on");
    return done / took;
  }

 private:
  static constexpr uint64_t kMostClocks = uint64_t{1} << 40;

  double run(uint64_t clocks) {
    const double begin = cpu_seconds();
    for (uint64_t left = clocks; left != 0;) {
      const auto step = static_cast<uint32_t>(std::min<uint64_t>(left, 1u << 30));
      device_.clock(step);
      left -= step;
    }
    total_ += static_cast<double>(clocks);
    return cpu_seconds() - begin;
  }

  oracle::Device device_;
  Progress progress_;
  uint64_t clocks_ = 1000;  // of a slice
  double total_ = 0;
};

}  // namespace

Comparison compare(const Workload& workload, const std::string& our_library, const std::string& their_library,
                   const PairOptions& options) {
  Comparison result{workload.name, workload.unit, {}, {}, {}};
  Side ours(workload, our_library), theirs(workload, their_library);
  ours.calibrate(options.slice_seconds);
  theirs.calibrate(options.slice_seconds);
  for (int i = 0; i < options.pairs; ++i) {
    result.ours.push_back(ours.measure());
    result.theirs.push_back(theirs.measure());
  }
  return result;
}

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

Spread ratios(const Comparison& comparison) {
  std::vector<double> all;
  for (size_t i = 0; i < comparison.ours.size(); ++i) all.push_back(comparison.ours[i] / comparison.theirs[i]);
  return spread(std::move(all));
}

}  // namespace kerr::bench
