#include "graph/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph/functions.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::graph {

namespace {

using kernels::Operation;
using Node = Graph::Node;

// From the left; the tighter ones bind first.
struct Operator {
  int binding;
  std::string_view token;
  std::optional<Operation> operation{};  // none: the matrix product
};
constexpr int kLoosest = 0, kTightest = 6;
constexpr Operator kOperators[] = {{0, "<=", Operation::LessEqual},  {0, ">=", Operation::GreaterEqual},
                                   {0, "==", Operation::Equal},      {0, "!=", Operation::NotEqual},
                                   {0, "<", Operation::Less},        {0, ">", Operation::Greater},
                                   {1, "|", Operation::Or},          {2, "^", Operation::Xor},
                                   {3, "&", Operation::And},         {4, "<<", Operation::ShiftLeft},
                                   {4, ">>", Operation::ShiftRight}, {5, "+", Operation::Add},
                                   {5, "-", Operation::Subtract},    {6, "@"},
                                   {6, "*", Operation::Multiply},    {6, "/", Operation::Divide},
                                   {6, "%", Operation::Modulo}};

constexpr int kDeepest = 200;  // parentheses, calls and signs inside one another
constexpr size_t kLongest = 10'000;

class Parser {
 public:
  Parser(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of)
      : text_(text), matrix_of_(matrix_of) {}

  Graph run() {
    if (text_.size() > kLongest)
      throw std::invalid_argument(fmt::format("an expression of more than {} characters", kLongest));
    const Node result = expression();
    skip_space();
    if (at_ != text_.size()) fail("an operator or the end is expected");
    graph_.set_result(result);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    const size_t from = at_ < 30 ? 0 : at_ - 30;
    throw std::invalid_argument(fmt::format("{}, at character {}: {}<here>{}", what, at_ + 1,
                                            text_.substr(from, at_ - from), text_.substr(at_, 20)));
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Node apply(Operation operation, std::initializer_list<Node> sources) {
    return apply(operation, std::span(sources.begin(), sources.size()));
  }
  Node apply(Operation operation, std::span<const Node> sources) {
    return made([&] { return graph_.apply(operation, sources); });
  }

  Node expression(int binding = kLoosest) {
    if (binding > kTightest) return negation();
    Node left = expression(binding + 1);
    while (const Operator* found = take_operator(binding)) {
      const Node right = expression(binding + 1);
      left =
          found->operation ? apply(*found->operation, {left, right}) : made([&] { return graph_.matmul(left, right); });
    }
    return left;
  }
  const Operator* take_operator(int binding) {
    const auto found =
        std::ranges::find_if(kOperators, [&](const Operator& o) { return o.binding == binding && take(o.token); });
    return found == std::end(kOperators) ? nullptr : &*found;
  }

  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kDeepest) parser.fail("too many parentheses or operators inside one another");
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  Node negation() {
    const Depth depth(*this);
    if (take("-")) return apply(Operation::Negate, {negation()});
    if (take("~")) return apply(Operation::Not, {negation()});
    return power();
  }

  Node power() {
    const Node base = primary();
    return take("**") ? apply(Operation::Power, {base, negation()}) : base;
  }

  Node primary() {
    const Depth depth(*this);
    if (take("(")) {
      const Node inside = expression();
      if (!take(")")) fail("')' is expected");
      return inside;
    }
    skip_space();
    if (at_ == text_.size()) fail("a number, a name or '(' is expected");
    const auto first = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(first) || first == '.') return number();
    if (std::isalpha(first) || first == '_') return name();
    fail("a number, a name or '(' is expected");
  }

