#include "loops/tiles/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "loops/tiles/cost.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr size_t kKept = 16;

}  // namespace

std::shared_ptr<const Choice> Choices::of(std::span<const int64_t> numbers) {
  const auto kept = [&]() -> std::shared_ptr<const Choice> {
    const auto found =
        std::ranges::find_if(kept_, [&](const Kept& k) { return std::ranges::equal(k.numbers, numbers); });
    if (found == kept_.end()) return nullptr;
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().choice;
  };
  // Without waiting: in a child of fork() the lock may be taken for good. Two threads may then make the same choice.
  if (const std::unique_lock lock(mutex_, std::try_to_lock); lock)
    if (auto choice = kept()) return choice;
  auto choice = choose(numbers);
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return choice;
  if (auto other = kept()) return other;
  if (kept_.size() == kKept) kept_.erase(kept_.begin());
  kept_.push_back({{numbers.begin(), numbers.end()}, choice});
  return choice;
}

std::string Choices::explain() {
  if (!program_.variables.empty()) return "tiles: each launch decides, for its numbers\n";
  const auto choice = of({});
  return fmt::format("{}tiles: {}{}\n", choice->plan ? choice->plan->explain() : "", choice->plan ? "" : "no, ",
                     choice->why);
}

std::shared_ptr<const Choice> Choices::choose(std::span<const int64_t> numbers) const {
  auto choice = std::make_shared<Choice>();
  choice->bound = bind(program_, numbers);
  const double scalar = scalar_nanoseconds(choice->bound);
  const auto time_of = [](const Found& found) {
    return found.plan ? found.plan->nanoseconds() : std::numeric_limits<double>::infinity();
  };
  Found found = plan_contraction(choice->bound, harvesting_, options_);
  std::string whys = found.plan ? "" : fmt::format("no product, as {}", found.why_not);
  const bool product = found.plan != nullptr;
  const auto consider = [&](Found other, const char* what) {
    if (!product && !other.plan) whys += fmt::format("; {}{}", what, other.why_not);
    const bool better = time_of(other) < time_of(found);
    if (better) found = std::move(other);
    return better;
  };
  const bool rows =
      !choice->bound.registers.empty() && consider(plan_rows(choice->bound, harvesting_, options_), "no rows, as ");
  // A program with rows is cut only where these take too long: a cut leaves the sum to scalar code.
  if (!(time_of(found) < scalar) && (!rows || options_.path != Path::Tiles))
    consider(plan_elementwise(choice->bound, harvesting_, options_), "not element-wise: ");
  if (!found.plan) {
    choice->why = whys;
    return choice;
  }
  const double tiles = time_of(found);
  choice->why = fmt::format("about {:.3g} ms, scalar code about {:.3g} ms", tiles / 1e6, scalar / 1e6);
  const double most = scalar + (found.plan->mostly_scalar() ? 0 : kNsForTiles);
  if (options_.path == Path::Tiles || tiles < most)
    choice->plan = std::move(found.plan);
  else if (!whys.empty())
    choice->why += "; " + whys;
  return choice;
}

}  // namespace kerr::loops::tiles
