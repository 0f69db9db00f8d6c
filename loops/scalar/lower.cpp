#include "loops/scalar/lower.hpp"

#include <algorithm>
#include <array>

#include "loops/scalar/access.hpp"
#include "loops/scalar/builder.hpp"
#include "loops/scalar/scalars.hpp"
#include "loops/scalar/select.hpp"
#include "loops/scalar/work_area.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr uint64_t kShortLoop = 4;  // iterations

using Op = Builder::Op;

class Lowering {
 public:
  Lowering(const Program& program, const Plan& plan, const Facts& facts, const CompileOptions& options)
      : program_(program),
        plan_(plan),
        first_(program.values.size()),
        level_(program.values.size()),
        definition_(program.values.size(), kNowhere),
        linear_(program.values.size()),
        done_(program.body.size()),
        memory_(b_, program, plan, facts, options),
        registers_(b_, program, plan, options.check_bounds) {
    for (size_t v = 0; v < program.values.size(); ++v) {
      first_[v] = static_cast<uint32_t>(scalars_.size());
      scalars_.resize(scalars_.size() + program.values[v].type.lanes);
    }
    for (uint32_t at = 0; at < program.body.size(); ++at) {
      if (program.body[at].result != kNoValue) definition_[program.body[at].result] = at;
    }
  }

  Machine run() {
    end_ = b_.label();
    b_.set_line(program_.body.empty() ? 1 : program_.body.front().line);
    memory_.enter();
    variables();
    registers_.enter();
    for (uint32_t at = 0; at < program_.body.size(); ++at) line(at);
    b_.aim_here();
    b_.bind(end_);
    memory_.leave();
    return b_.finish();
  }

  const std::vector<bool>& uses_cache() const { return memory_.uses_cache(); }

 private:
  // Two words each, behind the views' offsets.
  void variables() {
    int32_t at = static_cast<int32_t>(4 * (Arguments::First + plan_.objects.size() + program_.parameters.size()));
    for (const Variable& variable : program_.variables) {
      Scalar& value = scalars_[first_[variable.value]];
      value.low = memory_.argument(static_cast<uint32_t>(at));
      if (is_wide(variable.type)) value.high = memory_.argument(static_cast<uint32_t>(at + 4));
      at += 8;
    }
  }

  void line(uint32_t at) {
    const Instruction& i = program_.body[at];
    if (done_[at]) return;
    b_.set_line(i.line);
    b_.aim_here();
    switch (i.verb) {
      case Verb::Loop: return open(at);
      case Verb::EndLoop: return close(i.partner);
      case Verb::Do: {
        const uint32_t top = b_.label();
        tops_.push_back({top, 0});
        b_.open_loop();
        memory_.pointers().open(false);
        memory_.enter_polling();
        b_.mark(Step::Kind::LoopBegin);
        b_.bind(top);
        return;
      }
      case Verb::While:
        b_.branch(Op::Bne, input(i, 0).low, kZero, tops_.back().top);
        b_.mark(Step::Kind::LoopEnd);
        b_.close_loop();
        memory_.pointers().close();
        memory_.leave_polling();
        tops_.pop_back();
        return;
      case Verb::If: {
        const uint32_t skip = b_.label();
        tops_.push_back({0, skip});
        b_.branch(Op::Beq, input(i, 0).low, kZero, skip);
        memory_.pointers().enter_if();
        return;
      }
      case Verb::EndIf:
        memory_.pointers().leave_if();
        b_.bind(tops_.back().behind);
        tops_.pop_back();
        return;
      case Verb::Load: return load(i, at);
      case Verb::Store: return store(i, at);
      default: return number_line(at);
    }
  }

  // ---- what makes a number from numbers

  uint32_t level_of(const Operand& operand) const {
    return operand.is_number() ? 0 : std::min(level_[operand.value], b_.depth());
  }

  void number_line(uint32_t at) {
    const Instruction& i = program_.body[at];
    done_[at] = true;
    uint32_t level = 0;
    for (const Operand& operand : i.inputs()) level = std::max(level, level_of(operand));
    level_[i.result] = level;
    b_.aim(level);
    const uint64_t before = b_.count();
    for (uint8_t lane = 0; lane < i.type.lanes; ++lane) result(i, lane) = number_of(i, lane);
    Scalar element;
    if (level == b_.depth() && registers_.made_for(at, element)) b_.retarget(result(i, 0), element, before);
    b_.aim_here();
    if (level == b_.depth()) follow(i);
  }

