#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "arch/banks.hpp"
#include "arch/harvesting.hpp"
#include "arch/memory_map.hpp"
#include "graph/parse.hpp"
#include "graph/stages.hpp"
#include "jobs/matmul.hpp"

namespace kerr::jobs {

namespace {

// A matrix of a product: tiles in DRAM, one a page.
struct Matrix {
  uint64_t tiles;
  kernels::Format format;
};

std::vector<Matrix> matrices_of(const kernels::MatmulPlan& p, bool bias) {
  const uint64_t batch = p.batch();
  std::vector<Matrix> all{{batch * p.m_tiles * p.k_tiles, p.options.in},
                          {batch * p.k_tiles * p.n_tiles, p.options.in},
                          {batch * p.m_tiles * p.n_tiles, p.options.out}};
  if (bias) all.push_back({p.n_tiles, *operand_format(p.options)});
  return all;
}

// What Chip::allocate() would say, before a device is there.
void check_memory(const kernels::MatmulPlan& p, const arch::Harvesting& harvesting, bool bias) {
  const auto banks = static_cast<uint64_t>(arch::good_dram_banks(harvesting));
  uint64_t bytes = 0;
  for (const Matrix& matrix : matrices_of(p, bias)) {
    const uint64_t page = (kernels::tile_bytes(matrix.format) + 63) / 64 * 64;
    bytes += (matrix.tiles + banks - 1) / banks * page;
  }
  constexpr uint64_t kUsable = arch::kDramRegisterBase - 64;
  if (bytes <= kUsable) return;
  constexpr double kGib = 1 << 30;
  throw std::invalid_argument(fmt::format(
      "the matrices take {:.1f} GiB of each DRAM bank, which has {:.1f}: the product exceeds the device's memory",
      static_cast<double>(bytes) / kGib, static_cast<double>(kUsable) / kGib));
}

// The epilogue's expression, of x alone.
kernels::Expression of_sum(const std::string& text) {
  const graph::Graph graph = graph::parse(text, [](std::string_view name) {
    if (name != "x")
      throw std::invalid_argument(
          fmt::format("an epilogue is made of x, an element of the product, not of '{}'", name));
    return graph::Shape{32, 32};
  });
  const std::vector<graph::Stage> stages = graph::stages(graph, kernels::Format::Bf16);
  const auto* elementwise = std::get_if<graph::ElementwiseStage>(&stages.front());
  if (stages.size() != 1 || !elementwise)
    throw std::invalid_argument(fmt::format("'{}' is not computed element by element: it cannot be an epilogue", text));
  return elementwise->expression;
}

std::shared_ptr<const kernels::MatmulEpilogue> epilogue_of(const MatmulJob& job) {
  if (!job.bias && job.epilogue.empty()) return nullptr;
  kernels::MatmulEpilogue made;
  kernels::Expression::Node x = made.expression.input(0);
  if (job.bias) {
    const kernels::Expression::Node both[] = {x, made.expression.input(1)};
    x = made.expression.apply(kernels::Operation::Add, both);
    made.operands_have_rows = {false};
  }
  if (!job.epilogue.empty()) x = made.expression.insert(of_sum(job.epilogue), {{x}});
  made.expression.set_result(x);
  return std::make_shared<const kernels::MatmulEpilogue>(std::move(made));
}

}  // namespace

kernels::MatmulPlan plan(const MatmulJob& job, std::span<const arch::NocCoord> workers,
                         const arch::FirmwareLayout& layout) {
  if (job.cores != 0 && job.cores < workers.size()) workers = workers.first(job.cores);
  kernels::MatmulOptions options = job.options;
  if (options.int8() && !job.fidelity_given) options.fidelity = kernels::Fidelity::HiFi4;  // fewer phases lose bits
  options.zones = job.profile;
  options.epilogue = epilogue_of(job);
  const kernels::MatmulCores usable{workers, arch::kL1Bytes - layout.unreserved};
  switch (job.planner) {
    case Planner::Direct: return kernels::plan_matmul_direct(job.shape, static_cast<uint32_t>(workers.size()), options);
    case Planner::Multicast: return kernels::plan_matmul_multicast(job.shape, usable, options);
    case Planner::Compat: return kernels::plan_matmul_compat(job.shape, usable, options);
    default: return kernels::plan_matmul(job.shape, usable, options);
  }
}

kernels::MatmulPlan plan_without_device(const MatmulJob& job) {
  const arch::Board& board = job.device.emulator.boards.front();
  const BoardCores cores(board);
  kernels::MatmulPlan plan = jobs::plan(job, cores.workers(), cores.layout);
  check_memory(plan, board.harvesting, job.bias);
  return plan;
}

}  // namespace kerr::jobs
