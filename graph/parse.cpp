#include "graph/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph/language/call.hpp"
#include "graph/language/floor_division.hpp"
#include "graph/language/functions.hpp"
#include "graph/language/logic.hpp"
#include "graph/language/mistake.hpp"
#include "graph/language/scanner.hpp"
#include "graph/language/spellings.hpp"
#include "graph/language/subscript.hpp"
#include "graph/language/value.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::graph {

namespace {

using kernels::Operation;
using Node = Graph::Node;

enum class Means : uint8_t { Apply, Or, And, Compare, BitOr, BitXor, BitAnd, Product, FloorDivide, FloorModulo };

// From the left; the tighter ones bind first. A sign that begins another one comes behind it.
struct Operator {
  int binding;
  std::string_view token;
  Means means;
  Operation operation{};
};
constexpr int kOr = 0, kAnd = 1, kNot = 2, kComparison = 3, kTightest = 9;
constexpr Operator kOperators[] = {{kOr, "or", Means::Or},
                                   {kAnd, "and", Means::And},
                                   {7, "<<", Means::Apply, Operation::ShiftLeft},
                                   {7, ">>", Means::Apply, Operation::ShiftRight},
                                   {kComparison, "<=", Means::Compare, Operation::LessEqual},
                                   {kComparison, ">=", Means::Compare, Operation::GreaterEqual},
                                   {kComparison, "==", Means::Compare, Operation::Equal},
                                   {kComparison, "!=", Means::Compare, Operation::NotEqual},
                                   {kComparison, "<", Means::Compare, Operation::Less},
                                   {kComparison, ">", Means::Compare, Operation::Greater},
                                   {4, "|", Means::BitOr, Operation::Or},
                                   {5, "^", Means::BitXor, Operation::Xor},
                                   {6, "&", Means::BitAnd, Operation::And},
                                   {8, "+", Means::Apply, Operation::Add},
                                   {8, "-", Means::Apply, Operation::Subtract},
                                   {kTightest, "@", Means::Product},
                                   {kTightest, "*", Means::Apply, Operation::Multiply},
                                   {kTightest, "//", Means::FloorDivide},
                                   {kTightest, "/", Means::Apply, Operation::Divide},
                                   {kTightest, "%", Means::FloorModulo}};

// What other languages and typesetting have.
constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
    {"&&", "'and' is written &, or and"},
    {"||", "'or' is written |, or or"},
    {"<>", "'unequal' is written !="},
    {"=<", "'at most' is written <="},
    {"=>", "'at least' is written >="},
    {":=", "nothing is assigned here"},
    {"!", "'not' is written not, or ~ of comparisons"},
    {"=", "'equal' is written =="},
    {"?", "a choice is written a if condition else b, or where(condition, a, b)"},
    {";", "there is one expression"},
    {"[", "lists of numbers are not taken: give a matrix by an option of its name"},
    {"{", "lists of numbers are not taken: give a matrix by an option of its name"},
    {"\u00d7", "a product is written *, of matrices @"},
    {"\u00b7", "a product is written *, of matrices @"},
    {"\u00f7", "a quotient is written /"},
    {"\u2212", "minus is written -"},
    {"\u2013", "minus is written -"},
    {"\u00b2", "powers are written x ** 2"},
    {"\u00b3", "powers are written x ** 3"},
    {"\u221a", "roots are written sqrt(x)"},
    {"\u2264", "'at most' is written <="},
    {"\u2265", "'at least' is written >="},
    {"\u2260", "'unequal' is written !="},
    {"\u03c0", "pi is written pi"},
    {"\u221e", "infinity is written inf"}};

constexpr int kDeepest = 200;  // parentheses, calls and signs inside one another
constexpr size_t kLongest = 10'000;
constexpr std::string_view kOperandExpected = "a number, a name or '(' is expected";

class Parser {
 public:
  Parser(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of)
      : scanner_(text), matrix_of_(matrix_of) {}