  Scalar number_of(const Instruction& i, uint8_t lane) {
    switch (i.verb) {
      case Verb::Cast: return convert(b_, i.type.type, i.operands[0].type.type, input(i, 0, lane));
      case Verb::Bitcast: return bitcast(b_, i.type.type, i.operands[0].type.type, input(i, 0, lane));
      case Verb::Pack: return input(i, lane, 0);
      case Verb::Lane: return input(i, 0, static_cast<uint8_t>(i.operands[1].bits));
      default: break;
    }
    std::array<Scalar, 4> inputs;
    for (uint32_t k = 0; k < i.operand_count; ++k) inputs[k] = input(i, k, lane);
    const Type count_type = operation(i.verb).kind == OperandKind::Shift ? i.operands[1].type.type : i.type.type;
    return compute(b_, i.verb, i.type.type, {inputs.data(), i.operand_count}, count_type);
  }

  Scalar& result(const Instruction& i, uint8_t lane) { return scalars_[first_[i.result] + lane]; }
  Scalar input(const Operand& operand, uint8_t lane = 0) {
    if (operand.is_number()) return number(b_, operand.type.type, operand.bits);
    return scalars_[first_[operand.value] + std::min<uint8_t>(lane, program_.values[operand.value].type.lanes - 1)];
  }
  Scalar input(const Instruction& i, uint32_t k, uint8_t lane = 0) { return input(i.operands[k], lane); }

  // Makes a value of level 0 before its line comes.
  void need(const Operand& operand) {
    if (operand.is_number() || definition_[operand.value] == kNowhere) return;
    const uint32_t at = definition_[operand.value];
    if (done_[at] || !is_number_line(program_.body[at].verb)) return;
    for (const Operand& deeper : program_.body[at].inputs()) need(deeper);
    number_line(at);
  }
  static bool is_number_line(Verb verb) {
    return is_arithmetic(verb) || verb == Verb::Cast || verb == Verb::Bitcast || verb == Verb::Pack ||
           verb == Verb::Lane;
  }

  // ---- loops

  struct Top {
    uint32_t top, behind;
  };

  void open(uint32_t at) {
    const Instruction& i = program_.body[at];
    if (!plan_.nest.loops.empty() && at == plan_.nest.loops.front()) open_nest();
    const bool shared = plan_.nest.holds(at);
    const Type type = i.type.type;
    const Scalar extent = input(i, 0);
    Scalar& variable = result(i, 0);
    variable.low = b_.make();
    variable.high = is_wide(type) && !shared && !is_short(i.operands[0]) ? b_.make() : kZero;
    const Top labels{b_.label(), b_.label()};
    tops_.push_back(labels);
    if (shared) {
      const auto k = static_cast<size_t>(std::find(plan_.nest.loops.begin(), plan_.nest.loops.end(), at) -
                                         plan_.nest.loops.begin());
      b_.set(variable.low, starts_[k]);
      if (k != 0) b_.set_constant(starts_[k], 0);
      if (at == plan_.nest.loops.back()) {
        // As far as the extent, or as this hart goes.
        const RegId left = k == 0 ? left_ : b_.op2(Op::Minu, left_, b_.op2(Op::Sub, extent.low, variable.low));
        stop_ = b_.op2(Op::Add, variable.low, left);
        if (k != 0) b_.put(Op::Sub, left_, left_, left);
      }
    } else {
      b_.set_constant(variable.low, 0);
      if (variable.high != kZero) b_.set_constant(variable.high, 0);
      if (!comes(i.operands[0])) {
        const Scalar zero;
        const std::array<Scalar, 2> order{zero, extent};
        b_.branch(Op::Beq, compute(b_, Verb::Cmplt, type, order, type).low, kZero, labels.behind);
      }
    }
    b_.open_loop();
    memory_.pointers().open(true, i.operands[0].is_number() && i.operands[0].bits <= kShortLoop);
    b_.mark(Step::Kind::LoopBegin);
    b_.bind(labels.top);
    level_[i.result] = b_.depth();
    linear_[i.result] = {memory_.pointers().serial(), shared ? variable.low : kZero, 0, 1};
  }

  void close(uint32_t at) {
    const Instruction& i = program_.body[at];
    const Top labels = tops_.back();
    tops_.pop_back();
    const Scalar variable = result(i, 0), extent = input(i, 0);
    const bool shared = plan_.nest.holds(at);
    const bool innermost = shared && at == plan_.nest.loops.back();
    const bool outermost = shared && at == plan_.nest.loops.front();
    memory_.pointers().advance();
    b_.put(Op::Addi, variable.low, variable.low, kZero, 1);
    if (shared && !innermost) {
      b_.branch(Op::Beq, left_, kZero, end_);
      outermost ? b_.jump(labels.top) : b_.branch(Op::Bne, variable.low, extent.low, labels.top);
    } else if (innermost) {
      b_.branch(Op::Bne, variable.low, stop_, labels.top);
    } else if (variable.high == kZero) {
      b_.branch(Op::Bne, variable.low, extent.low, labels.top);
    } else {
      b_.put(Op::Add, variable.high, variable.high, b_.is_zero(variable.low));
      b_.branch(Op::Bne, variable.low, extent.low, labels.top);
      b_.branch(Op::Bne, variable.high, extent.high, labels.top);
    }
    b_.mark(Step::Kind::LoopEnd);
    b_.close_loop();
    memory_.pointers().close();
    b_.bind(labels.behind);
  }

