// Sums and maxima of rows as a way to run a program: the vector unit makes one number of each row, and what follows
// goes on with these.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "loops/tiles/bounds.hpp"
#include "loops/tiles/check.hpp"
#include "loops/tiles/cost.hpp"
#include "loops/tiles/epilogue.hpp"
#include "loops/tiles/flat_index.hpp"
#include "loops/tiles/part.hpp"
#include "loops/tiles/plan.hpp"
#include "loops/tiles/rows.hpp"
#include "loops/views.hpp"

namespace kerr::loops::tiles {
namespace {

// Nanoseconds of a thread of the host. By these and the estimate of scalar code a launch is taken for so many times
// quicker as it was measured to be, on a machine that others kept busy.
constexpr double kLaunch = 40'000, kCore = 16'000, kPage = 15'000, kUnit = 40'000, kComputing = 2;
constexpr double kMostCores = 8, kWorthACore = 60'000;
constexpr size_t kMostIdle = 4;
constexpr double kSumOfUlps = 0x1p-21;  // what values that are kMostUlps off add to the bound of a sum

bool is_sum(const Rows& rows) { return rows.reduction == kernels::Reduction::Sum; }

double work_ns(const Rows& rows) {
  const double units = std::ceil(static_cast<double>(rows.rows) / 4) / 4;  // four rows at a time
  return kComputing * page_work_ns(rows.plan) + kPage * rows.plan.shape.pages() + kUnit * units;
}
uint32_t cores_worth(const Rows& rows) {
  const double most = std::min<double>(kMostCores, rows.shape().units());
  return static_cast<uint32_t>(std::clamp(work_ns(rows) / kWorthACore, 1.0, most));
}
double nanoseconds_of(const Rows& rows) {
  double before = 0;
  for (const Made& made : rows.before) before += scalar_nanoseconds(made.program);
  if (rows.whole) before += scalar_nanoseconds(rows.whole->program);
  return before + kLaunch + kCore * cores_worth(rows) + work_ns(rows);
}

// What a step before it makes.
const Parameter& numbers_of(const Made& made) {
  const auto scratch = std::ranges::find(made.sources, kScratch);
  return made.program.parameters[static_cast<size_t>(scratch - made.sources.begin())];
}

// What is reduced is a word as it is loaded.
bool is_plain(const Rows& rows) {
  const std::vector<Instruction>& body = rows.values.program.body;
  const auto store = std::ranges::find(body, Verb::Store, &Instruction::verb);
  const auto makes_it = [&](const Instruction& i) { return i.result == store->operands[0].value; };
  const auto maker = std::ranges::find_if(body, makes_it);
  return rows.plan.shape.element_bytes == 4 && !store->operands[0].is_number() && maker != body.end() &&
         maker->verb == Verb::Load;
}

class RowPlan final : public Plan {
 public:
  RowPlan(const Program& bound, Rows rows, const arch::Harvesting& harvesting, const CompileOptions& options)
      : bound_(bound),
        rows_(std::move(rows)),
        direct_(find_direct()),
        rest_program_(epilogue(bound, rows_.sums, rows_.layout(), {})),
        rest_(rest_program_, harvesting, options),
        sums_(sums_alone(bound, rows_.sums, rows_.layout(), {})),
        nanoseconds_(nanoseconds_of(rows_) + (direct_ ? 0 : scalar_nanoseconds(rest_program_.program))) {
    for (const Made& made : rows_.before) before_.emplace_back(made, harvesting, options);
    if (rows_.whole) whole_.emplace(*rows_.whole, harvesting, options);
  }

  double nanoseconds() const override { return nanoseconds_; }
  uint64_t products() const override { return rows_.products(); }
  std::string explain() const override;
  std::string why_not(std::span<const View> views) const override;
  bool run(const Launch& launch) const override;

 private:
  struct Ready {
    uint32_t cores;
    std::vector<arch::NocCoord> workers;
    std::vector<kernels::FlatOperand> operands;
    host::Program program;
  };

