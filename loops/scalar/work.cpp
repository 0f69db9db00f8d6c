#include "loops/scalar/work.hpp"

#include <vector>

namespace kerr::loops::scalar {

namespace {

constexpr double kTurnsOfADo = 16;

}  // namespace

double instructions_of(const Instruction& i) {
  const bool in_memory = i.address.space == Address::Space::Parameter;
  switch (i.verb) {
    case Verb::Load: return in_memory ? 8 : 1;
    case Verb::Store: return in_memory ? 20 : 1;
    case Verb::Fdiv:
    case Verb::Sqrt:
    case Verb::Exp2:
    case Verb::Log2:
    case Verb::Sin:
    case Verb::Threefry: return 50;
    default: return (info(i.type.type).bytes == 8 ? 8 : info(i.type.type).bytes == 2 ? 20 : 2) * i.type.lanes;
  }
}

double instructions_of(const Program& program, uint32_t from, uint32_t to,
                       const std::function<double(uint32_t line)>& turns) {
  double factor = 1, sum = 0;
  std::vector<double> outside;
  for (uint32_t at = from; at < to; ++at) {
    const Instruction& i = program.body[at];
    if (i.verb == Verb::Loop || i.verb == Verb::Do) {
      outside.push_back(factor);
      factor *= i.verb == Verb::Loop ? turns(at) : kTurnsOfADo;
    } else if (i.verb == Verb::EndLoop || i.verb == Verb::While) {
      sum += 2 * factor;
      factor = outside.back();
      outside.pop_back();
    } else {
      sum += instructions_of(i) * factor;
    }
  }
  return sum;
}

}  // namespace kerr::loops::scalar