  Graph run() {
    if (scanner_.text().size() > kLongest)
      throw std::invalid_argument(fmt::format("an expression of more than {} characters", kLongest));
    try {
      const Value result = expression();
      if (!scanner_.at_end()) refuse_sign("an operator or the end is expected");
      graph_.set_result(result.node);
    } catch (const Mistake& mistake) {
      throw std::invalid_argument(with_place(mistake.what(), scanner_.text(), mistake.at));
    }
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse_sign(std::string_view expected) {
    for (const auto& [sign, sentence] : kForeign) {
      if (scanner_.rest().starts_with(sign)) scanner_.fail(std::string(sentence));
    }
    scanner_.fail(std::string(expected));
  }

  // What Graph and functions refuse is shown at `at`.
  template <class Make>
  Value made(size_t at, Make&& make) {
    try {
      return make();
    } catch (const Mistake&) {
      throw;
    } catch (const std::invalid_argument& error) {
      throw Mistake(at, error.what());
    }
  }

  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kDeepest) parser.scanner_.fail("too many parentheses or operators inside one another");
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  // An operation of each element. What it makes has as many axes as the operand of most axes.
  Value applied(Operation operation, std::initializer_list<Value> operands) {
    std::array<Node, 3> sources{};
    size_t count = 0;
    uint32_t axes = 0;
    for (const Value& each : operands) {
      sources.at(count++) = each.node;
      axes = std::max(axes, each.axes);
    }
    return {graph_.apply(operation, std::span(sources).first(count)), axes};
  }

  // ---- operators

  Value expression() {
    const Depth depth(*this);
    const Value first = binary(kOr);
    const size_t at = scanner_.place();
    if (!scanner_.take_word("if")) return first;
    const Value condition = binary(kOr);
    if (!scanner_.take_word("else")) scanner_.fail("'else' is expected: a if condition else b");
    const Value otherwise = expression();
    return made(at, [&] { return applied(Operation::Where, {condition, first, otherwise}); });
  }

  const Operator* next_operator(int least) {
    const size_t at = scanner_.place();
    for (const Operator& o : kOperators) {
      const bool is_word = std::isalpha(static_cast<unsigned char>(o.token.front())) != 0;
      if (!(is_word ? scanner_.take_word(o.token) : scanner_.take(o.token))) continue;
      const bool foreign = std::ranges::any_of(kForeign, [&](const auto& f) {
        return f.first.size() > o.token.size() && scanner_.text().substr(at).starts_with(f.first);
      });
      if (o.binding >= least && !foreign) return &o;
      scanner_.move_to(at);
      return nullptr;
    }
    return nullptr;
  }

  Value binary(int least) {
    Value left = least <= kNot ? negation() : sign();
    while (true) {
      const size_t at = scanner_.place();
      const Operator* found = next_operator(least);
      if (!found) return left;
      if (found->means == Means::Compare) {
        scanner_.move_to(at);
        left = comparisons(left);
        continue;
      }
      const Value right = binary(found->binding + 1);
      left = made(at, [&] { return combine(*found, left, right); });
    }
  }

  Value negation() {
    const size_t at = scanner_.place();
    if (!scanner_.take_word("not")) return sign();
    const Depth depth(*this);
    const Value inside = binary(kNot);
    return made(at, [&] { return Value{negated(graph_, inside.node), inside.axes}; });
  }

  // a < b < c is a < b and b < c.
  Value comparisons(Value left) {
    std::optional<Value> all;
    while (true) {
      const size_t at = scanner_.place();
      const Operator* found = next_operator(kComparison);
      if (!found || found->means != Means::Compare) {
        scanner_.move_to(at);
        return *all;
      }
      const Value right = binary(kComparison + 1);
      const Value one = made(at, [&] { return applied(found->operation, {left, right}); });
      all = all ? made(at,
                       [&] {
                         return Value{both(graph_, all->node, one.node), std::max(all->axes, one.axes)};
                       })
                : one;
      left = right;
    }
  }

  Value combine(const Operator& o, Value a, Value b) {
    if (o.means == Means::Product) return product(graph_, a, b);
    return {of_elements(o, a.node, b.node), std::max(a.axes, b.axes)};
  }

  Node of_elements(const Operator& o, Node left, Node right) {
    const auto bits = [&](Node (*of_truths)(Graph&, Node, Node)) {
      if (is_truth(graph_, left) && is_truth(graph_, right)) return of_truths(graph_, left, right);
      refuse_bits_of_floats(o, left, right);
      return made_of(graph_, o.operation, {left, right});
    };
    switch (o.means) {
      case Means::Or:
        if (is_truth(graph_, left) && is_truth(graph_, right)) return any_of_both(graph_, left, right);
        return made_of(graph_, Operation::Where, {left, left, right});
      case Means::And:
        if (is_truth(graph_, left) && is_truth(graph_, right)) return both(graph_, left, right);
        return made_of(graph_, Operation::Where, {left, right, left});
      case Means::BitOr: return bits(any_of_both);
      case Means::BitXor: return bits(one_of_both);
      case Means::BitAnd: return bits(both);
      case Means::FloorDivide: return floor_divide(graph_, left, right);
      case Means::FloorModulo: return floor_modulo(graph_, left, right);
      default: return made_of(graph_, o.operation, {left, right});
    }
  }