  std::optional<FlatPlan::Place> find_direct() const;
  // Of sums that are not stored as they are, of their pieces, and of what is made before.
  struct Buffers {
    std::optional<host::Buffer> sums, pieces;
    std::vector<host::Buffer> before;
  };
  std::optional<Buffers> buffers_of(const Launch& launch, bool direct) const;
  std::vector<View> views_of_values(std::span<const View> views, const Buffers& buffers) const;
  void make_before(const Launch& launch, const Buffers& buffers) const;
  void reduce(const Launch& launch, kernels::FlatView result, const Buffers& buffers) const;
  std::unique_ptr<Ready> take(host::Chip& chip, const kernels::RowShape& shape, uint32_t cores) const;
  bool in_vain(std::span<const uint32_t> made) const;
  void compare(const Launch& launch, std::span<const uint32_t> made) const;

  const Program& bound_;
  const Rows rows_;
  const std::optional<FlatPlan::Place> direct_;  // where the program stores the numbers just as they are
  const Made rest_program_;
  const Part rest_;
  std::vector<Part> before_;
  std::optional<Part> whole_;
  const Made sums_;  // as the program defines them
  const double nanoseconds_;
  mutable std::atomic<bool> is_vain_ = false;  // a launch was
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Ready>> idle_;
};

// One store of what was loaded from the register, in the order of the rows, from a page on.
std::optional<FlatPlan::Place> RowPlan::find_direct() const {
  const Instruction* store = nullptr;
  for (const Instruction& i : bound_.body) {
    if (i.verb == Verb::If) return std::nullopt;
    if (i.verb != Verb::Store || i.address.space != Address::Space::Parameter) continue;
    if (store != nullptr) return std::nullopt;
    store = &i;
  }
  if (store == nullptr || store->operands[0].is_number() || !rows_.sums.others.empty() || rows_.whole)
    return std::nullopt;
  const Parameter& p = bound_.parameters[store->address.index];
  if (p.type != bound_.registers[rows_.sums.reg].type || info(p.type).bytes != 4 || store->address.unit != p.type)
    return std::nullopt;
  for (const Instruction& i : bound_.body) {
    if (i.result != store->operands[0].value) continue;
    if (i.verb != Verb::Load || i.address.space != Address::Space::Register || i.address.index != rows_.sums.reg)
      return std::nullopt;
  }
  // Behind the loop, and in no other.
  std::vector<uint32_t> open, round;
  for (uint32_t at = 0; at < bound_.body.size(); ++at) {
    if (bound_.body[at].verb == Verb::EndLoop) open.pop_back();
    if (bound_.body[at].verb == Verb::Loop) open.push_back(at);
    if (&bound_.body[at] == store) round = open;
  }
  std::vector<uint32_t> sorted = rows_.sums.m;
  std::ranges::sort(sorted);
  if (round != sorted) return std::nullopt;
  const auto linear = linear_values(bound_, rows_.sums.m);
  const auto index = linear_index(linear, store->address.element, rows_.sums.m.size());
  if (!index || index->constant < 0 || index->constant * 4 % kPageBytes != 0) return std::nullopt;
  int64_t step = 1;
  for (size_t k = rows_.sums.m.size(); k-- > 0;) {
    const uint64_t extent = bound_.body[rows_.sums.m[k]].operands[0].bits;
    if (extent != 1 && index->steps[k] != step) return std::nullopt;
    step *= static_cast<int64_t>(extent);
  }
  if (static_cast<uint64_t>(index->constant) + rows_.rows > p.count) return std::nullopt;
  return FlatPlan::Place{store->address.index, static_cast<uint64_t>(index->constant) * 4};
}

std::string RowPlan::explain() const {
  std::string text = fmt::format(
      "{} of {} rows of {} on the vector unit: {} pages, {} instructions for 32 words before{}\n",
      is_sum(rows_) ? "sums" : "maxima", rows_.rows, rows_.columns, rows_.plan.shape.pages(),
      is_plain(rows_) ? 0 : rows_.plan.code.words(), rows_.plan.exact ? "" : "; functions and quotients within an ulp");
  if (rows_.whole)
    text += fmt::format("these are pieces of {} numbers; scalar code puts them together: about {:.3g} ms\n",
                        rows_.numbers(), scalar_nanoseconds(rows_.whole->program) / 1e6);
  for (const Made& made : rows_.before)
    text += fmt::format("before it scalar code makes {} numbers: about {:.3g} ms\n", numbers_of(made).count,
                        scalar_nanoseconds(made.program) / 1e6);
  if (!direct_)
    text += fmt::format("then scalar code: about {:.3g} ms\n", scalar_nanoseconds(rest_program_.program) / 1e6);
  return text;
}

std::string RowPlan::why_not(std::span<const View> views) const {
  if (is_vain_) return "maxima were zeros or no numbers in an earlier launch";
  for (const Instruction& i : bound_.body) {
    if (i.verb != Verb::Store || i.address.space != Address::Space::Parameter) continue;
    for (const uint32_t l : rows_.loaded)
      if (overlap(views[i.address.index], views[l])) return fmt::format("line {} stores to what is loaded", i.line);
  }
  const std::vector<View> values = views_of_values(views, {});
  for (const FlatPlan::Place& operand : rows_.plan.operands)
    if ((values[operand.parameter].offset + operand.offset) % rows_.plan.shape.element_bytes != 0)
      return "what is loaded is not aligned to its elements";
  return "";
}

// The place of its result is nobody's; without buffers, so are those of what is made before.
std::vector<View> RowPlan::views_of_values(std::span<const View> views, const Buffers& buffers) const {
  std::vector<View> out;
  for (size_t p = 0; p < rows_.values.sources.size(); ++p) {
    const uint32_t source = rows_.values.sources[p];
    const uint32_t before = source - kScratch - 1;
    if (source < kScratch)
      out.push_back(views[source]);
    else if (source == kScratch || buffers.before.empty())
      out.push_back({views[0].buffer, 0, 0});
    else
      out.push_back({buffers.before[before], 0, rows_.values.program.parameters[p].bytes()});
  }
  return out;
}

std::optional<RowPlan::Buffers> RowPlan::buffers_of(const Launch& launch, bool direct) const {
  for (int tries = 0; tries < 2; ++tries) {
    try {
      Buffers out;
      if (!direct) out.sums = launch.scratch.get(launch.chip, 0, 4 * rows_.numbers());
      if (whole_) out.pieces = launch.scratch.get(launch.chip, 1, 4 * rows_.rows);
      for (uint32_t k = 0; k < rows_.before.size(); ++k)
        out.before.push_back(launch.scratch.get(launch.chip, 2 + k, numbers_of(rows_.before[k]).bytes()));
      return out;
    } catch (const host::OutOfDeviceMemory&) {
      launch.scratch.release();
    }
  }
  return std::nullopt;
}

void RowPlan::make_before(const Launch& launch, const Buffers& buffers) const {
  for (size_t k = 0; k < before_.size(); ++k) before_[k].run(launch, {&buffers.before[k], 1}, {});
}

std::unique_ptr<RowPlan::Ready> RowPlan::take(host::Chip& chip, const kernels::RowShape& shape, uint32_t cores) const {
  const auto all = chip.workers();
  // Without waiting: in a child of fork() the lock may be taken for good.
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
    for (auto it = idle_.begin(); it != idle_.end(); ++it) {
      const Ready& one = **it;
      if (one.cores != cores || one.operands != shape.input.operands ||
          one.program.layout().name != chip.layout().name || !std::ranges::equal(one.workers, all))
        continue;
      std::unique_ptr<Ready> found = std::move(*it);
      idle_.erase(it);
      return found;
    }
  }
  const kernels::vector::Phases* code = is_plain(rows_) ? nullptr : &rows_.plan.code;
  return std::make_unique<Ready>(Ready{cores,
                                       {all.begin(), all.end()},
                                       shape.input.operands,
                                       kernels::row_program("rows", code, shape, chip.layout(), all.first(cores))});
}

void RowPlan::reduce(const Launch& launch, kernels::FlatView result, const Buffers& buffers) const {
  const std::vector<View> views = views_of_values(launch.views, buffers);
  kernels::RowShape shape = rows_.shape();
  shape.input.operands = operands_at(rows_.plan, views);
  const uint32_t cores = std::min<uint32_t>(cores_worth(rows_), static_cast<uint32_t>(launch.chip.workers().size()));
  std::unique_ptr<Ready> ready = take(launch.chip, shape, cores);
  std::vector<kernels::FlatView> from;
  for (const FlatPlan::Place& operand : rows_.plan.operands) from.push_back(place_at(operand, views));
  kernels::set_row_views(ready->program, shape, result, from);
  host::Deadline deadline = host::kProgramDeadline;
  deadline.wall += std::chrono::milliseconds(static_cast<int64_t>(work_ns(rows_) / 1e5));  // tenfold
  try {
    launch.chip.run(ready->program, launch.options.deadline.value_or(deadline));
  } catch (const host::DeviceError& error) {
    throw host::DeviceError(
        error.category(),
        fmt::format("program '{}', line {}: {}", bound_.name, bound_.body[rows_.sums.adds].line, error.sentence()),
        error.report());
  }
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  if (idle_.size() >= kMostIdle) idle_.erase(idle_.begin());
  idle_.push_back(std::move(ready));
}

// Which of two zeros a maximum is depends on their order; a NaN is beyond all numbers only for the vector unit.
bool RowPlan::in_vain(std::span<const uint32_t> made) const {
  if (is_sum(rows_)) return false;
  return std::ranges::any_of(made, [](uint32_t bits) { return bits == 0 || (bits & 0x7FFFFFFF) > 0x7F800000; });
}

bool RowPlan::run(const Launch& launch) const {
  const bool direct = direct_ && (launch.views[direct_->parameter].offset + direct_->offset) % kPageBytes == 0;
  const std::optional<Buffers> buffers = buffers_of(launch, direct);
  if (!buffers) return false;
  const View* target = direct ? &launch.views[direct_->parameter] : nullptr;
  const uint64_t offset = direct ? target->offset + direct_->offset : 0;
  const host::Buffer& result = direct ? target->buffer : *buffers->sums;
  const host::Buffer& of_rows = whole_ ? *buffers->pieces : result;
  make_before(launch, *buffers);
  reduce(launch, {static_cast<uint32_t>(of_rows.address()), static_cast<uint32_t>(offset)}, *buffers);
  std::vector<uint32_t> made;
  const auto read = [&](const host::Buffer& from, uint64_t count) {
    made.resize(count);
    launch.chip.read(from, std::as_writable_bytes(std::span(made)), offset);
  };
  if (!is_sum(rows_)) read(of_rows, rows_.rows);
  if (in_vain(made)) {
    is_vain_ = true;
    return false;
  }
  if (whole_) {
    const host::Buffer of_whole[] = {*buffers->sums, *buffers->pieces};
    whole_->run(launch, of_whole, {});
  }
  if (launch.check != nullptr) {
    read(result, rows_.numbers());
    compare(launch, made);
  }
  if (!direct) rest_.run(launch, {&*buffers->sums, 1}, {});
  if (launch.check != nullptr) {
    const std::span<std::byte> of_made[] = {std::as_writable_bytes(std::span(made))};
    rest_.run(*launch.check, of_made, {});
  }
  return true;
}

void RowPlan::compare(const Launch& launch, std::span<const uint32_t> made) const {
  std::vector<std::vector<std::byte>> before;
  const auto buffers_of = [&](const Made& program, std::span<std::byte> scratch) {
    std::vector<std::span<std::byte>> out;
    for (const uint32_t source : program.sources) {
      const uint32_t made_before = source - kScratch - 1;
      out.push_back(source < kScratch    ? launch.check->expected.view(source)
                    : source == kScratch ? scratch
                                         : std::span(before[made_before]));
    }
    return out;
  };
  std::vector<uint32_t> right(rows_.numbers());
  launch.check->reference(sums_.program, buffers_of(sums_, std::as_writable_bytes(std::span(right))), {});
  const bool is_float = rows_.shape().number == kernels::RowNumber::Fp32;
  const bool has_values = is_sum(rows_) && is_float;
  std::vector<float> values(has_values ? rows_.rows * rows_.columns : 0);
  for (size_t k = 0; k < (has_values ? before_.size() : 0); ++k) {
    before.emplace_back(numbers_of(rows_.before[k]).bytes());
    const std::span<std::byte> made_before[] = {before.back()};
    before_[k].run(*launch.check, made_before, {});
  }
  if (has_values)
    launch.check->reference(rows_.values.program, buffers_of(rows_.values, std::as_writable_bytes(std::span(values))),
                            {});
  std::vector<std::vector<float>> added(has_values ? rows_.numbers() : 0);  // for each number
  for (uint64_t row = 0; row < (has_values ? rows_.rows : 0); ++row) {
    const auto own = std::span(values).subspan(row * rows_.columns, rows_.columns);
    std::vector<float>& of = added[rows_.whole ? rows_.number_of_piece[row] : row];
    of.insert(of.end(), own.begin(), own.end());
  }
  for (uint64_t n = 0; n < rows_.numbers(); ++n) {
    if (made[n] == right[n]) continue;
    double within = 0;
    if (has_values) {
      const std::vector<float> ones(added[n].size(), 1.0f);
      Bound bound = bound_of_sum(Engine::Vector, added[n], ones);
      if (!rows_.plan.exact)
        bound.within *= 1 + kSumOfUlps / (0x1p-22 + static_cast<double>(added[n].size()) * 0x1p-24);
      if (agree(std::bit_cast<float>(made[n]), std::bit_cast<float>(right[n]), bound)) continue;
      within = bound.within;
    }
    throw std::logic_error(fmt::format(
        "'{}' differs from its definition: the {} of line {}, row {}, is {:#x}, and must be {:#x} within {:.3g} (path "
        "tiles)",
        bound_.name, is_sum(rows_) ? "sum" : "maximum", bound_.body[rows_.sums.adds].line, n, made[n], right[n],
        within));
  }
}

}  // namespace

