// Programs as text, a line for each declaration and each instruction.
#include <fmt/format.h>

#include <iterator>

#include "loops/numbers.hpp"
#include "loops/program.hpp"

namespace kerr::loops {

namespace {

constexpr std::string_view kAxes[] = {"weak", "loop", "global", "reduce", "upcast", "unroll"};

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string text() {
    line("kernel {}{}", program_.name, program_.tf32 ? " tf32=1" : "");
    for (const Parameter& p : program_.parameters) line("param p{} {} {}", p.slot, info(p.type).name, p.count);
    for (const Variable& v : program_.variables)
      line("var {} {} {} {} {}", name(v.value), info(v.type).name, v.name, v.min, v.max);
    for (const Register& r : program_.registers) line("reg r{} {} {}", r.id, info(r.type).name, r.count);
    for (const Instruction& i : program_.body) print(i);
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  std::string name(uint32_t value) const { return "%" + program_.values[value].name; }

  static std::string text_of(VectorType type) {
    return type.lanes == 1 ? std::string(info(type.type).name) : fmt::format("{}x{}", info(type.type).name, type.lanes);
  }

  std::string text_of(const Operand& operand) const {
    if (!operand.is_number()) return name(operand.value);
    return fmt::format("{}:{}", info(operand.type.type).name, text_of_number(operand.type.type, operand.bits));
  }

  std::string text_of(const Address& address, Type accessed) const {
    const bool parameter = address.space == Address::Space::Parameter;
    const Type own = parameter ? program_.parameters[address.index].type : program_.registers[address.index].type;
    const std::string cast = accessed == own ? "" : fmt::format("~{}", info(accessed).name);
    return fmt::format("{}{}{}[{}]{}", parameter ? 'p' : 'r',
                       parameter ? program_.parameters[address.index].slot : program_.registers[address.index].id,
                       address.unit == own ? "" : cast, text_of(address.element), address.unit == own ? cast : "");
  }

  std::string inputs(const Instruction& i) const {
    std::string out;
    for (const Operand& operand : i.inputs()) out += " " + text_of(operand);
    return out;
  }

  void result(std::string_view verb, const Instruction& i) {
    line("{} = {} {}{}", name(i.result), verb, text_of(i.type), inputs(i));
  }

  void print(const Instruction& i) {
    const auto opener = [&]() -> const Instruction& { return program_.body[i.partner]; };
    switch (i.verb) {
      case Verb::Loop:
        return line("{} = loop {}{} {}", name(i.result), text_of(i.type), inputs(i),
                    kAxes[static_cast<size_t>(i.axis)]);
      case Verb::EndLoop: return line("end {}", name(opener().result));
      case Verb::Do: return line("do {}", name(i.result));
      case Verb::While: return line("while {}{}", name(opener().result), inputs(i));
      case Verb::If: return line("if{}", inputs(i));
      case Verb::EndIf: return line("endif");
      case Verb::Load:
        return line("{} = load {} {}{}", name(i.result), text_of(i.type), text_of(i.address, i.type.type), inputs(i));
      case Verb::Store: return line("store {} {}{}", text_of(i.type), text_of(i.address, i.type.type), inputs(i));
      case Verb::Cast: return result("cast", i);
      case Verb::Bitcast: return result("bitcast", i);
      case Verb::Pack: return result("pack", i);
      case Verb::Lane: return result("lane", i);
      default: return result(operation(i.verb).name, i);
    }
  }

  const Program& program_;
  std::string text_;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).text(); }

}  // namespace kerr::loops
