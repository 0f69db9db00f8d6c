#include "loops/tiles/contraction_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "loops/scalar/compile.hpp"
#include "loops/scalar/nest.hpp"
#include "loops/scalar/sharing.hpp"
#include "loops/tiles/check.hpp"
#include "loops/tiles/cost.hpp"
#include "loops/tiles/epilogue.hpp"
#include "loops/tiles/pairs.hpp"
#include "loops/tiles/tile_copy.hpp"
#include "loops/tiles/tile_tables.hpp"
#include "loops/views.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr uint64_t kFewestProducts = 32 * 32 * 32;
constexpr uint64_t kMostParts = 65'536;
constexpr uint64_t kSlowestProductsPerSecond = 20'000'000;

ProductShape shape_of(const Program& bound, const Contraction& c, const Chunk& chunk) {
  const auto extent = [&](const std::vector<uint32_t>& loops) {
    return static_cast<uint32_t>(extent_of(bound, loops, chunk));
  };
  return {extent(c.batch), extent(c.m), extent(c.n), extent(c.k)};
}

// Whether numbers of tiles, elements and bytes are within what one launch may have.
bool fits(Engine engine, const ProductShape& shape) {
  if (!can_multiply(engine, shape)) return false;
  const ProductLayouts layouts = usual_layouts(engine, shape);
  return std::ranges::all_of(std::array{&layouts.a, &layouts.b, &layouts.c},
                             [](const Layout* l) { return l->elements() * 4 <= kMostScratch; });
}

// Whether parts of a loop, one after the other, do what the program does: the lines outside of it are executed for each
// part, and where it is in another loop, iterations are in another order.
bool comes_apart(const Program& bound, const Contraction& c, uint32_t loop) {
  const uint32_t end = bound.body[loop].partner;
  bool inside = true, outermost = true;
  for (uint32_t at = 0; at < bound.body.size(); ++at) {
    const Instruction& line = bound.body[at];
    if (at < loop && line.partner > end && (line.verb == Verb::Loop || line.verb == Verb::If)) outermost = false;
    if (line.verb != Verb::Load && line.verb != Verb::Store) continue;
    const bool is_sum = line.address.space == Address::Space::Register && line.address.index == c.reg;
    const bool in_memory = line.address.space == Address::Space::Parameter && loop < at && at < end;
    inside = inside && (is_sum || in_memory);
  }
  if (inside && outermost) return true;
  const scalar::Nest nest = scalar::find_nest(bound);
  return std::ranges::find(nest.loops, loop) != nest.loops.end() &&
         scalar::sharing_of(bound, nest, scalar::usual_facts(bound).object, {}).independent;
}

// The parts of one loop in which everything fits, the fewest.
std::optional<Chunk> chunk_for(const Program& bound, const Contraction& c, Engine engine) {
  for (const auto* loops : {&c.batch, &c.m, &c.n, &c.k})
    if (extent_of(bound, *loops) > (uint64_t{1} << 31)) return std::nullopt;
  if (fits(engine, shape_of(bound, c, {}))) return Chunk{};
  std::optional<Chunk> best;
  uint64_t fewest = ~uint64_t{0};
  for (const auto* loops : {&c.batch, &c.m, &c.n}) {
    for (const uint32_t loop : *loops) {
      if (!comes_apart(bound, c, loop)) continue;
      const uint64_t extent = extent_of(bound, loop);
      for (uint64_t parts = 2; parts <= std::min(extent, kMostParts) && parts < fewest; ++parts) {
        if (extent % parts != 0) continue;
        const Chunk chunk{loop, extent / parts};
        if (!fits(engine, shape_of(bound, c, chunk))) continue;
        best = chunk;
        fewest = parts;
        break;
      }
    }
  }
  return best;
}

Type type_of_sums_by(Engine engine, const Program& bound, const Contraction& c) {
  return engine == Engine::Matrix && only_rounds_to_bf16(bound, c) ? Type::Bf16 : Type::F32;
}

Made epilogue_of(const Program& bound, const Contraction& c, const Layout& layout, const Chunk& chunk, Type sums) {
  Made made = epilogue(bound, c, layout, chunk, sums);
  copy_in_pairs(made);
  return made;
}

