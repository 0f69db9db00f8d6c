#include "loops/tiles/engine.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "kernels/matmul/matmul.hpp"
#include "kernels/matmul/plan.hpp"
#include "kernels/vector_product/vector_product.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr double kNsOfMatrixProduct = 0.3, kNsOfVectorProduct = 2.0;  // a multiply-add
constexpr double kNsOfProductLaunch = 1'500'000;

uint32_t tiles_of(uint64_t size) { return static_cast<uint32_t>((size + kernels::kTileDim - 1) / kernels::kTileDim); }

// A product whose program depends on nothing but where the matrices lie.
class PlacedProduct : public Product {
 public:
  const ProductLayouts& layouts() const override { return layouts_; }

  void run(host::Chip& chip, const host::Buffer& a, const host::Buffer& b, const host::Buffer& c,
           const host::Deadline& deadline) override {
    const std::array<uint32_t, 3> addresses{a.address(), b.address(), c.address()};
    if (!program_ || addresses != addresses_) program_.emplace(program(chip, addresses));
    addresses_ = addresses;
    chip.run(*program_, deadline);
  }

 protected:
  virtual host::Program program(const host::Chip& chip, const std::array<uint32_t, 3>& addresses) const = 0;
  ProductLayouts layouts_;

 private:
  std::optional<host::Program> program_;
  std::array<uint32_t, 3> addresses_{};  // that it is for
};

class MatrixProduct final : public PlacedProduct {
 public:
  MatrixProduct(const ProductShape& shape, const host::Chip& chip, Type sums) {
    kernels::MatmulOptions options{.fidelity = kernels::Fidelity::HiFi4,
                                   .fp32_accumulate = true,
                                   .in = kernels::Format::Bf16,
                                   .out = kernels::Format::Fp32,
                                   .flat = true};
    options.batch = shape.batch;
    if (sums == Type::Bf16) {
      kernels::Expression same;
      same.input(0);
      options.epilogue = std::make_shared<kernels::MatmulEpilogue>(
          kernels::MatmulEpilogue{.expression = same, .operands_have_rows = {}, .even_bf16 = true});
      options.out = kernels::Format::Bf16;
    }
    plan_ = kernels::plan_matmul({shape.m, shape.n, shape.k}, kernels::matmul_cores(chip), options);
    layouts_ = {faces(shape.batch, plan_.m_tiles, plan_.k_tiles), faces(shape.batch, plan_.k_tiles, plan_.n_tiles),
                faces(shape.batch, plan_.m_tiles, plan_.n_tiles)};
  }

 private:
  host::Program program(const host::Chip& chip, const std::array<uint32_t, 3>& addresses) const override {
    return kernels::matmul_program(plan_, chip.layout(), chip.workers(), {addresses[0], addresses[1], addresses[2]});
  }

  kernels::MatmulPlan plan_;
};

class VectorProduct final : public PlacedProduct {
 public:
  VectorProduct(const ProductShape& shape, uint32_t harts)
      : shape_{shape.batch, tiles_of(shape.m), tiles_of(shape.n), tiles_of(shape.k)},
        cores_(std::max<size_t>(harts / 2, 1)) {
    layouts_ = pairs(shape_.batch, shape_.m_tiles, shape_.n_tiles, shape_.k_tiles);
  }

 private:
  host::Program program(const host::Chip& chip, const std::array<uint32_t, 3>& addresses) const override {
    const auto cores = chip.workers().first(std::min(cores_, chip.workers().size()));
    return kernels::vector_product_program(shape_, chip.layout(), cores, {addresses[0], addresses[1], addresses[2]});
  }

  const kernels::VectorProductShape shape_;
  const size_t cores_;
};

}  // namespace

std::string_view name_of(Engine engine) { return engine == Engine::Matrix ? "the matrix unit" : "the vector unit"; }

bool can_multiply(Engine engine, const ProductShape& shape) {
  if (engine == Engine::Vector) return true;
  return shape.batch <= kernels::kLargestBatch && shape.m <= kernels::kLargestSize &&
         shape.n <= kernels::kLargestSize && shape.k <= kernels::kLargestSize;
}

ProductLayouts usual_layouts(Engine engine, const ProductShape& shape) {
  const uint32_t m = tiles_of(shape.m), n = tiles_of(shape.n), k = tiles_of(shape.k);
  if (engine == Engine::Vector) return pairs(shape.batch, m, n, k);
  return {faces(shape.batch, m, k), faces(shape.batch, k, n), faces(shape.batch, m, n)};
}

double nanoseconds(Engine engine, const ProductShape& shape) {
  const double tiles = static_cast<double>(shape.batch) * tiles_of(shape.m) * tiles_of(shape.n) * tiles_of(shape.k);
  return kNsOfProductLaunch + (engine == Engine::Vector ? kNsOfVectorProduct : kNsOfMatrixProduct) * 32768 * tiles;
}

std::unique_ptr<Product> make_product(Engine engine, const ProductShape& shape, const host::Chip& chip, uint32_t harts,
                                      Type sums) {
  if (engine == Engine::Vector) return std::make_unique<VectorProduct>(shape, harts);
  return std::make_unique<MatrixProduct>(shape, chip, sums);
}

}  // namespace kerr::loops::tiles
