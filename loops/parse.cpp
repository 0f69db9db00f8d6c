// Text to programs. All that a Program promises is checked here, line by line, so that the first wrong word is the one that is named.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include "loops/line_reader.hpp"
#include "loops/numbers.hpp"
#include "loops/program.hpp"

namespace kerr::loops {

namespace {

constexpr std::pair<std::string_view, Axis> kAxes[] = {{"weak", Axis::Weak},     {"loop", Axis::Loop},
                                                       {"global", Axis::Global}, {"reduce", Axis::Reduce},
                                                       {"upcast", Axis::Upcast}, {"unroll", Axis::Unroll}};
constexpr VectorType kBool{Type::Bool, 1};

std::string text_of(VectorType type) {
  return type.lanes == 1 ? std::string(info(type.type).name) : fmt::format("{}x{}", info(type.type).name, type.lanes);
}

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : reader_(text) {}

  Program program() {
    while (reader_.next_line()) {
      if (reader_.line() > kMostLines) fail({{}, 1}, fmt::format("a program has at most {} lines", kMostLines));
      const Word first = reader_.word();
      if (first.text.empty()) continue;
      if (!begun_ && first.text != "kernel") fail(first, "a program begins with 'kernel NAME'");
      line(first);
    }
    if (!begun_) throw ProgramError(1, 1, "there is no program here: it begins with 'kernel NAME'");
    if (!open_.empty()) {
      const Block& block = blocks_[open_.back()];
      throw ProgramError(block.line, 1, fmt::format("{} has no '{}'", describe(block), end_of(block)));
    }
    return std::move(program_);
  }

 private:
  // A loop, do or if, and the program round them all.
  struct Block {
    Verb verb = Verb::Loop;
    uint32_t instruction = 0;
    uint32_t name = kNoValue;  // of Program::values
    uint32_t line = 0;
    bool open = true;
  };
  static constexpr uint32_t kOutermost = ~0u;

  [[noreturn]] void fail(const Word& where, const std::string& message) const {
    throw ProgramError(reader_.line(), where.column, message);
  }

  // --- words

  Word word(std::string_view wanted) {
    const Word word = reader_.word();
    if (word.text.empty()) fail(word, fmt::format("here the line ends, and {} is wanted", wanted));
    return word;
  }

  void end_of_line() {
    const Word more = reader_.word();
    if (!more.text.empty()) fail(more, fmt::format("{} is a word too many", quoted(more.text)));
  }

  template <class Integer>
  Integer integer(const Word& word, std::string_view what, Integer least, Integer most) {
    Integer value = 0;
    const char* const end = word.text.data() + word.text.size();
    const auto [stopped, error] = std::from_chars(word.text.data(), end, value);
    if (error != std::errc() || stopped != end || value < least || value > most)
      fail(word,
           fmt::format("{} is {}, and wanted is a whole number from {} to {}", what, quoted(word.text), least, most));
    return value;
  }

  std::string name(const Word& word, std::string_view what) {
    if (word.text.size() > kLongestName) fail(word, fmt::format("{} has at most {} characters", what, kLongestName));
    if (word.text.empty() || !std::all_of(word.text.begin(), word.text.end(), is_name_character))
      fail(word, fmt::format("{} is made of letters, digits and _ . -, unlike {}", what, quoted(word.text)));
    return std::string(word.text);
  }

  Type scalar_type(const Word& word) {
    const VectorType type = vector_type(word);
    if (type.lanes != 1) fail(word, fmt::format("{} is a vector, and a single type is wanted", quoted(word.text)));
    return type.type;
  }