Gathered prepared(const Program& bound, Gathered what, const Chunk& chunk, Engine engine) {
  if (engine == Engine::Matrix) what.flag_digits = kTileDigits;
  if (chunk.loop == ~0u) {
    what.copy = find_tile_copy(bound, what);
    what.tables = find_tile_tables(bound, what);
  }
  return what;
}
Gathered gathered_a(const Program& bound, const Contraction& c, const Layout& layout, const Chunk& chunk,
                    Engine engine) {
  return prepared(bound, {c.a, c.gates, c.batch, c.m, c.k, layout, type_of_factors(engine), {}}, chunk, engine);
}
Gathered gathered_b(const Program& bound, const Contraction& c, const Layout& layout, const Chunk& chunk,
                    Engine engine) {
  return prepared(bound, {c.b, c.gates, c.batch, c.k, c.n, layout, type_of_factors(engine), {}}, chunk, engine);
}

std::optional<Part> copy_part(const Program& bound, const Gathered& what, const host::Chip& chip,
                              const CompileOptions& options) {
  if (!what.copy) return std::nullopt;
  return std::optional<Part>(std::in_place, tile_copy(bound, what), chip.harvesting(), options);
}

// To gather a factor, with the copy that it is gathered from.
double gather_nanoseconds(const Program& bound, const Gathered& what, const Chunk& chunk) {
  return scalar_nanoseconds(gather(bound, what, chunk).program) +
         (what.copy ? scalar_nanoseconds(tile_copy(bound, what).program) : 0);
}

Found plan_of(const Program& bound, Contraction contraction, const CompileOptions& options) {
  for (const Instruction& line : bound.body) {
    if (line.verb == Verb::Store && line.address.space == Address::Space::Parameter &&
        std::ranges::binary_search(contraction.loaded, line.address.index))
      return {nullptr, fmt::format("line {} stores to what the sum's factors are loaded from", line.line)};
  }
  // Not for tf32=1: the matrix unit cuts factors off, so that sums of like products miss their bound.
  const Engine engine = contraction.narrow ? Engine::Matrix : Engine::Vector;
  const std::optional<Chunk> chunk = chunk_for(bound, contraction, engine);
  if (!chunk) return {nullptr, "its matrices are too large"};
  const double products = static_cast<double>(extent_of(bound, contraction.batch)) * extent_of(bound, contraction.m) *
                          extent_of(bound, contraction.n) * extent_of(bound, contraction.k);
  if (products < kFewestProducts && options.path != Path::Tiles)
    return {nullptr, fmt::format("{} multiply-adds are too few", products)};
  return {std::make_unique<ContractionPlan>(bound, std::move(contraction), *chunk, engine, options), {}};
}

}  // namespace

Found plan_contraction(const Program& bound, const arch::Harvesting&, const CompileOptions& options) {
  FoundContractions found = find_contractions(bound);
  if (found.all.empty()) return {nullptr, std::move(found.why_not)};
  if (options.math == Math::Exact) return {nullptr, "its sums would be within bounds, and exact ones are asked for"};
  Found best;
  for (Contraction& contraction : found.all) {
    Found next = plan_of(bound, std::move(contraction), options);
    const bool better = next.plan && (!best.plan || next.plan->nanoseconds() < best.plan->nanoseconds());
    if (better || (!best.plan && best.why_not.empty())) best = std::move(next);
  }
  return best;
}

ContractionSteps::ContractionSteps(const Program& bound, const Contraction& contraction, const Chunk& chunk, Engine by,
                                   const host::Chip& chip, uint32_t most_harts, const CompileOptions& options)
    : engine(by),
      harts(most_harts),
      workers(chip.workers().begin(), chip.workers().end()),
      sums(type_of_sums_by(by, bound, contraction)),
      product(make_product(by, shape_of(bound, contraction, chunk), chip, most_harts, sums)),
      a(gathered_a(bound, contraction, product->layouts().a, chunk, by)),
      b(gathered_b(bound, contraction, product->layouts().b, chunk, by)),
      copy_a(copy_part(bound, a, chip, options)),
      copy_b(copy_part(bound, b, chip, options)),
      gather_a(gather(bound, a, chunk), chip.harvesting(), options),
      gather_b(gather(bound, b, chunk), chip.harvesting(), options),
      epilogue(epilogue_of(bound, contraction, product->layouts().c, chunk, sums), chip.harvesting(), options) {}

