#include "graph/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph/functions.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::graph {

namespace {

using kernels::Operation;
using Node = Graph::Node;

constexpr int kDeepest = 200;  // parentheses, calls and signs inside one another
constexpr size_t kLongest = 10'000;

class Parser {
 public:
  Parser(std::string_view text, const std::function<Matrix(std::string_view)>& matrix_of)
      : text_(text), matrix_of_(matrix_of) {}

  Graph run() {
    if (text_.size() > kLongest)
      throw std::invalid_argument(fmt::format("an expression of more than {} characters", kLongest));
    const Node result = comparison();
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

  Node comparison() {
    static constexpr std::pair<std::string_view, Operation> kOperators[] = {
        {"<=", Operation::LessEqual}, {">=", Operation::GreaterEqual}, {"==", Operation::Equal},
        {"!=", Operation::NotEqual},  {"<", Operation::Less},          {">", Operation::Greater}};
    Node left = bits();
    for (bool more = true; more;) {
      more = false;
      for (const auto& [token, operation] : kOperators) {
        if (!take(token)) continue;
        left = apply(operation, {left, bits()});
        more = true;
        break;
      }
    }
    return left;
  }

  // |, ^, & and shifts, each looser than the next.
  Node bits() {
    Node left = exclusive();
    while (take("|")) left = apply(Operation::Or, {left, exclusive()});
    return left;
  }
  Node exclusive() {
    Node left = conjunction();
    while (take("^")) left = apply(Operation::Xor, {left, conjunction()});
    return left;
  }
  Node conjunction() {
    Node left = shift();
    while (take("&")) left = apply(Operation::And, {left, shift()});
    return left;
  }
  Node shift() {
    Node left = sum();
    while (true) {
      if (take("<<")) {
        left = apply(Operation::ShiftLeft, {left, sum()});
      } else if (take(">>")) {
        left = apply(Operation::ShiftRight, {left, sum()});
      } else {
        return left;
      }
    }
  }

  Node sum() {
    Node left = product();
    while (true) {
      if (take("+")) {
        left = apply(Operation::Add, {left, product()});
      } else if (take("-")) {
        left = apply(Operation::Subtract, {left, product()});
      } else {
        return left;
      }
    }
  }

  Node product() {
    Node left = negation();
    while (true) {
      if (take("@")) {
        const Node right = negation();
        left = made([&] { return graph_.matmul(left, right); });
      } else if (take("*")) {
        left = apply(Operation::Multiply, {left, negation()});
      } else if (take("/")) {
        left = apply(Operation::Divide, {left, negation()});
      } else if (take("%")) {
        left = apply(Operation::Modulo, {left, negation()});
      } else {
        return left;
      }
    }
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
      const Node inside = comparison();
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

  Node number() {
    const char* const first = text_.data() + at_;
    const char* const last = text_.data() + text_.size();
    double value = 0;
    if (text_.substr(at_).starts_with("0x")) {
      uint32_t bits = 0;
      const auto [end, error] = std::from_chars(first + 2, last, bits, 16);
      if (error != std::errc()) fail("a number of at most 32 bits is expected");
      at_ += static_cast<size_t>(end - first);
      return graph_.constant(bits);
    }
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc() || value > std::numeric_limits<float>::max()) fail("a number of FP32 is expected");
    at_ += static_cast<size_t>(end - first);
    return graph_.constant(value);
  }

  uint64_t whole_number() {
    skip_space();
    uint64_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a whole number is expected");
    at_ += static_cast<size_t>(end - first);
    return value;
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
      const Node x = comparison();
      return made([&] { return graph_.cast(*format, x); });
    }
    if (word == "fill") {
      const Shape of = shape();
      comma();
      const bool minus = take("-");
      const Node value = number_alone();
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
      const Node x = comparison();
      comma();
      const Shape first = shape();
      comma();
      const Shape of = shape();
      return made([&] { return graph_.slice(x, first.rows, first.columns, of); });
    }
    if (word == "permute") {
      const Node x = comparison();
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
    std::vector<Node> sources{comparison()};
    while (take(",")) sources.push_back(comparison());
    if (is_function(word) && (!operation || sources.size() == 1)) {
      if (sources.size() != 1) fail(fmt::format("{} takes one matrix, not {}", word, sources.size()));
      return made([&] { return *apply_function(graph_, word, sources[0]); });
    }
    return apply(*operation, sources);
  }

  Node number_alone() {
    skip_space();
    return number();
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