  VectorType vector_type(const Word& word) {
    if (const auto type = type_named(word.text)) return {*type, 1};
    const size_t x = word.text.rfind('x');
    if (x != std::string_view::npos) {
      const auto type = type_named(word.text.substr(0, x));
      const std::string_view lanes = word.text.substr(x + 1);
      if (type && lanes.size() == 1 && lanes[0] >= '2' && lanes[0] <= '4')
        return {*type, static_cast<uint8_t>(lanes[0] - '0')};
    }
    std::string names;
    for (const TypeInfo& t : kTypes) names += fmt::format(" {}", t.name);
    fail(word,
         fmt::format("{} is no type: there are{}, and vectors of 2 to 4 of them, as f32x4", quoted(word.text), names));
  }

  // --- values

  static std::string_view end_of(const Block& block) {
    return block.verb == Verb::Loop ? "end" : block.verb == Verb::Do ? "while" : "endif";
  }

  std::string describe(const Block& block) const {
    if (block.verb == Verb::If) return fmt::format("the 'if' of line {}", block.line);
    return fmt::format("the '{}' of line {}, %{},", block.verb == Verb::Loop ? "loop" : "do", block.line,
                       program_.values[block.name].name);
  }

  // %7: made here.
  uint32_t define(const Word& word, VectorType type) {
    if (!word.text.starts_with('%')) fail(word, fmt::format("a value is named %NAME, unlike {}", quoted(word.text)));
    std::string name = this->name(word.part(1), "the name of a value");
    const auto value = static_cast<uint32_t>(program_.values.size());
    if (const auto [known, is_new] = values_.try_emplace(word.text, value); !is_new)
      fail(word, fmt::format("{} is defined in line {} already", quoted(word.text), defined_[known->second].line));
    program_.values.push_back({std::move(name), type});
    defined_.push_back({reader_.line(), open_.empty() ? kOutermost : open_.back()});
    return value;
  }

  Operand value(const Word& word) {
    const auto known = values_.find(word.text);
    if (known == values_.end()) fail(word, fmt::format("{} is not defined before it is used", quoted(word.text)));
    const uint32_t value = known->second;
    const Definition& definition = defined_[value];
    if (definition.block != kOutermost) {
      const Block& block = blocks_[definition.block];
      if (!block.open)
        fail(word, fmt::format("{} is gone: it belongs to {} which has ended", quoted(word.text), describe(block)));
      if (block.verb == Verb::Do && block.name == value)
        fail(word, fmt::format("{} is the name of a 'do' and no value", quoted(word.text)));
    }
    return {program_.values[value].type, value, 0};
  }

  Operand number(const Word& word) {
    const size_t colon = word.text.find(':');
    if (colon == std::string_view::npos)
      fail(word, fmt::format("{} is no operand: it is written %NAME or TYPE:NUMBER, as f32:1.5", quoted(word.text)));
    const Type type = scalar_type(word.part(0, colon));
    const Word digits = word.part(colon + 1);
    const auto bits = number_of_text(type, digits.text);
    if (!bits)
      fail(digits, fmt::format("{} is no {}, which is {}", quoted(digits.text), info(type).name, numbers_of(type)));
    return {{type, 1}, kNoValue, *bits};
  }

  Operand any_operand(const Word& word) { return word.text.starts_with('%') ? value(word) : number(word); }

  Operand operand(const Word& word, VectorType type) {
    const Operand operand = any_operand(word);
    if (operand.type != type)
      fail(word, fmt::format("{} is {}, and {} is wanted", quoted(word.text), text_of(operand.type), text_of(type)));
    return operand;
  }

  Operand integer_operand(const Word& word, std::string_view what) {
    const Operand operand = any_operand(word);
    if (!is_integer(operand.type.type) || operand.type.lanes != 1)
      fail(word, fmt::format("{} is {}, and {} is an integer", quoted(word.text), text_of(operand.type), what));
    return operand;
  }

  // --- declarations

  void declare_kernel() {
    if (begun_) fail({{}, 1}, "a text holds one program, and here a second one begins");
    begun_ = true;
    program_.name = name(word("a name"), "the name of a program");
    for (Word attribute = reader_.word(); !attribute.text.empty(); attribute = reader_.word()) {
      if (attribute.text != "tf32=0" && attribute.text != "tf32=1")
        fail(attribute, fmt::format("{} is no attribute: there are tf32=0 and tf32=1", quoted(attribute.text)));
      program_.tf32 = attribute.text.back() == '1';
    }
  }

