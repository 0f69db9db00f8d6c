#include "bench/against/matmul_pairs.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "jobs/matmul.hpp"
#include "oracle/isolate.hpp"

namespace kerr::bench {

namespace {

struct Result {
  double macs_per_second;
  uint64_t hash;
};

Result run(const MatmulPair& pair, const std::string& library) {
  const oracle::Outcome outcome = oracle::isolate(
      [&] {
        jobs::MatmulJob job{.shape = pair.shape};
        job.device.library = library;
        const jobs::MatmulOutcome out = jobs::run(job);
        if (!out.agreement.good()) throw std::runtime_error("the product is wrong");
        const Result result{static_cast<double>(pair.shape.m * pair.shape.n * pair.shape.k) / out.run_s, out.hash};
        std::vector<uint8_t> bytes(sizeof result);
        std::memcpy(bytes.data(), &result, sizeof result);
        return bytes;
      },
      600);
  if (!outcome.finished) throw std::runtime_error(library + ": " + outcome.message);
  Result result;
  std::memcpy(&result, outcome.bytes.data(), sizeof result);
  return result;
}

}  // namespace

std::vector<MatmulPair> matmul_pairs() { 
  return {{"matmul 256x256x256, fast dispatch", {256, 256, 256}}, {"matmul 1024x1024x1024", {1024, 1024, 1024}}};
}

Comparison compare_matmuls(const MatmulPair& pair, const std::string& our_library, const std::string& their_library, int pairs) {
  Comparison result{pair.name, "multiply-accumulates", {}, {}, {}};
  try {
    for (int i = 0; i < std::min(pairs, 3); ++i) {
      const Result ours = run(pair, our_library), theirs = run(pair, their_library);
      if (ours.hash != theirs.hash) throw std::runtime_error("the products differ");
      result.ours.push_back(ours.macs_per_second);
      result.theirs.push_back(theirs.macs_per_second);
    }
  } catch (const std::exception& error) {
    result.problem = error.what();
  }
  return result;
}

}  // namespace kerr::bench
