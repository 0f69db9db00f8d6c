// Contractions on the matrix or vector unit: both factors gathered as matrices, their product, and what follows.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "loops/tiles/contraction.hpp"
#include "loops/tiles/engine.hpp"
#include "loops/tiles/gather.hpp"
#include "loops/tiles/part.hpp"
#include "loops/tiles/plan.hpp"

namespace kerr::loops::tiles {

/// The steps of a contraction by one engine.
struct ContractionSteps {
  ContractionSteps(const Program& bound, const Contraction& contraction, const Chunk& chunk, Engine by,
                   const host::Chip& chip, uint32_t harts, const CompileOptions& options);

  Engine engine;
  uint32_t harts;                       // at most
  std::vector<arch::NocCoord> workers;  // of the chip that they are for
  Type sums;                            // Bf16: rounded
  std::unique_ptr<Product> product;
  Gathered a, b;
  std::optional<Part> copy_a, copy_b;  // what is gathered from
  Part gather_a, gather_b, epilogue;
};

class ContractionPlan final : public Plan {
 public:
  ContractionPlan(const Program& bound, Contraction contraction, const Chunk& chunk, Engine engine,
                  const CompileOptions& options);

  double nanoseconds() const override { return nanoseconds_; }
  uint64_t products() const override;
  std::string explain() const override;
  std::string why_not(std::span<const View> views) const override;
  bool run(const Launch& launch) const override;

 private:
  struct Buffers;
  using Steps = std::unique_ptr<ContractionSteps>;
  Steps take(const Launch& launch, Engine engine) const;
  void give_back(Steps steps) const;
  std::optional<Buffers> buffers_of(const Launch& launch, const ContractionSteps& steps) const;
  // False: the matrix unit does not know some of these numbers.
  bool multiply(const Launch& launch, const Steps& steps, const Buffers& buffers, std::span<const int64_t> first) const;
  void run_product(const Launch& launch, Product& product, const Buffers& buffers) const;

  const Program& bound_;
  const Contraction contraction_;
  const Chunk chunk_;
  const Engine engine_;
  const CompileOptions options_;
  ProductShape shape_;
  double nanoseconds_ = 0;
  std::string explanation_;
  std::vector<bool> stored_;  // of each parameter
  mutable std::mutex mutex_;
  mutable std::vector<Steps> idle_;
};

/// How the gathered matrices of a contraction and its sums are compared. Throws std::logic_error.
void compare_contraction(Check& check, const Program& bound, const Contraction& contraction, const Chunk& chunk,
                         const ContractionSteps& steps, host::Chip& chip, const host::Buffer& a, const host::Buffer& b,
                         const host::Buffer& c, std::span<const int64_t> first);

}  // namespace kerr::loops::tiles
