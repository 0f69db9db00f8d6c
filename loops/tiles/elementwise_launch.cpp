#include <algorithm>
#include <stdexcept>

#include "loops/tiles/elementwise.hpp"
#include "loops/tiles/ready.hpp"

namespace kerr::loops::tiles {

namespace {

// Nanoseconds of a thread of the host, measured on the emulator (docs/reference/loop-programs.md "Path tiles").
constexpr double kLaunch = 30'000, kCore = 8'000, kPage = 7'000, kOperandPage = 4'000, kRepeatedPage = 8'000;
constexpr double kInstruction = 32 * 6.5, kRecordedWord = 90, kPushedInstruction = 32 * 50;
// Beyond so many cores the host's caches hold less of each than it saves to have more of them.
constexpr double kMostCores = 8, kWorthACore = 60'000;
constexpr size_t kMostIdle = 4;
constexpr uint32_t kFewestLineBytes = 512;

// Shorter ones are rather copied by a hart.
bool has_lines(const kernels::FlatOperand& operand, uint32_t element_bytes) {
  const uint64_t bytes = uint64_t{operand.period} * element_bytes;
  return operand.run == 1 && operand.rows.padded == 0 && bytes >= kFewestLineBytes &&
         bytes % kernels::kFlatAlignment == 0;
}

}  // namespace

double page_work_ns(const FlatPlan& plan) {
  const double words = plan.code.words();
  const bool plays = plan.code.phases.size() > 1 || words < kernels::vector::kReplaySlots;
  const uint32_t groups = plan.shape.groups();
  double page = (plays ? kInstruction : kPushedInstruction) / 32 * groups * words;
  if (plan.code.phases.size() > 1)  // for each block again
    page += kRecordedWord * ((groups + plan.code.groups - 1) / plan.code.groups) * words;
  for (const kernels::FlatOperand& operand : plan.shape.operands)
    page += operand.period == 0 ? kOperandPage : kRepeatedPage;
  return page * plan.shape.pages();
}

namespace {

double work_ns(const FlatPlan& plan) { return page_work_ns(plan) + kPage * plan.shape.pages(); }
uint32_t cores_worth(const FlatPlan& plan) {
  return static_cast<uint32_t>(std::clamp(work_ns(plan) / kWorthACore, 1.0, kMostCores));
}

struct Bytes {
  uint32_t buffer;
  uint64_t begin, end;
};
Bytes bytes_of(const FlatPlan& plan, const FlatPlan::Place& place, const View& view, uint64_t elements) {
  const uint64_t begin = view.offset + place.offset;
  return {view.buffer.address(), begin, begin + elements * plan.shape.element_bytes};
}

std::unique_ptr<ReadyProgram> take(host::Chip& chip, const FlatPlan& plan,
                                   const std::vector<kernels::FlatOperand>& operands, bool shifted, uint32_t cores) {
  const auto all = chip.workers();
  // Without waiting: in a child of fork() the lock may be taken for good.
  if (const std::unique_lock lock(plan.ready->mutex, std::try_to_lock); lock) {
    auto& idle = plan.ready->idle;
    for (auto it = idle.begin(); it != idle.end(); ++it) {
      const ReadyProgram& one = **it;
      if (one.cores != cores || one.operands != operands || one.shifted != shifted ||
          one.program.layout().name != chip.layout().name || !std::ranges::equal(one.workers, all))
        continue;
      std::unique_ptr<ReadyProgram> found = std::move(*it);
      idle.erase(it);
      return found;
    }
  }
  kernels::FlatShape shape = plan.shape;
  shape.operands = operands;
  shape.shifted = shifted;
  return std::make_unique<ReadyProgram>(
      ReadyProgram{cores,
                   {all.begin(), all.end()},
                   operands,
                   shifted,
                   kernels::flat_program("elementwise", plan.code, shape, chip.layout(), all.first(cores))});
}

}  // namespace

std::vector<kernels::FlatOperand> operands_at(const FlatPlan& plan, std::span<const View> views) {
  std::vector<kernels::FlatOperand> operands = plan.shape.operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    const uint64_t offset = views[plan.operands[i].parameter].offset + plan.operands[i].offset;
    if (operands[i].period == 0 && offset % kPageBytes != 0) {
      const uint32_t padded = operands[i].rows.padded;
      operands[i].period = padded == 0 ? plan.shape.elements : plan.shape.elements / padded;
    }
    operands[i].lines = has_lines(operands[i], plan.shape.element_bytes) && offset % kernels::kFlatAlignment == 0;
  }
  return operands;
}

