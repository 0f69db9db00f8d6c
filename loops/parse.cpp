// Text to programs. All that a Program promises is checked here, line by line, so that the first wrong word is the one
// that is named.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "loops/program.hpp"
#include "loops/scopes.hpp"
#include "loops/words.hpp"

namespace kerr::loops {

namespace {

constexpr std::pair<std::string_view, Axis> kAxes[] = {{"weak", Axis::Weak},     {"loop", Axis::Loop},
                                                       {"global", Axis::Global}, {"reduce", Axis::Reduce},
                                                       {"upcast", Axis::Upcast}, {"unroll", Axis::Unroll}};
constexpr VectorType kBool{Type::Bool, 1};

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text), scopes_(in_, program_) {}

  Program program() {
    while (in_.next_line()) {
      if (in_.line() > kMostLines) in_.fail({{}, 1}, fmt::format("a program has at most {} lines", kMostLines));
      const Word first = in_.word();
      if (first.text.empty()) continue;
      if (!begun_ && first.text != "kernel") in_.fail(first, "a program begins with 'kernel NAME'");
      line(first);
    }
    if (!begun_) throw ProgramError(1, 1, "there is no program here: it begins with 'kernel NAME'");
    scopes_.expect_nothing_open();
    return std::move(program_);
  }

 private:
  // --- operands

  Operand any_operand(const Word& word) { return word.text.starts_with('%') ? scopes_.value(word) : in_.number(word); }

  Operand operand(const Word& word, VectorType type) {
    const Operand operand = any_operand(word);
    if (operand.type != type)
      in_.fail(word,
               fmt::format("{} is {}, and {} is wanted", quoted(word.text), text_of(operand.type), text_of(type)));
    return operand;
  }

  Operand integer_operand(const Word& word, std::string_view what) {
    const Operand operand = any_operand(word);
    if (!is_integer(operand.type.type) || operand.type.lanes != 1)
      in_.fail(word, fmt::format("{} is {}, and {} is an integer", quoted(word.text), text_of(operand.type), what));
    return operand;
  }

  // --- declarations

  void declare_kernel() {
    if (begun_) in_.fail({{}, 1}, "a text holds one program, and here a second one begins");
    begun_ = true;
    program_.name = in_.name(in_.word("a name"), "the name of a program");
    for (Word attribute = in_.word(); !attribute.text.empty(); attribute = in_.word()) {
      if (attribute.text != "tf32=0" && attribute.text != "tf32=1")
        in_.fail(attribute, fmt::format("{} is no attribute: there are tf32=0 and tf32=1", quoted(attribute.text)));
      program_.tf32 = attribute.text.back() == '1';
    }
  }

  void declare_parameter() {
    const Word slot_word = in_.word("a parameter pNUMBER");
    const uint32_t slot = in_.index(slot_word, 'p', "a parameter");
    if (!program_.parameters.empty() && program_.parameters.back().slot >= slot)
      in_.fail(slot_word, fmt::format("parameters come in ascending order, and p{} stands before p{}",
                                      program_.parameters.back().slot, slot));
    if (program_.parameters.size() == kMostParameters)
      in_.fail(slot_word, fmt::format("a program has at most {} parameters", kMostParameters));
    const Type type = in_.scalar_type(in_.word("its type"));
    const auto count = in_.integer<uint64_t>(in_.word("how many elements it has"), "the count of elements", 1,
                                             kMostParameterBytes / info(type).bytes);
    program_.parameters.push_back({slot, type, count, in_.line()});
  }

  void declare_variable() {
    const Word name_word = in_.word("a value %NAME");
    const Word type_word = in_.word("its type, i32 or i64");
    const Type type = in_.scalar_type(type_word);
    if (type != Type::I32 && type != Type::I64)
      in_.fail(type_word, fmt::format("a variable is i32 or i64, and not {}", info(type).name));
    if (!scopes_.is_outermost()) in_.fail(name_word, "a variable is declared outside of loops");
    std::string name = in_.name(in_.word("its name"), "the name of a variable");
    const int64_t least = type == Type::I32 ? INT32_MIN : INT64_MIN, most = type == Type::I32 ? INT32_MAX : INT64_MAX;
    const auto min = in_.integer<int64_t>(in_.word("its least value"), "the least value", least, most);
    const auto max = in_.integer<int64_t>(in_.word("its largest value"), "the largest value", min, most);
    const uint32_t value = scopes_.define(name_word, {type, 1});
    program_.variables.push_back({value, type, std::move(name), min, max});
  }

