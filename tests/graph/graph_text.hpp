// A graph as calls, for tests: "add(a, mul(b, c))".
#pragma once

#include <fmt/format.h>

#include <string>

#include "graph/graph.hpp"

namespace kerr::graph {

inline std::string text(const Graph& graph, Graph::Node node) {
  const Graph::Item& item = graph.item(node);
  switch (item.kind) {
    case Graph::Item::Kind::Input: return item.name;
    case Graph::Item::Kind::Constant: return fmt::format("{}", item.constant);
    case Graph::Item::Kind::Matmul:
      return fmt::format("({} @ {})", text(graph, item.sources[0]), text(graph, item.sources[1]));
    case Graph::Item::Kind::Reduce:
      return fmt::format("{}{}({})", item.along == kernels::Along::Row ? "row" : "col",
                         item.reduction == kernels::Reduction::Sum       ? "sum"
                         : item.reduction == kernels::Reduction::Maximum ? "max"
                                                                         : "min",
                         text(graph, item.sources[0]));
    case Graph::Item::Kind::Index: return "iota";
    case Graph::Item::Kind::Random: return fmt::format("random({})", item.key);
    case Graph::Item::Kind::Arrange: return fmt::format("tiles({})", text(graph, item.sources[0]));
    case Graph::Item::Kind::Transpose: return fmt::format("transpose({})", text(graph, item.sources[0]));
    case Graph::Item::Kind::Apply: break;
  }
  std::string out(kernels::info(item.operation).name);
  for (size_t i = 0; i < item.source_count(); ++i) out += (i == 0 ? "(" : ", ") + text(graph, item.sources[i]);
  return out + ")";
}

}  // namespace kerr::graph