  void refuse_bits_of_floats(const Operator& o, Node left, Node right) const {
    const auto is_float = [&](Node node) { return graph_.item(node).type == NodeType::Float; };
    if (!is_float(left) && !is_float(right)) return;
    if (o.means == Means::BitXor)
      throw std::invalid_argument("^ computes with the bits of integers and with comparisons; a power is written **");
    throw std::invalid_argument(
        fmt::format("{0} computes with the bits of integers and with comparisons, and binds tighter than these: write "
                    "(x > 0) {0} (y > 0); convert floats with int32(...)",
                    o.token));
  }

  Value sign() {
    const Depth depth(*this);
    const size_t at = scanner_.place();
    if (scanner_.take("-")) {
      const Value inside = sign();
      return made(at, [&] { return applied(Operation::Negate, {inside}); });
    }
    if (scanner_.take("+")) return sign();
    if (scanner_.take("~")) {
      const Value inside = sign();
      return made(at, [&] {
        const bool truth = !graph_.item(inside.node).folded && is_truth(graph_, inside.node);
        return truth ? Value{negated(graph_, inside.node), inside.axes} : applied(Operation::Not, {inside});
      });
    }
    if (scanner_.take_word("not")) {
      scanner_.move_to(at);
      scanner_.fail("'not' binds looser than what stands before it: put it in parentheses, (not x)");
    }
    return power();
  }

  Value power() {
    const Value base = postfix();
    const size_t at = scanner_.place();
    if (!scanner_.take("**")) return base;
    const Value exponent = sign();
    return made(at, [&] { return applied(Operation::Power, {base, exponent}); });
  }

  // ---- x.T, x.sum(axis=1), x[0:32]

  Value postfix() {
    Value x = primary();
    while (true) {
      const size_t at = scanner_.place();
      if (scanner_.take("[")) {
        x = made(at, [&] { return subscripted(graph_, x, subscripts()); });
      } else if (scanner_.take(".")) {
        x = attribute(x, at);
      } else if (scanner_.peek() == '(') {
        scanner_.fail("a product is written with *: an operator is expected before '('");
      } else {
        return x;
      }
    }
  }

  Value attribute(Value x, size_t dot) {
    const size_t at = scanner_.place();
    const std::string_view name = scanner_.word();
    if (name.empty()) scanner_.fail("a name is expected behind the dot: x.T, x.sum(axis=1)");
    if (scanner_.peek() == '(') return call(name, at, x);
    if (name == "mT" && x.axes < 2) Scanner::fail_at(at, "a vector has no .mT, as in NumPy: v[:, None] is a column");
    if (name == "T" || name == "mT") return made(dot, [&] { return turned(graph_, x); });
    if (const auto refusal = refusal_of(name)) Scanner::fail_at(at, fmt::format(".{}: {}", name, *refusal));
    if (function_named(name) || operation_spelled(name))
      Scanner::fail_at(at, fmt::format("'(' is expected behind .{}: x.{}()", name, name));
    Scanner::fail_at(at, fmt::format("a matrix has no '{}'; it has .T, and functions: x.sum(axis=1)", name));
  }

  std::vector<Subscript> subscripts() {
    std::vector<Subscript> all;
    while (true) {
      const size_t at = scanner_.place();
      if (scanner_.take("...")) {
        all.push_back({.at = at, .is_range = true, .is_rest = true});
      } else if (scanner_.take_word("None")) {
        all.push_back({.at = at, .is_new = true});
      } else {
        all.push_back(subscript(at));
      }
      if (!scanner_.take(",")) break;
    }
    scanner_.expect("]", "behind a subscript");
    if (all.size() > 2) Scanner::fail_at(all[2].at, "a matrix has two subscripts: x[rows, columns]");
    return all;
  }

  Subscript subscript(size_t at) {
    Subscript out{.at = at};
    const auto ends = [&] { return scanner_.peek() == ',' || scanner_.peek() == ']' || scanner_.peek() == ':'; };
    if (!ends()) out.first = whole_number();
    if (!scanner_.take(":")) {
      if (!out.first) scanner_.fail("a number or a range is expected: x[5], x[0:32]");
      return out;
    }
    out.is_range = true;
    if (!ends()) out.last = whole_number();
    if (scanner_.take(":") && !ends()) {
      const size_t step = scanner_.place();
      if (whole_number() != 1) Scanner::fail_at(step, "programs move whole tiles of 32 x 32: there are no steps but 1");
    }
    return out;
  }