kernels::FlatView place_at(const FlatPlan::Place& place, std::span<const View> views) {
  const View& view = views[place.parameter];
  return {static_cast<uint32_t>(view.buffer.address()), static_cast<uint32_t>(view.offset + place.offset)};
}

double estimated_ns(const FlatPlan& plan) { return kLaunch + kCore * cores_worth(plan) + work_ns(plan); }

bool fits(const FlatPlan& plan, std::span<const View> views) {
  const View& target = views[plan.result.parameter];
  const Bytes result = bytes_of(plan, plan.result, target, plan.shape.elements);
  if (result.begin % kernels::kFlatAlignment != 0) return false;
  const auto operands = operands_at(plan, views);
  for (size_t i = 0; i < operands.size(); ++i) {
    const View& view = views[plan.operands[i].parameter];
    const uint64_t elements = operands[i].period == 0 ? plan.shape.elements : operands[i].period;
    const Bytes bytes = bytes_of(plan, plan.operands[i], view, elements);
    if (bytes.begin % plan.shape.element_bytes != 0) return false;
    const bool apart = bytes.buffer != result.buffer || bytes.end <= result.begin || result.end <= bytes.begin;
    const bool in_place = operands[i].period == 0 && bytes.begin == result.begin && !plan.limited;
    if (!apart && !in_place) return false;
  }
  return true;
}

bool all_within(host::Chip& chip, const FlatPlan& plan, std::span<const View> views) {
  constexpr uint64_t kAtOnce = 1 << 18;
  const View& view = views[plan.result.parameter];
  // A last element of 16 bits is half of a word, which says the same.
  const uint64_t bytes = uint64_t{plan.shape.elements} * plan.shape.element_bytes;
  std::vector<uint32_t> words(std::min(bytes, kAtOnce) / 4 + 1);
  for (uint64_t at = 0; at < bytes; at += kAtOnce) {
    const uint64_t count = std::min(bytes - at, kAtOnce);
    words.back() = 0;
    chip.read(view.buffer, std::as_writable_bytes(std::span(words)).first(count),
              view.offset + plan.result.offset + at);
    const auto whole = std::span(words).first(count / 4);
    if (std::ranges::find(whole, kBeyond) != whole.end()) return false;
    if (count % 4 != 0 && (words[count / 4] & 0xFFFF) == (kBeyond & 0xFFFF)) return false;
  }
  return true;
}

void launch(host::Chip& chip, const FlatPlan& plan, std::span<const View> views, const LaunchOptions& options,
            uint32_t max_cores) {
  if (!fits(plan, views)) throw std::invalid_argument("element-wise tiles: these views do not fit");
  const std::vector<kernels::FlatOperand> operands = operands_at(plan, views);
  const auto most = static_cast<uint32_t>(std::min<size_t>(plan.shape.pages(), chip.workers().size()));
  const uint32_t cores = std::min(max_cores == 0 ? cores_worth(plan) : max_cores, most);
  const kernels::FlatView result = place_at(plan.result, views);
  const bool shifted = result.offset % kPageBytes != 0;
  std::unique_ptr<ReadyProgram> ready = take(chip, plan, operands, shifted, cores);
  std::vector<kernels::FlatView> from;
  for (const FlatPlan::Place& place : plan.operands) from.push_back(place_at(place, views));
  kernels::FlatShape shape = plan.shape;
  shape.operands = operands;
  kernels::set_flat_views(ready->program, shape, result, from);
  host::Deadline deadline = host::kProgramDeadline;
  deadline.wall += std::chrono::milliseconds(static_cast<int64_t>(work_ns(plan) / 1e5));  // tenfold
  chip.run(ready->program, options.deadline.value_or(deadline));
  const std::unique_lock lock(plan.ready->mutex, std::try_to_lock);
  if (!lock) return;
  if (plan.ready->idle.size() >= kMostIdle) plan.ready->idle.erase(plan.ready->idle.begin());
  plan.ready->idle.push_back(std::move(ready));
}

}  // namespace kerr::loops::tiles