  void declare_register() {
    const Word id_word = in_.word("registers rNUMBER");
    const uint32_t id = in_.index(id_word, 'r', "a register array");
    if (const auto [known, is_new] = registers_.try_emplace(id, static_cast<uint32_t>(program_.registers.size()));
        !is_new)
      in_.fail(id_word, fmt::format("r{} is declared in line {} already", id, program_.registers[known->second].line));
    const Type type = in_.scalar_type(in_.word("their type"));
    const Word count_word = in_.word("how many there are");
    const auto count =
        in_.integer<uint64_t>(count_word, "the count of elements", 1, kMostRegisterBytes / info(type).bytes);
    program_.registers.push_back({id, type, count, in_.line()});
    register_bytes_ += program_.registers.back().bytes();
    if (register_bytes_ > kMostRegisterBytes)
      in_.fail(count_word, fmt::format("with it register arrays have {} bytes, and {} is the most", register_bytes_,
                                       kMostRegisterBytes));
  }

  // --- blocks

  Instruction& add(Verb verb, VectorType type = kBool) {
    Instruction& added = program_.body.emplace_back();
    added.verb = verb;
    added.type = type;
    added.line = in_.line();
    return added;
  }
  static void add_operand(Instruction& to, const Operand& operand) { to.operands[to.operand_count++] = operand; }

  void loop(const Word& result) {
    const Word type_word = in_.word("the type of the loop's variable");
    const Type type = in_.scalar_type(type_word);
    if (!is_integer(type)) in_.fail(type_word, fmt::format("loops count in integers, and not in {}", info(type).name));
    const Operand extent = operand(in_.word("an extent"), {type, 1});
    const Word axis_word = in_.word("weak, loop, global, reduce, upcast or unroll");
    const auto* axis =
        std::find_if(std::begin(kAxes), std::end(kAxes), [&](const auto& a) { return a.first == axis_word.text; });
    if (axis == std::end(kAxes))
      in_.fail(axis_word, fmt::format("{} is no kind of loop: there are weak, loop, global, reduce, upcast, unroll",
                                      quoted(axis_word.text)));
    scopes_.open(result, Verb::Loop);
    const uint32_t variable = scopes_.define_name(result, {type, 1});
    Instruction& i = add(Verb::Loop, {type, 1});
    i.axis = axis->second;
    i.result = variable;
    add_operand(i, extent);
  }

  void end_loop(const Word& first) {
    scopes_.expect_end(first, Verb::Loop);
    const uint32_t variable = scopes_.expect_name(in_.word("the name of what ends"));
    add(Verb::EndLoop, program_.values[variable].type);
    scopes_.close();
  }

  void begin_do(const Word& first) {
    const Word label = in_.word("a name %NAME");
    scopes_.open(first, Verb::Do);
    const uint32_t name = scopes_.define_name(label, kBool);
    add(Verb::Do).result = name;
  }

  void end_do(const Word& first) {
    scopes_.expect_end(first, Verb::Do);
    scopes_.expect_name(in_.word("the name of what ends"));
    const Operand condition = operand(in_.word("a condition"), kBool);
    add_operand(add(Verb::While), condition);
    scopes_.close();
  }

  void begin_if(const Word& first) {
    const Operand condition = operand(in_.word("a condition"), kBool);
    scopes_.open(first, Verb::If);
    add_operand(add(Verb::If), condition);
  }

  void end_if(const Word& first) {
    scopes_.expect_end(first, Verb::If);
    add(Verb::EndIf);
    scopes_.close();
  }

  // --- loads and stores