  int64_t whole_number() {
    const size_t at = scanner_.place();
    const Node node = expression().node;
    Argument number{.at = at, .node = node};
    if (!graph_.item(node).folded)
      Scanner::fail_at(at, "which elements are taken cannot depend on a matrix: write where(condition, x, 0)");
    return Call(graph_, "a subscript", at, {}).integer(number);
  }

  // ---- numbers, names and calls

  Value primary() {
    if (scanner_.take("(")) {
      const Value inside = expression();
      if (scanner_.peek() == ',')
        scanner_.fail("several matrices stand in parentheses only where a function takes them");
      scanner_.expect(")");
      return inside;
    }
    const char first = scanner_.peek();
    if (std::isdigit(static_cast<unsigned char>(first)) ||
        (first == '.' && scanner_.rest().size() > 1 && std::isdigit(static_cast<unsigned char>(scanner_.rest()[1]))))
      return {graph_.constant(scanner_.number()), 0};
    const size_t at = scanner_.place();
    const std::string_view word = scanner_.word();
    if (word.empty()) refuse_sign(kOperandExpected);
    if (is_one_of_words(word, {"and", "or", "if", "else"}) && scanner_.peek() != '(')
      Scanner::fail_at(at, std::string(kOperandExpected));
    return name(word, at);
  }

  static bool is_one_of_words(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  }