  // p0, r1: the number.
  uint32_t index_of(const Word& word, char letter, std::string_view what) {
    if (!word.text.starts_with(letter))
      fail(word, fmt::format("{} is named {}NUMBER, unlike {}", what, letter, quoted(word.text)));
    return integer<uint32_t>(word.part(1), fmt::format("the number of {}", what), 0, kNoValue - 1);
  }

  void declare_parameter() {
    const Word slot_word = word("a parameter pNUMBER");
    const uint32_t slot = index_of(slot_word, 'p', "a parameter");
    if (!program_.parameters.empty() && program_.parameters.back().slot >= slot)
      fail(slot_word, fmt::format("parameters come in ascending order, and p{} stands before p{}",
                                  program_.parameters.back().slot, slot));
    if (program_.parameters.size() == kMostParameters)
      fail(slot_word, fmt::format("a program has at most {} parameters", kMostParameters));
    const Type type = scalar_type(word("its type"));
    const auto count = integer<uint64_t>(word("how many elements it has"), "the count of elements", 1,
                                         kMostParameterBytes / info(type).bytes);
    program_.parameters.push_back({slot, type, count, reader_.line()});
  }

  void declare_variable() {
    const Word name_word = word("a value %NAME");
    const Word type_word = word("its type, i32 or i64");
    const Type type = scalar_type(type_word);
    if (type != Type::I32 && type != Type::I64)
      fail(type_word, fmt::format("a variable is i32 or i64, and not {}", info(type).name));
    if (!open_.empty()) fail(name_word, "a variable is declared outside of loops");
    std::string name = this->name(word("its name"), "the name of a variable");
    const int64_t least = type == Type::I32 ? INT32_MIN : INT64_MIN, most = type == Type::I32 ? INT32_MAX : INT64_MAX;
    const auto min = integer<int64_t>(word("its least value"), "the least value", least, most);
    const auto max = integer<int64_t>(word("its largest value"), "the largest value", min, most);
    const uint32_t value = define(name_word, {type, 1});
    program_.variables.push_back({value, type, std::move(name), min, max});
  }

  void declare_register() {
    const Word id_word = word("registers rNUMBER");
    const uint32_t id = index_of(id_word, 'r', "a register array");
    if (const auto [known, is_new] = registers_.try_emplace(id, static_cast<uint32_t>(program_.registers.size()));
        !is_new)
      fail(id_word, fmt::format("r{} is declared in line {} already", id, program_.registers[known->second].line));
    const Type type = scalar_type(word("their type"));
    const Word count_word = word("how many there are");
    const auto count = integer<uint64_t>(count_word, "the count of elements", 1, kMostRegisterBytes / info(type).bytes);
    program_.registers.push_back({id, type, count, reader_.line()});
    register_bytes_ += program_.registers.back().bytes();
    if (register_bytes_ > kMostRegisterBytes)
      fail(count_word, fmt::format("with it register arrays have {} bytes, and {} is the most", register_bytes_,
                                   kMostRegisterBytes));
  }

  // --- blocks

  Instruction& add(Verb verb, VectorType type = kBool) {
    Instruction& added = program_.body.emplace_back();
    added.verb = verb;
    added.type = type;
    added.line = reader_.line();
    return added;
  }
  static void add_operand(Instruction& to, const Operand& operand) { to.operands[to.operand_count++] = operand; }

  void open(const Word& where, Verb verb, uint32_t line_of_body) {
    if (open_.size() == kDeepestNesting)
      fail(where, fmt::format("blocks stand in each other at most {} deep", kDeepestNesting));
    open_.push_back(static_cast<uint32_t>(blocks_.size()));
    blocks_.push_back({verb, line_of_body, kNoValue, reader_.line(), true});
  }