  // p0[i], p0~T[i] and p0[i]~T of a line whose type is `type`.
  Address address(const Word& word, VectorType type) {
    const size_t open = word.text.find('['), close = word.text.rfind(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      in_.fail(word,
               fmt::format("{} is no address: it is written p0[INDEX], r0[INDEX], p0~TYPE[INDEX] or p0[INDEX]~TYPE",
                           quoted(word.text)));
    Word base = word.part(0, open), before, behind = word.part(close + 1);
    if (const size_t tilde = base.text.find('~'); tilde != std::string_view::npos) {
      before = base.part(tilde + 1);
      base = base.part(0, tilde);
    }
    Address out;
    Type own{};
    uint64_t bytes = 0;
    if (base.text.starts_with('r')) {
      const uint32_t id = in_.index(base, 'r', "a register array");
      const auto known = registers_.find(id);
      if (known == registers_.end()) in_.fail(base, fmt::format("there is no r{}", id));
      out.space = Address::Space::Register;
      out.index = known->second;
      own = program_.registers[out.index].type;
      bytes = program_.registers[out.index].bytes();
    } else {
      const uint32_t slot = in_.index(base, 'p', "a parameter");
      const auto& all = program_.parameters;
      const auto found =
          std::lower_bound(all.begin(), all.end(), slot, [](const Parameter& p, uint32_t s) { return p.slot < s; });
      if (found == all.end() || found->slot != slot) in_.fail(base, fmt::format("there is no p{}", slot));
      out.index = static_cast<uint32_t>(found - all.begin());
      own = found->type;
    }
    out.unit = own;
    Type accessed = own;
    if (!before.text.empty()) accessed = out.unit = in_.scalar_type(before);
    if (!behind.text.empty()) {
      if (!behind.text.starts_with('~'))
        in_.fail(behind, fmt::format("behind ']' stands nothing or ~TYPE, and not {}", quoted(behind.text)));
      if (!before.text.empty()) in_.fail(behind, "'~TYPE' stands before or behind the index, and not twice");
      accessed = in_.scalar_type(behind.part(1));
    }
    if (accessed != type.type)
      in_.fail(word, fmt::format("{} is {}, and the line's type is {}", quoted(word.text), info(accessed).name,
                                 text_of(type)));
    const Word index = word.part(open + 1, close - open - 1);
    out.element = integer_operand(index, "an index");
    // Registers of constant index live in a machine's registers, which have no bounds.
    if (out.space == Address::Space::Register && out.element.is_number()) {
      const uint64_t size = uint64_t{info(accessed).bytes} * type.lanes, unit = info(out.unit).bytes;
      if (size > bytes || out.element.bits > (bytes - size) / unit)
        in_.fail(index,
                 fmt::format("{} is outside of r{}, which has {} {}", quoted(index.text),
                             program_.registers[out.index].id, program_.registers[out.index].count, info(own).name));
    }
    return out;
  }

  void load(const Word& result) {
    const VectorType type = in_.vector_type(in_.word("a type"));
    const Address from = address(in_.word("an address"), type);
    Operand condition, otherwise;
    const Word gate = in_.word();
    if (!gate.text.empty()) {
      condition = operand(gate, kBool);
      otherwise = operand(in_.word("the value if the condition is false"), type);
    }
    const uint32_t value = scopes_.define(result, type);
    Instruction& i = add(Verb::Load, type);
    i.result = value;
    i.address = from;
    i.gated = !gate.text.empty();
    if (!i.gated) return;
    add_operand(i, condition);
    add_operand(i, otherwise);
  }

  void store() {
    const VectorType type = in_.vector_type(in_.word("a type"));
    const Address to = address(in_.word("an address"), type);
    const Operand stored = operand(in_.word("what is stored"), type);
    Instruction& i = add(Verb::Store, type);
    i.address = to;
    add_operand(i, stored);
  }

  // --- arithmetic

  // Adds the instruction when its operands are known, for a line may not define what it uses.
  void add_result(const Word& result, Verb verb, VectorType type, VectorType result_type,
                  std::span<const Operand> operands) {
    const uint32_t value = scopes_.define(result, result_type);
    Instruction& i = add(verb, type);
    i.result = value;
    for (const Operand& operand : operands) add_operand(i, operand);
  }

  void cast(const Word& result, Verb verb) {
    const VectorType type = in_.vector_type(in_.word("a type"));
    const Word from_word = in_.word("an operand");
    const Operand from = any_operand(from_word);
    if (from.type.lanes != type.lanes)
      in_.fail(from_word, fmt::format("{} is {}, which has not as many lanes as {}", quoted(from_word.text),
                                      text_of(from.type), text_of(type)));
    if (verb == Verb::Bitcast && info(from.type.type).bytes != info(type.type).bytes)
      in_.fail(from_word, fmt::format("{} is {}, which has not as many bits as {}", quoted(from_word.text),
                                      text_of(from.type), text_of(type)));
    add_result(result, verb, type, type, {&from, 1});
  }

  void pack(const Word& result) {
    const Word type_word = in_.word("a type");
    const VectorType type = in_.vector_type(type_word);
    if (type.lanes == 1)
      in_.fail(type_word, fmt::format("a vector is made, as {}x2, and not {}", text_of(type), text_of(type)));
    std::array<Operand, 4> lanes;
    for (uint8_t lane = 0; lane < type.lanes; ++lane) lanes[lane] = operand(in_.word("another lane"), {type.type, 1});
    add_result(result, Verb::Pack, type, type, std::span(lanes).first(type.lanes));
  }

  void lane(const Word& result) {
    const Type type = in_.scalar_type(in_.word("a type"));
    const Word vector_word = in_.word("a vector");
    const Operand vector = any_operand(vector_word);
    if (vector.type.lanes == 1 || vector.type.type != type)
      in_.fail(vector_word, fmt::format("{} is {}, and a vector of {} is wanted", quoted(vector_word.text),
                                        text_of(vector.type), info(type).name));
    const Word lane_word = in_.word("i32:LANE");
    const Operand lane = operand(lane_word, {Type::I32, 1});
    if (!lane.is_number() || lane.bits >= vector.type.lanes)
      in_.fail(lane_word,
               fmt::format("{} is no lane: they are i32:0 to i32:{}", quoted(lane_word.text), vector.type.lanes - 1));
    const Operand operands[] = {vector, lane};
    add_result(result, Verb::Lane, {type, 1}, {type, 1}, operands);
  }

  void arithmetic(const Word& result, const Operation& row) {
    const Word type_word = in_.word("a type");
    VectorType type = in_.vector_type(type_word);
    if (!computes(row.verb, type.type))
      in_.fail(type_word, fmt::format("there is no '{}' of {}", row.name, info(type.type).name));
    const bool compares = row.kind == OperandKind::Compare;
    std::array<Operand, 3> operands;
    for (uint8_t k = 0; k < row.operands; ++k) {
      const Word at = in_.word("an operand");
      if (compares && k == 0 && type.type == Type::Bool) {  // the result's type
        operands[0] = any_operand(at);
        if (operands[0].type.lanes == type.lanes) type = operands[0].type;
      }
      if (row.kind == OperandKind::Select && k == 0)
        operands[k] = operand(at, {Type::Bool, type.lanes});
      else if (row.kind == OperandKind::Shift && k == 1)
        operands[k] = shift_count(at, type);
      else
        operands[k] = operand(at, type);
    }
    add_result(result, row.verb, type, compares ? VectorType{Type::Bool, type.lanes} : type,
               std::span(operands).first(row.operands));
  }

  Operand shift_count(const Word& word, VectorType type) {
    const Operand count = any_operand(word);
    if (!is_integer(count.type.type) || count.type.lanes != type.lanes)
      in_.fail(word, fmt::format("{} is {}, and a count is {}", quoted(word.text), text_of(count.type),
                                 type.lanes == 1 ? std::string("an integer") : fmt::format("{} integers", type.lanes)));
    return count;
  }

  // --- lines

  void assignment(const Word& result) {
    const Word equals = in_.word("'='");
    if (equals.text != "=")
      in_.fail(equals, fmt::format("behind {} stands '=', and not {}", quoted(result.text), quoted(equals.text)));
    const Word verb = in_.word("what is done");
    if (verb.text == "loop") return loop(result);
    if (verb.text == "load") return load(result);
    if (verb.text == "cast") return cast(result, Verb::Cast);
    if (verb.text == "bitcast") return cast(result, Verb::Bitcast);
    if (verb.text == "pack") return pack(result);
    if (verb.text == "lane") return lane(result);
    for (const Operation& row : operations())
      if (row.name == verb.text) return arithmetic(result, row);
    in_.fail(verb, fmt::format("{} is no verb that has a result", quoted(verb.text)));
  }

  void line(const Word& first) {
    const std::string_view word = first.text;
    if (scopes_.is_in(Verb::If) && word != "store" && word != "endif")
      in_.fail(first, fmt::format("between 'if' and 'endif' stand only stores, and not {}", quoted(word)));
    if (word.starts_with('%'))
      assignment(first);
    else if (word == "store")
      store();
    else if (word == "end")
      end_loop(first);
    else if (word == "if")
      begin_if(first);
    else if (word == "endif")
      end_if(first);
    else if (word == "do")
      begin_do(first);
    else if (word == "while")
      end_do(first);
    else if (word == "param")
      declare_parameter();
    else if (word == "reg")
      declare_register();
    else if (word == "var")
      declare_variable();
    else if (word == "kernel")
      declare_kernel();
    else
      in_.fail(first,
               fmt::format(
                   "{} begins no line: there are kernel, param, var, reg, store, end, do, while, if, endif and %NAME =",
                   quoted(word)));
    in_.end_of_line();
  }

  Words in_;
  Program program_;
  Scopes scopes_;
  bool begun_ = false;
  std::map<uint32_t, uint32_t> registers_;  // id: index of Program::registers
  uint64_t register_bytes_ = 0;
};

}  // namespace

Program parse(std::string_view text) {
  if (text.size() > kMostText)
    throw ProgramError(1, 1, fmt::format("a program has at most {} bytes of text", kMostText));
  return Parser(text).program();
}

}  // namespace kerr::loops
