#include "loops/decode.hpp"

#include <bit>
#include <utility>

namespace kerr::loops {

namespace {

class Decoder {
 public:
  Decoder(const Program& program, std::span<const std::span<std::byte>> buffers, Decoded& out)
      : program_(program), buffers_(buffers), out_(out) {
    for (const Value& value : program.values) {
      first_lane_.push_back(static_cast<uint32_t>(out_.slots.size()));
      out_.slots.resize(out_.slots.size() + value.type.lanes);
    }
    uint64_t bytes = 0;
    for (const Register& r : program.registers) {
      register_begin_.push_back(bytes);
      bytes += r.bytes();
    }
    out_.registers.resize(bytes);
    first_step_.resize(program.body.size());
  }

  void set_variables(std::span<const int64_t> numbers) {
    for (size_t k = 0; k < numbers.size(); ++k) {
      const Variable& variable = program_.variables[k];
      const auto bits = static_cast<uint64_t>(numbers[k]);
      out_.slots[first_lane_[variable.value]] = variable.type == Type::I32 ? static_cast<uint32_t>(bits) : bits;
    }
  }

  void decode() {
    for (uint32_t at = 0; at < program_.body.size(); ++at) {
      const Instruction& i = program_.body[at];
      first_step_[at] = static_cast<uint32_t>(out_.steps.size());
      switch (i.verb) {
        case Verb::Loop:
        case Verb::EndLoop:
        case Verb::Do:
        case Verb::While:
        case Verb::If:
        case Verb::EndIf: decode_block(at, i); break;
        case Verb::Load:
        case Verb::Store: decode_access(at, i); break;
        default: decode_lanes(at, i);
      }
    }
    add(static_cast<uint32_t>(program_.body.size()), execute_of_end()).lines = lines_;
  }

 private:
  Step& add(uint32_t at, Execute execute) {
    Step& step = out_.steps.emplace_back();
    step.execute = execute;
    step.instruction = at;
    return step;
  }

  uint32_t slot(const Operand& operand, uint8_t lane = 0) {
    if (!operand.is_number()) return first_lane_[operand.value] + lane;
    out_.slots.push_back(operand.bits);
    return static_cast<uint32_t>(out_.slots.size() - 1);
  }

  void decode_block(uint32_t at, const Instruction& i) {
    Step& step = add(at, execute_of_block(i));
    step.lines = std::exchange(lines_, 0) + 1;
    if (i.operand_count > 0) step.a = slot(i.operands[0]);
    if (i.verb == Verb::Loop) step.result = first_lane_[i.result];
    if (i.verb == Verb::Loop || i.verb == Verb::Do || i.verb == Verb::If) return;
    // Each goes on behind the other.
    const uint32_t begin = first_step_[i.partner];
    const auto distance = static_cast<int32_t>(first_step_[at] - begin);
    out_.steps[begin].jump = distance + 1;
    step.jump = 1 - distance;
    if (i.verb != Verb::EndLoop) return;
    step.result = out_.steps[begin].result;
    step.a = out_.steps[begin].a;
  }

  void decode_access(uint32_t at, const Instruction& i) {
    const uint32_t element = slot(i.address.element);
    for (uint8_t lane = 0; lane < i.type.lanes; ++lane) {
      Step& step = add(at, execute_of_access(i));
      step.a = element;
      if (i.verb == Verb::Store) step.b = slot(i.operands[0], lane);
      if (i.verb == Verb::Load) step.result = first_lane_[i.result] + lane;
      if (i.gated) {
        step.b = slot(i.operands[0]);
        step.c = slot(i.operands[1], lane);
      }
      set_address(step, i, lane);
    }
    ++lines_;
  }

  void set_address(Step& step, const Instruction& i, uint8_t lane) {
    const bool parameter = i.address.space == Address::Space::Parameter;
    const uint32_t k = i.address.index;
    const uint64_t bytes = parameter ? program_.parameters[k].bytes() : program_.registers[k].bytes();
    std::byte* const begin = parameter ? buffers_[k].data() : out_.registers.data() + register_begin_[k];
    const uint64_t size = info(i.type.type).bytes, offset = lane * size;
    step.unit_shift = static_cast<uint8_t>(std::countr_zero(uint32_t{info(i.address.unit).bytes}));
    if (offset + size <= bytes) {
      step.base = begin + offset;
      step.limit = ((bytes - offset - size) >> step.unit_shift) + 1;
    }
    const TypeInfo& element = info(i.address.element.type.type);
    step.index_shift = static_cast<uint8_t>(element.is_signed ? 64 - 8 * element.bytes : 0);
  }

  void decode_lanes(uint32_t at, const Instruction& i) {
    const uint8_t lanes = i.verb == Verb::Lane ? 1 : i.type.lanes;
    for (uint8_t lane = 0; lane < lanes; ++lane) {
      Step& step = add(at, execute_of(i));
      step.result = first_lane_[i.result] + lane;
      if (i.verb == Verb::Pack) {
        step.a = slot(i.operands[lane]);
        continue;
      }
      step.a = slot(i.operands[0], i.verb == Verb::Lane ? static_cast<uint8_t>(i.operands[1].bits) : lane);
      if (i.verb == Verb::Lane) continue;
      if (i.operand_count > 1) step.b = slot(i.operands[1], lane);
      if (i.operand_count > 2) step.c = slot(i.operands[2], lane);
    }
    ++lines_;
  }

  const Program& program_;
  std::span<const std::span<std::byte>> buffers_;
  Decoded& out_;
  std::vector<uint32_t> first_lane_;      // slot of each value
  std::vector<uint32_t> first_step_;      // of each instruction
  std::vector<uint64_t> register_begin_;  // of each register array
  uint32_t lines_ = 0;                    // since the last begin or end of a block
};

}  // namespace

Decoded::Decoded(const Program& program, std::span<const std::span<std::byte>> buffers,
                 std::span<const int64_t> numbers) {
  Decoder decoder(program, buffers, *this);
  decoder.set_variables(numbers);
  decoder.decode();
}

}  // namespace kerr::loops