  // What std::from_chars reads here.
  template <class T, class... How>
  T read(std::string_view what, How... how) {
    T value{};
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value, how...);
    if (error != std::errc()) fail(what);
    at_ += static_cast<size_t>(end - first);
    return value;
  }

  Node number() {
    skip_space();
    if (take("0x")) return graph_.constant(read<uint32_t>("a number of at most 32 bits is expected", 16));
    const size_t from = at_;
    constexpr std::string_view kExpected = "a number of FP32 is expected";
    const double value = read<double>(kExpected);
    if (value > std::numeric_limits<float>::max()) at_ = from, fail(kExpected);
    return graph_.constant(value);
  }

  uint64_t whole_number() {
    skip_space();
    return read<uint64_t>("a whole number is expected");
  }
  uint32_t size() {
    const uint64_t value = whole_number();
    if (value > kLargestSize) fail(fmt::format("a number up to {} is expected", kLargestSize));
    return static_cast<uint32_t>(value);
  }
  void comma() {
    if (!take(",")) fail("',' is expected");
  }
  Shape shape() {
    const uint32_t rows = size();
    comma();
    return {rows, size()};
  }

  // What says where it does not fit, with the place.
  template <class Make>
  Node made(Make&& make) {
    try {
      return make();
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  Node name() {
    const size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    const std::string_view word = text_.substr(from, at_ - from);
    if (!take("(")) {
      const size_t behind = std::exchange(at_, from);  // what is wrong with a name is where it begins
      const Node input = made([&] { return graph_.input(word, matrix_of_(word)); });
      at_ = behind;
      return input;
    }
    const Node result = call(word);
    if (!take(")")) fail(fmt::format("')' is expected behind the operands of {}", word));
    return result;
  }

  Node call(std::string_view word) {
    if (const auto format = kernels::format_named(word)) {
      const Node x = expression();
      return made([&] { return graph_.cast(*format, x); });
    }
    if (word == "fill") {
      const Shape of = shape();
      comma();
      const bool minus = take("-");
      const Node value = number();
      return made([&] { return graph_.fill(of, minus ? -graph_.item(value).constant : graph_.item(value).constant); });
    }
    if (word == "iota") {
      const Shape of = shape();
      return made([&] { return graph_.index(of); });
    }
    if (word == "random" || word == "random_bits") {
      const Shape of = shape();
      comma();
      const uint64_t key = whole_number();
      return made([&] { return word == "random" ? uniform(graph_, of, key) : graph_.random(of, key); });
    }
    if (word == "slice") {
      const Node x = expression();
      comma();
      const Shape first = shape();
      comma();
      const Shape of = shape();
      return made([&] { return graph_.slice(x, first.rows, first.columns, of); });
    }
    if (word == "permute") {
      const Node x = expression();
      std::array<uint32_t, 6> numbers;
      for (uint32_t& n : numbers) {
        comma();
        n = size();
      }
      return made([&] {
        return graph_.permute(x, {numbers[0], numbers[1]}, {numbers[2], numbers[3], numbers[4], numbers[5]});
      });
    }
    const std::optional<Operation> operation = kernels::operation_named(word);
    if (!operation && !is_function(word)) {
      isa::text::Suggestion suggestion(word);
      for (const kernels::OperationInfo& known : kernels::operations()) suggestion.consider(known.name);
      at_ = static_cast<size_t>(word.data() - text_.data());
      fail(fmt::format("no operation is named '{}'{} ('kerr eval --operations' lists them)", word, suggestion.text()));
    }
    std::vector<Node> sources{expression()};
    while (take(",")) sources.push_back(expression());
    if (is_function(word) && (!operation || sources.size() == 1)) {
      if (sources.size() != 1) fail(fmt::format("{} takes one matrix, not {}", word, sources.size()));
      return made([&] { return *apply_function(graph_, word, sources[0]); });
    }
    return apply(*operation, sources);
  }

  static bool is_function(std::string_view word) {
    for (std::string_view rest = kFunctions; !rest.empty();) {
      const size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == word) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
  }

  const std::string_view text_;
  const std::function<Matrix(std::string_view)>& matrix_of_;
  Graph graph_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Graph parse(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of) {
  return Parser(text, matrix_of).run();
}

}  // namespace kerr::graph