  // Checks that the innermost block is of the verb, and, for a loop or do, that the next word names it.
  Block& innermost(const Word& where, Verb verb) {
    if (open_.empty() || blocks_[open_.back()].verb != verb) {
      const std::string inside =
          open_.empty() ? "nothing is open here" : fmt::format("{} is open", describe(blocks_[open_.back()]));
      fail(where, fmt::format("{} closes nothing: {}", quoted(where.text), inside));
    }
    Block& block = blocks_[open_.back()];
    if (verb == Verb::If) return block;
    const Word name = word("the name of what ends");
    if (name.text != "%" + program_.values[block.name].name)
      fail(name, fmt::format("{} is not what ends here: {} is the innermost one that is open", quoted(name.text),
                             describe(block)));
    return block;
  }

  void close(Block& block) {
    const auto here = static_cast<uint32_t>(program_.body.size() - 1);
    program_.body[here].partner = block.instruction;
    program_.body[block.instruction].partner = here;
    block.open = false;
    open_.pop_back();
  }

  void loop(const Word& result) {
    const Word type_word = word("the type of the loop's variable");
    const Type type = scalar_type(type_word);
    if (!is_integer(type)) fail(type_word, fmt::format("loops count in integers, and not in {}", info(type).name));
    const Operand extent = operand(word("an extent"), {type, 1});
    const Word axis_word = word("weak, loop, global, reduce, upcast or unroll");
    const auto* axis =
        std::find_if(std::begin(kAxes), std::end(kAxes), [&](const auto& a) { return a.first == axis_word.text; });
    if (axis == std::end(kAxes))
      fail(axis_word, fmt::format("{} is no kind of loop: there are weak, loop, global, reduce, upcast, unroll",
                                  quoted(axis_word.text)));
    open(result, Verb::Loop, static_cast<uint32_t>(program_.body.size()));
    const uint32_t variable = define(result, {type, 1});
    blocks_.back().name = variable;
    Instruction& i = add(Verb::Loop, {type, 1});
    i.axis = axis->second;
    i.result = variable;
    add_operand(i, extent);
  }

  void end_loop(const Word& first) {
    Block& block = innermost(first, Verb::Loop);
    add(Verb::EndLoop, program_.values[block.name].type);
    close(block);
  }

  void begin_do(const Word& first) {
    const Word label = word("a name %NAME");
    open(first, Verb::Do, static_cast<uint32_t>(program_.body.size()));
    const uint32_t value = define(label, kBool);
    blocks_.back().name = value;
    add(Verb::Do).result = value;
  }

  void end_do(const Word& first) {
    Block& block = innermost(first, Verb::Do);
    const Operand condition = operand(word("a condition"), kBool);
    add_operand(add(Verb::While), condition);
    close(block);
  }

  void begin_if(const Word& first) {
    const Operand condition = operand(word("a condition"), kBool);
    open(first, Verb::If, static_cast<uint32_t>(program_.body.size()));
    add_operand(add(Verb::If), condition);
  }

  void end_if(const Word& first) {
    Block& block = innermost(first, Verb::If);
    add(Verb::EndIf);
    close(block);
  }

  // --- loads and stores