  // ---- what is affine in the variable of the loop that is open

  // base + constant + step * (iterations so far), modulo 2^32, in the loop of that serial number.
  struct Linear {
    uint32_t serial = 0;
    RegId base = kZero;
    uint32_t constant = 0, step = 0;
  };

  bool linear_of(const Operand& operand, Linear& out) {
    out = {};
    if (operand.is_number()) {
      out.constant = b_.known(input(operand).low).value_or(0);
      return true;
    }
    if (level_of(operand) < b_.depth()) {
      out.base = input(operand).low;
      return true;
    }
    out = linear_[operand.value];
    return out.serial != 0 && out.serial == memory_.pointers().serial();
  }

  static bool keeps_low_word(Type type) {
    return type == Type::I32 || type == Type::U32 || type == Type::I64 || type == Type::U64;
  }

  void follow(const Instruction& i) {
    if (b_.depth() == 0 || i.type.lanes != 1 || !keeps_low_word(i.type.type)) return;
    Linear x, y;
    switch (i.verb) {
      case Verb::Add:
      case Verb::Sub:
      case Verb::Mul:
        if (!linear_of(i.operands[1], y)) return;
        break;
      case Verb::Shl:
        if (!i.operands[1].is_number() || i.operands[1].bits > 31) return;
        break;
      case Verb::Neg: break;
      case Verb::Cast:
        if (!keeps_low_word(i.operands[0].type.type)) return;
        break;
      default: return;
    }
    if (!linear_of(i.operands[0], x)) return;
    b_.aim(b_.depth() - 1);
    const auto times = [&](const Linear& l, uint32_t factor) {
      return Linear{0, b_.mul(l.base, b_.constant(factor)), l.constant * factor, l.step * factor};
    };
    Linear out;
    switch (i.verb) {
      case Verb::Add: out = {0, b_.add(x.base, y.base), x.constant + y.constant, x.step + y.step}; break;
      case Verb::Sub: out = {0, b_.sub(x.base, y.base), x.constant - y.constant, x.step - y.step}; break;
      case Verb::Mul:
        if (y.base == kZero && y.step == 0) {
          out = times(x, y.constant);
        } else if (x.base == kZero && x.step == 0) {
          out = times(y, x.constant);
        } else {
          b_.aim_here();
          return;
        }
        break;
      case Verb::Shl: out = times(x, 1u << i.operands[1].bits); break;
      case Verb::Neg: out = times(x, ~0u); break;
      default: out = x; break;
    }
    b_.aim_here();
    out.serial = memory_.pointers().serial();
    linear_[i.result] = out;
  }

  Index index_of(const Operand& element) {
    const Scalar value = input(element);
    Index index{value.low, is_wide(element.type.type) ? value.high : kZero, level_of(element)};
    Linear linear;
    if (b_.depth() == 0 || !keeps_low_word(element.type.type) || index.level < b_.depth() ||
        !linear_of(element, linear))
      return index;
    index.linear = true;
    index.base = linear.base;
    index.constant = linear.constant;
    index.step = linear.step;
    return index;
  }

  // Which iterations are this hart's: [h * (n / H) + min(h, n mod H), ...), and the variables' values in the first.
  void open_nest() {
    for (uint32_t at : plan_.nest.loops) need(program_.body[at].operands[0]);
    b_.aim_here();
    const RegId count = memory_.argument(4 * Arguments::Iterations), harts = memory_.argument(4 * Arguments::Harts);
    const RegId hart = b_.make();
    b_.put(Op::Lw, hart, kWork, kZero, Work::Hart);
    const RegId each = b_.op2(Op::Divu, count, harts), more = b_.op2(Op::Remu, count, harts);
    RegId first = b_.op2(Op::Add, b_.op2(Op::Mul, hart, each), b_.op2(Op::Minu, hart, more));
    left_ = b_.make();
    b_.put(Op::Add, left_, each, b_.op2(Op::Sltu, hart, more));
    b_.branch(Op::Beq, left_, kZero, end_);
    starts_.assign(plan_.nest.loops.size(), kZero);
    for (size_t k = plan_.nest.loops.size(); k-- > 0;) {
      starts_[k] = b_.make();
      if (k == 0) {
        b_.put(Op::Addi, starts_[k], first);
        break;
      }
      const RegId extent = input(program_.body[plan_.nest.loops[k]].operands[0]).low;
      b_.put(Op::Remu, starts_[k], first, extent);
      first = b_.op2(Op::Divu, first, extent);
    }
  }