Found plan_rows(const Program& bound, const arch::Harvesting& harvesting, const CompileOptions& options) {
  if (bound.registers.empty()) return {nullptr, "no register is a sum or a maximum"};
  FoundRows found = find_rows(bound, options.math == Math::Exact);
  Found best{nullptr, std::move(found.why_not)};
  for (Rows& rows : found.all) {
    const bool is_float = rows.shape().number == kernels::RowNumber::Fp32;
    const bool stores = std::ranges::any_of(bound.body, [&](const Instruction& i) {
      return i.verb == Verb::Store && i.address.space == Address::Space::Parameter &&
             std::ranges::binary_search(rows.loaded, i.address.index);
    });
    if (stores)
      best.why_not = "it stores to what is loaded";
    else if (options.math == Math::Exact && is_sum(rows) && is_float)
      best.why_not = "its sums would be within bounds, and exact ones are asked for";
    else if (4 * rows.rows > kMostScratch)
      best.why_not = "it has too many rows";
    else if (!best.plan || nanoseconds_of(rows) < best.plan->nanoseconds()) {
      try {
        best.plan = std::make_unique<RowPlan>(bound, std::move(rows), harvesting, options);
      } catch (const std::invalid_argument& error) {  // no hart has room for what follows
        best.why_not = error.what();
      }
    }
  }
  return best;
}

}  // namespace kerr::loops::tiles
