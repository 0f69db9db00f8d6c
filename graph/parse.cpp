#include "graph/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph/functions.hpp"

namespace kerr::graph {

namespace {

using kernels::Operation;
using Node = Graph::Node;

constexpr int kDeepest = 200;  // parentheses, calls and signs inside one another
constexpr std::size_t kLongest = 10'000;

class Parser {
 public:
  Parser(std::string_view text, const std::function<Shape(std::string_view)>& shape_of)
      : text_(text), shape_of_(shape_of) {}

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
    const std::size_t from = at_ < 30 ? 0 : at_ - 30;
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
    try {
      return graph_.apply(operation, sources);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  Node comparison() {
    static constexpr std::pair<std::string_view, Operation> kOperators[] = {
        {"<=", Operation::LessEqual}, {">=", Operation::GreaterEqual}, {"==", Operation::Equal},
        {"!=", Operation::NotEqual},  {"<", Operation::Less},          {">", Operation::Greater}};
    Node left = sum();
    for (bool more = true; more;) {
      more = false;
      for (const auto& [token, operation] : kOperators) {
        if (!take(token)) continue;
        left = apply(operation, {left, sum()});
        more = true;
        break;
      }
    }
    return left;
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
        try {
          left = graph_.matmul(left, right);
        } catch (const std::invalid_argument& error) {
          fail(error.what());
        }
      } else if (take("*")) {
        left = apply(Operation::Multiply, {left, negation()});
      } else if (take("/")) {
        left = apply(Operation::Divide, {left, negation()});
      } else {
        return left;
      }
    }
  }

  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kDeepest) parser.fail("too many parentheses inside one another");
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  Node negation() {
    const Depth depth(*this);
    if (take("-")) return apply(Operation::Negate, {negation()});
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
    float value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number of FP32 is expected");
    at_ = static_cast<std::size_t>(end - text_.data());
    return graph_.constant(value);
  }

  Node name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    const std::string_view word = text_.substr(from, at_ - from);
    if (!take("(")) {
      try {
        return graph_.input(word, shape_of_(word));
      } catch (const std::invalid_argument& error) {
        fail(error.what());
      }
    }
    const std::optional<Operation> operation = kernels::operation_named(word);
    if (!operation) {
      if (is_function(word)) return function(word);
      std::string all;
      for (const kernels::OperationInfo& known : kernels::operations())
        all += fmt::format("{}{}", all.empty() ? "" : " ", known.name);
      fail(fmt::format("no operation is named '{}'; there are {} {}", word, all, kFunctions));
    }
    std::vector<Node> sources{comparison()};
    while (take(",")) sources.push_back(comparison());
    if (!take(")")) fail("',' or ')' is expected");
    return apply(*operation, sources);
  }

  static bool is_function(std::string_view word) {
    for (std::string_view rest = kFunctions; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == word) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
  }

  Node function(std::string_view word) {
    const Node x = comparison();
    if (!take(")")) fail(fmt::format("{} takes one matrix: ')' is expected", word));
    return *apply_function(graph_, word, x);
  }

  const std::string_view text_;
  const std::function<Shape(std::string_view)>& shape_of_;
  Graph graph_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Graph parse(std::string_view text, const std::function<Shape(std::string_view)>& shape_of) {
  return Parser(text, shape_of).run();
}

}  // namespace kerr::graph