  std::optional<Matrix> given(std::string_view word) const {
    try {
      return matrix_of_(word);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }

  Value name(std::string_view word, size_t at) {
    if (scanner_.peek() == '(') return call(word, at);
    if (is_module(word) && scanner_.peek() == '.' && !given(word)) {
      scanner_.take(".");
      const size_t inner_at = scanner_.place();
      const std::string_view inner = scanner_.word();
      if (inner.empty()) scanner_.fail(fmt::format("a name is expected behind '{}.'", word));
      if (is_module(inner) || scanner_.peek() == '(' || constant_spelled(inner)) {
        of_module_ = true;
        return name(inner, inner_at);
      }
      if (const auto refusal = refusal_of(inner)) Scanner::fail_at(inner_at, fmt::format("{}: {}", inner, *refusal));
      Scanner::fail_at(inner_at, fmt::format("no function or number is named '{}.{}'", word, inner));
    }
    if (const auto number = constant_spelled(word); number && (of_module_ || !given(word))) {
      of_module_ = false;
      return {graph_.constant(*number), 0};
    }
    return made(at, [&] {
      try {
        return Value{graph_.input(word, matrix_of_(word)), 2};
      } catch (const std::invalid_argument&) {
        if (const auto refusal = refusal_of(word)) throw Mistake(at, fmt::format("{}: {}", word, *refusal));
        throw;
      }
    });
  }

  // `x`: of x.sum(), the first argument.
  Value call(std::string_view word, size_t at, std::optional<Value> x = {}) {
    const bool of_module = std::exchange(of_module_, false);
    if (const auto refusal = refusal_of(word)) Scanner::fail_at(at, fmt::format("{}: {}", word, *refusal));
    const FunctionInfo* function = function_named(word);
    const std::optional<Operation> operation = operation_spelled(word);
    const std::optional<Format> format = format_spelled(word);
    const bool casts = is_one_of_words(word, {"astype", "to", "type", "typecast"});
    if (!function && !operation && !format && !casts) refuse_name(word, at);
    scanner_.expect("(");
    std::vector<Argument> arguments;
    if (x) arguments.push_back({.at = at, .text = word, .node = x->node, .axes = x->axes});
    std::optional<Format> target = format;
    if (casts) {
      if (!x) arguments.push_back(argument()), scanner_.expect(",", "before the format");
      target = format_word();
    }
    const bool more = casts ? scanner_.take(",") : scanner_.peek() != ')';
    if (more) take_arguments(arguments, ")");
    scanner_.expect(")", fmt::format("behind the operands of {}", word));
    Call made_call(graph_, word, at, std::move(arguments), x.has_value());
    return made(at, [&] {
      const Node node = target ? graph_.cast(*target, made_call.matrix(0))
                        : function && prefers_function(made_call, operation, of_module) ? function->make(made_call)
                                                                                        : apply(made_call, *operation);
      made_call.finish();
      return Value{node, made_call.result_axes()};
    });
  }

  // max(x) and max(x, axis=1) are of one matrix, max(a, b) of two.
  static bool prefers_function(const Call& call, std::optional<Operation> operation, bool of_module) {
    if (!operation) return true;
    if (*operation != Operation::Maximum && *operation != Operation::Minimum) return true;
    if (call.by_place() < 2 || call.is_method()) return true;
    if (!of_module) return false;
    call.refuse(fmt::format("the second operand is an axis to some and a matrix to others: write axis= or {}imum(a, b)",
                            call.name()));
  }

  Node apply(Call& call, Operation operation) {
    const kernels::OperationInfo& what = kernels::info(operation);
    if (call.by_place() != what.sources && !call.has_keywords())
      call.refuse(fmt::format("{} takes {} operand{}, not {}", call.name(), what.sources, what.sources == 1 ? "" : "s",
                              call.by_place()));
    std::array<Node, 3> sources{};
    constexpr std::array<const char*, 3> kNames{"x", "y", "z"};
    for (size_t i = 0; i < what.sources; ++i) sources[i] = call.matrix({i, {kNames[i]}});
    return graph_.apply(operation, std::span(sources).first(what.sources));
  }

  [[noreturn]] void refuse_name(std::string_view word, size_t at) const {
    if (given(word)) Scanner::fail_at(at, fmt::format("'{}' is a matrix: a product is written {} * (...)", word, word));
    isa::text::Suggestion suggestion(word);
    for (const kernels::OperationInfo& known : kernels::operations()) suggestion.consider(known.name);
    for (const FunctionInfo& known : functions()) suggestion.consider(known.name);
    for (const OperationSpelling& known : operation_spellings()) suggestion.consider(known.name);
    Scanner::fail_at(
        at, fmt::format("no operation is named '{}'{} ('kerr eval --operations' lists them)", word, suggestion.text()));
  }

  Format format_word() {
    const size_t at = scanner_.place();
    const bool quoted = scanner_.peek() == '\'' || scanner_.peek() == '"';
    std::string_view word = quoted ? scanner_.quoted() : scanner_.word();
    while (!quoted && is_module(word) && scanner_.take(".")) word = scanner_.word();
    if (const auto refusal = refusal_of(word)) Scanner::fail_at(at, fmt::format("{}: {}", word, *refusal));
    const auto found = format_spelled(word);
    if (!found) Scanner::fail_at(at, fmt::format("a format is expected, as fp32, bf16 or int32, not '{}'", word));
    return *found;
  }

  void take_arguments(std::vector<Argument>& arguments, std::string_view end) {
    do {
      if (scanner_.rest().starts_with(end)) return;  // behind a last comma
      arguments.push_back(argument());
    } while (scanner_.take(","));
  }

  Argument argument() {
    Argument out{.at = scanner_.place()};
    const std::string_view word = scanner_.word();
    const bool is_keyword = !word.empty() && scanner_.peek() == '=' && !scanner_.rest().starts_with("==");
    if (is_keyword) {
      out.keyword = word;
      scanner_.take("=");
    } else {
      scanner_.move_to(out.at);
    }
    const size_t from = scanner_.place();
    if (out.keyword == "dtype") {
      // Refused by all, but with its name.
      format_word();
    } else if (scanner_.take_word("None")) {
      out.is_none = true;
    } else if (const char open = scanner_.peek(); (open == '(' && is_sequence()) || open == '[') {
      scanner_.take(open == '(' ? "(" : "[");
      out.is_sequence = true;
      take_arguments(out.sequence, open == '(' ? ")" : "]");
      scanner_.expect(open == '(' ? ")" : "]");
    } else {
      const Value value = expression();
      out.node = value.node, out.axes = value.axes;
    }
    const size_t end = scanner_.place();
    out.text = scanner_.text().substr(from, end - from);
    while (!out.text.empty() && std::isspace(static_cast<unsigned char>(out.text.back()))) out.text.remove_suffix(1);
    return out;
  }

  // Whether the parenthesis that begins here holds a comma that is in no other, and nothing but the call goes on
  // behind it.
  bool is_sequence() {
    const std::string_view rest = scanner_.rest();
    int open = 0;
    bool comma = false;
    for (size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] == '(' || rest[i] == '[') ++open;
      if (rest[i] == ',' && open == 1) comma = true;
      if ((rest[i] == ')' || rest[i] == ']') && --open == 0) {
        const size_t next = rest.find_first_not_of(" \t\n", i + 1);
        return comma && next != std::string_view::npos && (rest[next] == ')' || rest[next] == ',' || rest[next] == ']');
      }
    }
    return false;
  }

  Scanner scanner_;
  const std::function<Matrix(std::string_view)>& matrix_of_;
  Graph graph_;
  int depth_ = 0;
  bool of_module_ = false;  // the name that follows stands behind np. or the like
};

}  // namespace

Graph parse(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of) {
  return Parser(text, matrix_of).run();
}

}  // namespace kerr::graph