  // That the body runs at all.
  bool comes(const Operand& extent) const {
    if (!extent.is_number()) {
      for (const Variable& variable : program_.variables)
        if (variable.value == extent.value) return variable.min > 0;
      return false;
    }
    const uint32_t bits = 8u * info(extent.type.type).bytes;
    const bool negative = info(extent.type.type).is_signed && (extent.bits >> (bits - 1) & 1) != 0;
    return extent.bits != 0 && !negative;
  }
  // Below 2^31.
  bool is_short(const Operand& extent) const {
    if (extent.is_number()) return extent.bits < 0x80000000 || (comes(extent) == false);
    for (const Variable& variable : program_.variables)
      if (variable.value == extent.value) return variable.max < 0x80000000;
    return false;
  }

  // ---- loads and stores

  void load(const Instruction& i, uint32_t at) {
    level_[i.result] = b_.depth();
    const bool in_register = i.address.space == Address::Space::Register;
    if (in_register && !i.gated && !registers_.is_array(i.address.index)) {
      result(i, 0) = registers_.read(i.address, at);
      return;
    }
    const bool wide = is_wide(i.type.type);
    const Index index = index_of(i.address.element);
    if (i.gated) {
      const uint32_t skip = b_.label();
      for (uint8_t lane = 0; lane < i.type.lanes; ++lane) {
        Scalar& out = result(i, lane);
        const Scalar otherwise = input(i, 1, lane);
        out = {b_.make(in_float_file(i.type.type)), wide ? b_.make() : kZero};
        b_.set(out.low, otherwise.low);
        if (wide) b_.set(out.high, otherwise.high);
      }
      b_.branch(Op::Beq, input(i, 0).low, kZero, skip);
      for (uint8_t lane = 0; lane < i.type.lanes; ++lane) {
        const Scalar loaded = load_lane(i, at, index, lane);
        b_.set(result(i, lane).low, loaded.low);
        if (wide) b_.set(result(i, lane).high, loaded.high);
      }
      b_.bind(skip);
      return;
    }
    for (uint8_t lane = 0; lane < i.type.lanes; ++lane) result(i, lane) = load_lane(i, at, index, lane);
  }
  Scalar load_lane(const Instruction& i, uint32_t at, const Index& index, uint8_t lane) {
    if (i.address.space == Address::Space::Parameter) return memory_.load(i, index, lane);
    if (!registers_.is_array(i.address.index)) return registers_.read(i.address, at);
    return registers_.load(i, index.low, index.high, lane);
  }

  void store(const Instruction& i, uint32_t at) {
    if (i.address.space == Address::Space::Register && !registers_.is_array(i.address.index)) {
      registers_.write(i.address, input(i, 0));
      return;
    }
    const Index index = index_of(i.address.element);
    for (uint8_t lane = 0; lane < i.type.lanes; ++lane) {
      if (i.address.space == Address::Space::Parameter) {
        memory_.store(i, index, lane, input(i, 0, lane), plan_.alone[at]);
      } else {
        registers_.store(i, index.low, index.high, lane, input(i, 0, lane));
      }
    }
  }

  static constexpr uint32_t kNowhere = ~0u;

  const Program& program_;
  const Plan& plan_;
  Builder b_;
  std::vector<Scalar> scalars_;
  std::vector<uint32_t> first_;       // of each value
  std::vector<uint32_t> level_;       // of each value: how many loops it is made in
  std::vector<uint32_t> definition_;  // line of each value
  std::vector<Linear> linear_;        // of each value
  std::vector<bool> done_;            // lines of numbers
  Access memory_;
  Scalars registers_;
  std::vector<Top> tops_;
  uint32_t end_ = 0;
  RegId left_ = kZero,
        stop_ = kZero;         // iterations that this hart has still to run; where the innermost shared loop stops
  std::vector<RegId> starts_;  // of the shared loops' variables, next time
};

}  // namespace

Machine lower(const Program& program, const Plan& plan, const Facts& facts, const CompileOptions& options,
              std::vector<bool>& uses_cache) {
  Lowering lowering(program, plan, facts, options);
  Machine machine = lowering.run();
  uses_cache = lowering.uses_cache();
  return machine;
}

}  // namespace kerr::loops::scalar
