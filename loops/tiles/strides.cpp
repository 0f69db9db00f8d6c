#include "loops/tiles/strides.hpp"

#include <algorithm>
#include <optional>
#include <random>

#include "loops/arithmetic.hpp"
#include "loops/tiles/contraction.hpp"
#include "loops/tiles/maker.hpp"
#include "loops/tiles/slice.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr uint32_t kIterations = 48;

// Values of an iteration, as far as numbers say them.
class Iteration {
 public:
  Iteration(const Program& bound, const std::vector<uint32_t>& lines) : bound_(bound), is_(bound.values.size()) {
    lines_ = &lines;
  }
  void set(uint32_t loop, uint64_t number) { is_[bound_.body[loop].result] = number; }

  void compute() {
    for (const uint32_t at : *lines_) {
      const Instruction& line = bound_.body[at];
      const bool is_cast = line.verb == Verb::Cast;
      if ((!is_cast && !is_arithmetic(line.verb)) || line.type.lanes != 1) continue;
      std::vector<uint64_t> inputs;
      for (const Operand& operand : line.inputs())
        if (const std::optional<uint64_t> bits = of(operand)) inputs.push_back(*bits);
      if (inputs.size() != line.operand_count) continue;
      is_[line.result] = is_cast ? convert(line.type.type, line.operands[0].type.type, inputs[0])
                                 : loops::compute(line.verb, line.type.type, inputs);
    }
  }
  std::optional<uint64_t> of(const Operand& operand) const {
    return operand.is_number() ? operand.bits : is_[operand.value];
  }
  // In bytes, modulo 2^64. Nothing: it is not known, or nothing is loaded.
  std::optional<uint64_t> address(const Instruction& load) const {
    if (load.gated && of(load.operands[0]) != 1) return std::nullopt;
    const std::optional<uint64_t> element = of(load.address.element);
    if (!element) return std::nullopt;
    return static_cast<uint64_t>(value_of(number(load.address.element.type.type, *element))) *
           info(load.address.unit).bytes;
  }

 private:
  const Program& bound_;
  const std::vector<uint32_t>* lines_;
  std::vector<std::optional<uint64_t>> is_;
};

}  // namespace

uint64_t bytes_of_step(const Program& bound, const std::vector<Operand>& values, const Axes& axes, size_t axis,
                       uint64_t step) {
  const std::vector<uint32_t> lines = lines_behind(bound, lines_of_values(bound), values);
  std::vector<std::vector<uint64_t>> apart(lines.size());
  std::mt19937_64 random(1);
  for (uint32_t turn = 0; turn < kIterations; ++turn) {
    std::array<uint64_t, 3> numbers{};
    for (size_t k = 0; k < 3; ++k) numbers[k] = random() % std::max<uint64_t>(extent_of(bound, axes[k]), 1);
    const uint64_t extent = extent_of(bound, axes[axis]);
    if (extent <= step) return 0;
    numbers[axis] %= extent - step;
    std::vector<Iteration> both;
    for (const uint64_t more : {uint64_t{0}, step}) {
      Iteration iteration(bound, lines);
      for (size_t k = 0; k < 3; ++k) {
        uint64_t left = numbers[k] + (k == axis ? more : 0);
        for (size_t l = axes[k].size(); l-- > 0;) {
          const uint64_t own = extent_of(bound, axes[k][l]);
          iteration.set(axes[k][l], left % own);
          left /= own;
        }
      }
      iteration.compute();
      both.push_back(std::move(iteration));
    }
    for (size_t k = 0; k < lines.size(); ++k) {
      const Instruction& load = bound.body[lines[k]];
      if (load.verb != Verb::Load || load.address.space != Address::Space::Parameter) continue;
      const auto here = both[0].address(load), there = both[1].address(load);
      if (here && there) apart[k].push_back(std::min(*there - *here, *here - *there));
    }
  }
  uint64_t most = 0;
  for (std::vector<uint64_t>& of_load : apart) {
    if (of_load.empty()) continue;
    const auto middle = of_load.begin() + static_cast<ptrdiff_t>(of_load.size() / 2);
    std::nth_element(of_load.begin(), middle, of_load.end());
    most = std::max(most, *middle);
  }
  return most;
}

}  // namespace kerr::loops::tiles
