#include "graph/domain.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "graph/evaluate.hpp"

namespace kerr::graph {

namespace {

using kernels::Operation;
using Node = Graph::Node;

constexpr Range kPositive{0.1f, 1}, kNegative{-1, -0.1f};

enum class Sign : uint8_t { Any, Positive, Negative };
Sign opposite(Sign sign) {
  return sign == Sign::Positive ? Sign::Negative : sign == Sign::Negative ? Sign::Positive : Sign::Any;
}

class Domains {
 public:
  explicit Domains(const Graph& graph) : graph_(graph), wanted_(graph.size()), clash_(graph.size()) {}

  std::map<std::string, Range, std::less<>> run() {
    // From the result on: what is made comes behind what it is made of.
    std::vector<bool> used(graph_.size()), always(graph_.size());  // always: not only where a 'where' chooses it
    used[graph_.result()] = always[graph_.result()] = true;
    for (Node node = graph_.size(); node-- > 0;) {
      if (!used[node]) continue;
      const Graph::Item& item = graph_.item(node);
      const bool chooses = item.kind == Graph::Item::Kind::Apply && item.operation == Operation::Where;
      for (size_t i = 0; i < item.source_count(); ++i) {
        used[item.sources[i]] = true;
        if (always[node] && !(chooses && i > 0)) always[item.sources[i]] = true;
      }
      if (!clash_[node] && always[node]) hand_down(item, wanted_[node]);
    }
    std::map<std::string, Range, std::less<>> out;
    for (Node node = 0; node < graph_.size(); ++node) {
      const Graph::Item& item = graph_.item(node);
      if (item.kind != Graph::Item::Kind::Input || clash_[node] || wanted_[node] == Sign::Any) continue;
      out.emplace(item.name, wanted_[node] == Sign::Positive ? kPositive : kNegative);
    }
    return out;
  }

 private:
  void want(Node node, Sign sign) {
    if (sign == Sign::Any || known(node) != Sign::Any) return;
    if (wanted_[node] != Sign::Any && wanted_[node] != sign) clash_[node] = true;
    wanted_[node] = sign;
  }

  // Without asking anything of operands: Positive includes zero.
  Sign known(Node node) const {
    const Graph::Item& item = graph_.item(node);
    const double number = item.folded ? item.folded->exact : item.constant;
    if (item.folded || item.kind == Graph::Item::Kind::Constant)
      return number > 0 ? Sign::Positive : number < 0 ? Sign::Negative : Sign::Any;
    if (item.kind != Graph::Item::Kind::Apply) return Sign::Any;
    using enum Operation;
    if (is_one_of<Square, Abs, Exp, Exp2, Sigmoid, Softplus>(item.operation)) return Sign::Positive;
    switch (item.operation) {
      case Operation::Multiply: return item.sources[0] == item.sources[1] ? Sign::Positive : Sign::Any;
      case Operation::Add:  // of what is from -1 to 1, and a number that is larger
        for (const int i : {0, 1}) {
          const Graph::Item& other = graph_.item(item.sources[1 - i]);
          const auto& number_there = graph_.item(item.sources[i]).folded;
          if (number_there && number_there->as_float >= 1 && other.kind == Graph::Item::Kind::Input)
            return Sign::Positive;
        }
        return Sign::Any;
      default: return Sign::Any;
    }
  }

  void hand_down(const Graph::Item& item, Sign sign) {
    using Kind = Graph::Item::Kind;
    const auto& from = item.sources;
    if (item.kind == Kind::Matmul) {
      if (sign == Sign::Positive) want(from[0], sign), want(from[1], sign);
      return;
    }
    if (item.kind == Kind::Reduce || item.kind == Kind::Transpose || item.kind == Kind::Arrange)
      return want(from[0], sign);
    if (item.kind != Kind::Apply || item.folded) return;
    switch (item.operation) {
      case Operation::Log:
      case Operation::Log2:
      case Operation::SquareRoot:
      case Operation::ReciprocalSquareRoot: return want(from[0], Sign::Positive);
      case Operation::Power: {
        const auto& exponent = graph_.item(from[1]).folded;
        const bool whole = exponent && exponent->as_float == std::trunc(exponent->as_float);
        return want(from[0], whole ? Sign::Any : Sign::Positive);
      }
      case Operation::Negate: return want(from[0], opposite(sign));
      case Operation::Add:
      case Operation::Minimum:
      case Operation::Maximum: return want(from[0], sign), want(from[1], sign);
      case Operation::Multiply:
      case Operation::Divide: {
        if (sign == Sign::Any) return;
        const Sign left = known(from[0]), right = known(from[1]);
        // The sign that the other one has decides; where neither has one, both are to be positive.
        if (right != Sign::Any) return want(from[0], right == Sign::Positive ? sign : opposite(sign));
        if (left != Sign::Any) return want(from[1], left == Sign::Positive ? sign : opposite(sign));
        if (sign == Sign::Positive) want(from[0], sign), want(from[1], sign);
        return;
      }
      case Operation::Reciprocal:
      case Operation::ToFp32:
      case Operation::ToFp16:
      case Operation::ToBf16: return want(from[0], sign);
      default: return;
    }
  }

  const Graph& graph_;
  std::vector<Sign> wanted_;
  std::vector<bool> clash_;
};

}  // namespace

std::map<std::string, Range, std::less<>> domains(const Graph& graph) { return Domains(graph).run(); }

}  // namespace kerr::graph