ContractionPlan::ContractionPlan(const Program& bound, Contraction contraction, const Chunk& chunk, Engine engine,
                                 const CompileOptions& options)
    : bound_(bound),
      contraction_(std::move(contraction)),
      chunk_(chunk),
      engine_(engine),
      options_(options),
      shape_(shape_of(bound, contraction_, chunk)),
      stored_(bound.parameters.size()) {
  for (const Instruction& line : bound.body)
    if (line.verb == Verb::Store && line.address.space == Address::Space::Parameter) stored_[line.address.index] = true;
  const ProductLayouts layouts = usual_layouts(engine, shape_);
  const double parts = chunk.loop == ~0u ? 1.0 : static_cast<double>(extent_of(bound, chunk.loop)) / chunk.size;
  const Gathered a = gathered_a(bound, contraction_, layouts.a, chunk, engine);
  const Gathered b = gathered_b(bound, contraction_, layouts.b, chunk, engine);
  const double gathering = gather_nanoseconds(bound, a, chunk) + gather_nanoseconds(bound, b, chunk);
  const Type sums = type_of_sums_by(engine, bound, contraction_);
  const double storing = scalar_nanoseconds(epilogue_of(bound, contraction_, layouts.c, chunk, sums).program);
  const double product = tiles::nanoseconds(engine, shape_);
  nanoseconds_ = parts * (gathering + product + storing);
  explanation_ = fmt::format(
      "a product of {}{} x {} by {} x {} on {}: about {:.3g} ms to gather the factors, {:.3g} ms to multiply, "
      "{:.3g} ms for what follows\n",
      shape_.batch == 1 ? "" : fmt::format("{} times ", shape_.batch), shape_.m, shape_.k, shape_.k, shape_.n,
      name_of(engine), gathering / 1e6, product / 1e6, storing / 1e6);
  for (const uint32_t part : contraction_.parts)
    explanation_ += fmt::format("the sum of line {} is a part of that of line {}\n", bound.body[part].line,
                                bound.body[contraction_.adds].line);
  for (const Gathered* what : {&a, &b})
    if (what->copy)
      explanation_ +=
          fmt::format("what line {} loads is copied once, in the order of tiles\n", bound.body[what->copy->load].line);
  if (chunk.loop != ~0u)
    explanation_ += fmt::format("in {} parts, of the loop of line {}\n", parts, bound.body[chunk.loop].line);
}

uint64_t ContractionPlan::products() const {
  const uint64_t parts = chunk_.loop == ~0u ? 1 : extent_of(bound_, chunk_.loop) / chunk_.size;
  return parts * shape_.products();
}

std::string ContractionPlan::explain() const { return explanation_; }

std::string ContractionPlan::why_not(std::span<const View> views) const {
  for (size_t s = 0; s < views.size(); ++s) {
    if (!stored_[s]) continue;
    for (uint32_t l = 0; l < views.size(); ++l) {
      // In parts iterations may be in another order: nothing else may see what is stored.
      const bool matters = chunk_.loop != ~0u ? l != s : std::ranges::binary_search(contraction_.loaded, l);
      if (matters && overlap(views[s], views[l]))
        return fmt::format("p{} and p{} overlap", bound_.parameters[s].slot, bound_.parameters[l].slot);
    }
  }
  return {};
}

// Matrices, the flags of both factors, and what they are gathered from.
struct ContractionPlan::Buffers {
  host::Buffer a, b, c, flags_a, flags_b, copy_a, copy_b;
};

namespace {
// Elements of two bytes have room, too.
uint64_t words_of_copy(const Gathered& what) { return what.copy ? what.copy->elements() : 1; }
}  // namespace

std::optional<ContractionPlan::Buffers> ContractionPlan::buffers_of(const Launch& launch,
                                                                    const ContractionSteps& steps) const {
  const ProductLayouts& layouts = steps.product->layouts();
  const auto all = [&] {
    const auto get = [&](uint32_t number, uint64_t elements, Type type) {
      return launch.scratch.get(launch.chip, number, info(type).bytes * elements);
    };
    const Type factors = type_of_factors(steps.engine);
    return Buffers{get(0, layouts.a.elements(), factors),    get(1, layouts.b.elements(), factors),
                   get(2, layouts.c.elements(), steps.sums), get(3, flags_of(steps.a), Type::U32),
                   get(4, flags_of(steps.b), Type::U32),     get(5, words_of_copy(steps.a), Type::U32),
                   get(6, words_of_copy(steps.b), Type::U32)};
  };
  try {
    return all();
  } catch (const host::OutOfDeviceMemory&) {
    launch.scratch.release();
  }
  try {
    return all();
  } catch (const host::OutOfDeviceMemory&) {
    launch.scratch.release();
    return std::nullopt;
  }
}

