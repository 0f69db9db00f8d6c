#include "loops/tiles/engine.hpp"

#include <optional>
#include <stdexcept>

#include "kernels/matmul/matmul.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr double kNsOfMatrixProduct = 1.6;  // HiFi4
constexpr double kNsOfProductLaunch = 1'500'000;

uint32_t tiles_of(uint64_t size) { return static_cast<uint32_t>((size + kernels::kTileDim - 1) / kernels::kTileDim); }

class MatrixProduct final : public Product {
 public:
  MatrixProduct(const ProductShape& shape, const host::Chip& chip) {
    kernels::MatmulOptions options{.fidelity = kernels::Fidelity::HiFi4,
                                   .fp32_accumulate = true,
                                   .in = kernels::Format::Fp32,
                                   .out = kernels::Format::Fp32};
    options.batch = shape.batch;
    plan_ = kernels::plan_matmul({shape.m, shape.n, shape.k}, kernels::matmul_cores(chip), options);
    layouts_ = {faces(shape.batch, plan_.m_tiles, plan_.k_tiles), faces(shape.batch, plan_.k_tiles, plan_.n_tiles),
                faces(shape.batch, plan_.m_tiles, plan_.n_tiles)};
  }

  const ProductLayouts& layouts() const override { return layouts_; }

  void run(host::Chip& chip, const host::Buffer& a, const host::Buffer& b, const host::Buffer& c,
           const host::Deadline& deadline) override {
    const uint32_t addresses[3] = {a.address(), b.address(), c.address()};
    if (!program_ || !std::equal(addresses, addresses + 3, addresses_)) {
      program_.emplace(
          kernels::matmul_program(plan_, chip.layout(), chip.workers(), {addresses[0], addresses[1], addresses[2]}));
      std::copy(addresses, addresses + 3, addresses_);
    }
    chip.run(*program_, deadline);
  }

 private:
  kernels::MatmulPlan plan_;
  ProductLayouts layouts_;
  std::optional<host::Program> program_;  // for these addresses
  uint32_t addresses_[3] = {};
};

}  // namespace

std::string_view name_of(Engine engine) { return engine == Engine::Matrix ? "the matrix unit" : "the vector unit"; }

bool exists(Engine engine) { return engine == Engine::Matrix; }

bool can_multiply(Engine engine, const ProductShape& shape) {
  return exists(engine) && shape.batch <= kernels::kLargestBatch && shape.m <= kernels::kLargestSize &&
         shape.n <= kernels::kLargestSize && shape.k <= kernels::kLargestSize;
}

ProductLayouts usual_layouts(Engine, const ProductShape& shape) {
  const uint32_t m = tiles_of(shape.m), n = tiles_of(shape.n), k = tiles_of(shape.k);
  return {faces(shape.batch, m, k), faces(shape.batch, k, n), faces(shape.batch, m, n)};
}

double nanoseconds(Engine, const ProductShape& shape) {
  const double tiles = static_cast<double>(shape.batch) * tiles_of(shape.m) * tiles_of(shape.n) * tiles_of(shape.k);
  return kNsOfProductLaunch + kNsOfMatrixProduct * 32768 * tiles;
}

std::unique_ptr<Product> make_product(Engine, const ProductShape& shape, const host::Chip& chip) {
  return std::make_unique<MatrixProduct>(shape, chip);
}

}  // namespace kerr::loops::tiles