  // p0[i], p0~T[i] and p0[i]~T of a line whose type is `type`.
  Address address(const Word& word, VectorType type) {
    const size_t open = word.text.find('['), close = word.text.rfind(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      fail(word, fmt::format("{} is no address: it is written p0[INDEX], r0[INDEX], p0~TYPE[INDEX] or p0[INDEX]~TYPE",
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
      const uint32_t id = index_of(base, 'r', "a register array");
      const auto known = registers_.find(id);
      if (known == registers_.end()) fail(base, fmt::format("there is no r{}", id));
      out.space = Address::Space::Register;
      out.index = known->second;
      own = program_.registers[out.index].type;
      bytes = program_.registers[out.index].bytes();
    } else {
      const uint32_t slot = index_of(base, 'p', "a parameter");
      const auto& all = program_.parameters;
      const auto found =
          std::lower_bound(all.begin(), all.end(), slot, [](const Parameter& p, uint32_t s) { return p.slot < s; });
      if (found == all.end() || found->slot != slot) fail(base, fmt::format("there is no p{}", slot));
      out.index = static_cast<uint32_t>(found - all.begin());
      own = found->type;
    }
    out.unit = own;
    Type accessed = own;
    if (!before.text.empty()) accessed = out.unit = scalar_type(before);
    if (!behind.text.empty()) {
      if (!behind.text.starts_with('~'))
        fail(behind, fmt::format("behind ']' stands nothing or ~TYPE, and not {}", quoted(behind.text)));
      if (!before.text.empty()) fail(behind, "'~TYPE' stands before or behind the index, and not twice");
      accessed = scalar_type(behind.part(1));
    }
    if (accessed != type.type)
      fail(word,
           fmt::format("{} is {}, and the line's type is {}", quoted(word.text), info(accessed).name, text_of(type)));
    const Word index = word.part(open + 1, close - open - 1);
    out.element = integer_operand(index, "an index");
    // Registers of constant index live in a machine's registers, which have no bounds.
    if (out.space == Address::Space::Register && out.element.is_number()) {
      const uint64_t size = uint64_t{info(accessed).bytes} * type.lanes, unit = info(out.unit).bytes;
      if (size > bytes || out.element.bits > (bytes - size) / unit)
        fail(index, fmt::format("{} is outside of r{}, which has {} {}", quoted(index.text),
                                program_.registers[out.index].id, program_.registers[out.index].count, info(own).name));
    }
    return out;
  }

  void load(const Word& result) {
    const VectorType type = vector_type(word("a type"));
    const Address from = address(word("an address"), type);
    Operand condition, otherwise;
    const Word gate = reader_.word();
    if (!gate.text.empty()) {
      condition = operand(gate, kBool);
      otherwise = operand(word("the value if the condition is false"), type);
    }
    const uint32_t value = define(result, type);
    Instruction& i = add(Verb::Load, type);
    i.result = value;
    i.address = from;
    i.gated = !gate.text.empty();
    if (!i.gated) return;
    add_operand(i, condition);
    add_operand(i, otherwise);
  }

  void store() {
    const VectorType type = vector_type(word("a type"));
    const Address to = address(word("an address"), type);
    const Operand stored = operand(word("what is stored"), type);
    Instruction& i = add(Verb::Store, type);
    i.address = to;
    add_operand(i, stored);
  }

  // --- arithmetic

  // Adds the instruction when its operands are known, for a line may not define what it uses.
  void add_result(const Word& result, Verb verb, VectorType type, VectorType result_type,
                  std::span<const Operand> operands) {
    const uint32_t value = define(result, result_type);
    Instruction& i = add(verb, type);
    i.result = value;
    for (const Operand& operand : operands) add_operand(i, operand);
  }

  void cast(const Word& result, Verb verb) {
    const VectorType type = vector_type(word("a type"));
    const Word from_word = word("an operand");
    const Operand from = any_operand(from_word);
    if (from.type.lanes != type.lanes)
      fail(from_word, fmt::format("{} is {}, which has not as many lanes as {}", quoted(from_word.text),
                                  text_of(from.type), text_of(type)));
    if (verb == Verb::Bitcast && info(from.type.type).bytes != info(type.type).bytes)
      fail(from_word, fmt::format("{} is {}, which has not as many bits as {}", quoted(from_word.text),
                                  text_of(from.type), text_of(type)));
    add_result(result, verb, type, type, {&from, 1});
  }

  void pack(const Word& result) {
    const Word type_word = word("a type");
    const VectorType type = vector_type(type_word);
    if (type.lanes == 1)
      fail(type_word, fmt::format("a vector is made, as {}x2, and not {}", text_of(type), text_of(type)));
    std::array<Operand, 4> lanes;
    for (uint8_t lane = 0; lane < type.lanes; ++lane) lanes[lane] = operand(word("another lane"), {type.type, 1});
    add_result(result, Verb::Pack, type, type, std::span(lanes).first(type.lanes));
  }

  void lane(const Word& result) {
    const Type type = scalar_type(word("a type"));
    const Word vector_word = word("a vector");
    const Operand vector = any_operand(vector_word);
    if (vector.type.lanes == 1 || vector.type.type != type)
      fail(vector_word, fmt::format("{} is {}, and a vector of {} is wanted", quoted(vector_word.text),
                                    text_of(vector.type), info(type).name));
    const Word lane_word = word("i32:LANE");
    const Operand lane = operand(lane_word, {Type::I32, 1});
    if (!lane.is_number() || lane.bits >= vector.type.lanes)
      fail(lane_word,
           fmt::format("{} is no lane: they are i32:0 to i32:{}", quoted(lane_word.text), vector.type.lanes - 1));
    const Operand operands[] = {vector, lane};
    add_result(result, Verb::Lane, {type, 1}, {type, 1}, operands);
  }

  void arithmetic(const Word& result, const Operation& row) {
    const Word type_word = word("a type");
    VectorType type = vector_type(type_word);
    if (!computes(row.verb, type.type))
      fail(type_word, fmt::format("there is no '{}' of {}", row.name, info(type.type).name));
    const bool compares = row.kind == OperandKind::Compare;
    std::array<Operand, 3> operands;
    for (uint8_t k = 0; k < row.operands; ++k) {
      const Word at = word("an operand");
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
      fail(word, fmt::format("{} is {}, and a count is {}", quoted(word.text), text_of(count.type),
                             type.lanes == 1 ? std::string("an integer") : fmt::format("{} integers", type.lanes)));
    return count;
  }

  // --- lines

  void assignment(const Word& result) {
    const Word equals = word("'='");
    if (equals.text != "=")
      fail(equals, fmt::format("behind {} stands '=', and not {}", quoted(result.text), quoted(equals.text)));
    const Word verb = word("what is done");
    if (verb.text == "loop") return loop(result);
    if (verb.text == "load") return load(result);
    if (verb.text == "cast") return cast(result, Verb::Cast);
    if (verb.text == "bitcast") return cast(result, Verb::Bitcast);
    if (verb.text == "pack") return pack(result);
    if (verb.text == "lane") return lane(result);
    for (const Operation& row : operations())
      if (row.name == verb.text) return arithmetic(result, row);
    fail(verb, fmt::format("{} is no verb that has a result", quoted(verb.text)));
  }

  void line(const Word& first) {
    const std::string_view word = first.text;
    if (!open_.empty() && blocks_[open_.back()].verb == Verb::If && word != "store" && word != "endif")
      fail(first, fmt::format("between 'if' and 'endif' stand only stores, and not {}", quoted(word)));
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
      fail(first,
           fmt::format(
               "{} begins no line: there are kernel, param, var, reg, store, end, do, while, if, endif and %NAME =",
               quoted(word)));
    end_of_line();
  }

  struct Definition {
    uint32_t line;
    uint32_t block;  // in which it may be used
  };

  LineReader reader_;
  bool begun_ = false;
  Program program_;
  // Ordered, so that no choice of names makes it slow.
  std::map<std::string_view, uint32_t> values_;  // "%7": index of Program::values
  std::map<uint32_t, uint32_t> registers_;       // id: index of Program::registers
  std::vector<Definition> defined_;              // as many as Program::values
  std::vector<Block> blocks_;                    // all that were ever open
  std::vector<uint32_t> open_;                   // of them, from the outermost to the innermost
  uint64_t register_bytes_ = 0;
};

}  // namespace

Program parse(std::string_view text) {
  if (text.size() > kMostText)
    throw ProgramError(1, 1, fmt::format("a program has at most {} bytes of text", kMostText));
  return Parser(text).program();
}

}  // namespace kerr::loops