ContractionPlan::Steps ContractionPlan::take(const Launch& launch, Engine engine) const {
  const uint32_t harts = std::min(options_.max_harts, launch.options.max_harts);
  // Without waiting: in a child of fork() the lock may be taken for good.
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
    for (auto it = idle_.begin(); it != idle_.end(); ++it) {
      if ((*it)->engine != engine || (*it)->harts != harts ||
          !std::ranges::equal((*it)->workers, launch.chip.workers()))
        continue;
      Steps found = std::move(*it);
      idle_.erase(it);
      return found;
    }
  }
  return std::make_unique<ContractionSteps>(bound_, contraction_, chunk_, engine, launch.chip, harts, options_);
}

void ContractionPlan::give_back(Steps steps) const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  if (idle_.size() >= 4) idle_.erase(idle_.begin());
  idle_.push_back(std::move(steps));
}

void ContractionPlan::run_product(const Launch& launch, Product& product, const Buffers& buffers) const {
  host::Deadline deadline = host::kProgramDeadline;
  const uint64_t seconds = shape_.products() / kSlowestProductsPerSecond;
  deadline.wall += std::chrono::seconds(seconds);
  deadline.cycles += shape_.products();
  try {
    product.run(launch.chip, buffers.a, buffers.b, buffers.c, launch.options.deadline.value_or(deadline));
  } catch (const host::DeviceError& error) {
    throw host::DeviceError(
        error.category(),
        fmt::format("program '{}', line {}: {}", bound_.name, bound_.body[contraction_.adds].line, error.sentence()),
        error.report());
  }
}

bool ContractionPlan::multiply(const Launch& launch, const Steps& steps, const Buffers& buffers,
                               std::span<const int64_t> first) const {
  const host::Buffer of_a[] = {buffers.a, buffers.flags_a, buffers.copy_a};
  const host::Buffer of_b[] = {buffers.b, buffers.flags_b, buffers.copy_b};
  if (steps->copy_a) steps->copy_a->run(launch, of_a, {});
  if (steps->copy_b) steps->copy_b->run(launch, of_b, {});
  steps->gather_a.run(launch, of_a, first);
  steps->gather_b.run(launch, of_b, first);
  for (const auto& [what, flags] : {std::pair{&steps->a, &buffers.flags_a}, {&steps->b, &buffers.flags_b}}) {
    if (!what->flag_digits) continue;
    std::vector<uint32_t> words(flags_of(*what));
    launch.chip.read(*flags, std::as_writable_bytes(std::span(words)));
    if (std::ranges::any_of(words, [](uint32_t word) { return word != 0; })) return false;
  }
  run_product(launch, *steps->product, buffers);
  if (launch.check != nullptr)
    compare_contraction(*launch.check, bound_, contraction_, chunk_, *steps, launch.chip, buffers.a, buffers.b,
                        buffers.c, first);
  return true;
}

bool ContractionPlan::run(const Launch& launch) const {
  Steps steps, other;
  try {
    steps = take(launch, engine_);
  } catch (const std::invalid_argument&) {  // a hart or the cores have no room for a step
    return false;
  }
  std::optional<Buffers> buffers = buffers_of(launch, *steps);
  const auto change_buffers = [&](const Steps& to) {
    buffers.reset();  // gives back what the other engine's matrices took
    buffers = buffers_of(launch, *to);
    if (!buffers)
      throw host::OutOfDeviceMemory(fmt::format("program '{}' finds no memory for its factors", bound_.name));
  };
  const uint64_t end = chunk_.loop == ~0u ? 1 : extent_of(bound_, chunk_.loop);
  const uint64_t size = chunk_.loop == ~0u ? 1 : chunk_.size;
  const bool done = buffers.has_value();
  const Steps* by = &steps;
  for (uint64_t at = 0; done && at < end; at += size) {
    const int64_t number = static_cast<int64_t>(at);
    const std::span<const int64_t> first(&number, chunk_.loop == ~0u ? 0 : 1);
    if (by == &other) change_buffers(steps);
    by = &steps;
    if (!multiply(launch, steps, *buffers, first)) {
      if (!other) other = take(launch, Engine::Vector);
      change_buffers(other);
      multiply(launch, other, *buffers, first);
      by = &other;
    }
    const host::Buffer of_c[] = {buffers->c};
    (*by)->epilogue.run(launch, of_c, first);
  }
  give_back(std::move(steps));
  if (other) give_back(std::move(other));
  return done;
}

}  // namespace kerr::loops::tiles
