#include "graph/stages.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include "graph/operand_split.hpp"

namespace kerr::graph {

namespace {

using Item = Graph::Item;
using Node = Graph::Node;

bool is_integer(NodeType type) { return type == NodeType::Integer; }

class Stages {
 public:
  Stages(const Graph& graph, Format floats, const kernels::MatmulOptions& matmul)
      : graph_(graph),
        floats_(kernels::is_integer(floats) ? Format::Fp32 : floats),
        matmul_(matmul),
        nodes_{.formats = {}, .constant = std::vector<bool>(graph.size()), .needed = std::vector<bool>(graph.size())},
        uses_(graph.size()) {
    for (Node node = 0; node < graph.size(); ++node) {
      const Item& item = graph.item(node);
      nodes_.formats.push_back(memory_format(item));
      nodes_.constant[node] = item.folded.has_value();
      const bool is_program = item.kind != Item::Kind::Apply;  // and wants what it is made of in memory
      for (size_t i = 0; i < item.source_count(); ++i) {
        ++uses_[item.sources[i]];
        if (is_program) nodes_.needed[item.sources[i]] = true;
      }
      // The vector unit cannot make numbers that share exponents.
      if (!is_program && item.format && kernels::shares_exponents(*item.format)) nodes_.needed[node] = true;
    }
    fit_operands(graph, nodes_);
  }

  std::vector<Stage> run() {
    const Item& result = graph_.item(graph_.result());
    if (result.kind == Item::Kind::Input || nodes_.constant[graph_.result()]) {
      throw std::invalid_argument("there is nothing to compute: the expression is a name or a number");
    }
    require(graph_.result(), nodes_.formats[graph_.result()]);
    return std::move(stages_);
  }

 private:
  using Done = std::map<std::pair<Node, bool>, kernels::Expression::Node>;

  // ---- formats

  Format memory_format(const Item& item) const {
    if (item.format) return *item.format;
    switch (item.kind) {
      case Item::Kind::Reduce: return kernels::reduced_format(transposable(nodes_.formats[item.sources[0]]));
      case Item::Kind::Transpose: return transposable(nodes_.formats[item.sources[0]]);
      // What lies beside the matrix in its last tiles would share exponents with it.
      case Item::Kind::Arrange:
        return item.cuts_tiles ? transposable(nodes_.formats[item.sources[0]]) : nodes_.formats[item.sources[0]];
      default: return is_integer(item.type) ? Format::Int32 : floats_;
    }
  }
  static Format transposable(Format format) { return kernels::shares_exponents(format) ? Format::Bf16 : format; }

  // An operand of a stage, in its memory format; what can be of either type may be wanted as integers.
  struct Source {
    Node node;
    bool as_integer;
  };
  Format format_of(const Source& source) const {
    return source.as_integer && graph_.item(source.node).type == NodeType::Either ? Format::Int32
                                                                                  : nodes_.formats[source.node];
  }
  std::vector<Format> formats_of(const std::vector<Source>& sources) const {
    std::vector<Format> all;
    for (const Source& source : sources) all.push_back(format_of(source));
    return all;
  }

  // ---- stages

  Operand operand(Node node, Format format) {
    require(node, format);
    return {{node, format}, graph_.item(node).shape};
  }
  Operand operand(Node node) { return operand(node, nodes_.formats[node]); }

  // Makes sure that the node's matrix lies in memory in this format.
  void require(Node node, Format format) {
    const Item& item = graph_.item(node);
    const Place place{node, format};
    if (item.kind == Item::Kind::Input && format == nodes_.formats[node]) return;
    if (!in_memory_.insert(place).second) return;
    // What can be of either type is made anew as integers, which floats of the format need not hold.
    if (item.type == NodeType::Either && kernels::is_integer(format)) return compute(node, format);
    if (format != nodes_.formats[node]) return convert(node, format);
    switch (item.kind) {
      case Item::Kind::Matmul: stages_.push_back(product_stage(node)); return;
      case Item::Kind::Reduce: {
        const Format from =
            transposable(nodes_.formats[item.sources[0]]);  // what lies beside the matrix is filled, datum by datum
        stages_.push_back(ReduceStage{place, operand(item.sources[0], from), item.reduction, item.along});
        return;
      }
      case Item::Kind::Transpose: stages_.push_back(TransposeStage{place, operand(item.sources[0], format)}); return;
      case Item::Kind::Arrange:
        stages_.push_back(ArrangeStage{place, operand(item.sources[0], format), item.map});
        return;
      default: compute(node, format);
    }
  }

  Format product_format(const Item& item) const {
    const Format a = nodes_.formats[item.sources[0]], b = nodes_.formats[item.sources[1]];
    if (a == b) return a;
    return is_integer(item.type) ? Format::Int8 : Format::Fp32;
  }

  ProductStage product_stage(Node node) {
    const Item& item = graph_.item(node);
    const Format both = product_format(item);
    const Operand a = operand(item.sources[0], both), b = operand(item.sources[1], both);
    return {{node, nodes_.formats[node]}, a, b};
  }

  void convert(Node node, Format format) {
    const Format from = nodes_.formats[node];
    ElementwiseStage stage{
        .result = {node, format}, .expression = {}, .operands = {operand(node)}, .formats = {from, format}};
    stage.expression.input(0, is_integer(graph_.item(node).type) ? kernels::Type::Integer : kernels::Type::Float);
    stages_.push_back(std::move(stage));
  }

  // The stage that makes the node: all of it, or as much as the vector unit has room for; the largest part that is at
  // most half of what was too much becomes a stage of its own.
  void compute(Node node, Format format) {
    while (true) {
      ElementwiseStage stage{.result = {node, format}, .expression = {}, .operands = {}, .formats = {}};
      std::vector<Source> sources;
      Done done;
      stage.expression.set_result(translate(node, kernels::is_integer(format), node, stage, sources, done));
      const std::vector<Format> formats = formats_of(sources);
      const bool wide = are_mixed(formats) || (!formats.empty() && kernels::is_wide(formats[0]));
      if (sources.size() > room_for_operands(formats, format) && split_operands(node, done)) continue;
      // Without operands there are none of 32 bits either, and all of Dst is left for values.
      stage.formats = {formats.empty() ? Format::Bf16 : wide ? Format::Fp32 : formats[0], format};
      try {
        kernels::vector_code(stage.expression, stage.formats, graph_.item(node).shape.columns);
      } catch (const std::length_error&) {
        if (split(node, done)) continue;
        throw;
      }
      if (make_epilogue(stage, sources)) return;
      for (const Source& source : sources) {
        const bool integer = kernels::is_integer(format_of(source));
        stage.operands.push_back(operand(source.node, !wide     ? format_of(source)
                                                      : integer ? Format::Int32
                                                                : Format::Fp32));
      }
      stages_.push_back(std::move(stage));
      return;
    }
  }

  // The stage as the epilogue of a product among its operands that nobody else wants: if it is of floats, Dst has room
  // for it, and holds its operands without rounding them.
  bool make_epilogue(const ElementwiseStage& stage, const std::vector<Source>& sources) {
    const Shape shape = graph_.item(stage.result.node).shape;
    const auto found = std::ranges::find_if(sources, [&](const Source& source) {
      const Item& item = graph_.item(source.node);
      return item.kind == Item::Kind::Matmul && item.shape == shape && uses_[source.node] == 1;
    });
    if (found == sources.end() || stage.expression.needs_index()) return false;
    const Node product = found->node;
    kernels::MatmulOptions options = matmul_;
    options.in = product_format(graph_.item(product));
    options.out = stage.result.format;
    const std::optional<Format> in_dst = kernels::operand_format(options);
    if (!in_dst || options.out != nodes_.formats[product] || kernels::shares_exponents(options.out)) return false;

    kernels::MatmulEpilogue epilogue;
    std::vector<kernels::Expression::Node> inputs(sources.size());
    std::vector<Node> others;
    for (size_t i = 0; i < sources.size(); ++i) {
      const Node node = sources[i].node;
      if (node == product) {
        inputs[i] = epilogue.expression.input(0);
        continue;
      }
      if (kernels::is_integer(format_of(sources[i])) || (nodes_.formats[node] != *in_dst && *in_dst != Format::Fp32))
        return false;
      others.push_back(node);
      epilogue.operands_have_rows.push_back(graph_.item(node).shape.rows != 1);
      inputs[i] = epilogue.expression.input(static_cast<uint32_t>(others.size()));
    }
    epilogue.expression.set_result(epilogue.expression.insert(stage.expression, inputs));
    options.epilogue = std::make_shared<const kernels::MatmulEpilogue>(std::move(epilogue));
    if (!kernels::has_room_for_epilogue(options)) return false;

    ProductStage made = product_stage(product);
    made.result = stage.result;
    made.epilogue = options.epilogue;
    for (const Node node : others) made.operands.push_back(operand(node, *in_dst));
    stages_.push_back(std::move(made));
    return true;
  }

  // What the stage that makes `node` has as operands if `cut` is one of them.
  void add_operands(Node node, Node result, Node cut, std::set<Node>& seen, std::set<Node>& operands) const {
    const Item& item = graph_.item(node);
    if (nodes_.constant[node] || !seen.insert(node).second) return;
    const bool inside = item.elementwise() && item.shape == graph_.item(result).shape && node != cut &&
                        (node == result || !nodes_.needed[node]);
    if (!inside) operands.insert(node);
    for (size_t i = 0; inside && i < item.source_count(); ++i)
      add_operands(item.sources[i], result, cut, seen, operands);
  }

  // There are too many operands: marks as a stage of its own the part that leaves the fewest, the larger one if two
  // leave
  // as many. What was marked for want of registers, or by another stage, is an operand beside those that it is made
  // of, so
  // this may be needed more than once.
  bool split_operands(Node node, const Done& done) {
    std::optional<Node> best;
    size_t fewest = 0;
    for (const auto& [key, value] : done) {
      const Node part = key.first;
      const bool inside = graph_.item(part).kind == Item::Kind::Apply && part != node && !nodes_.constant[part] &&
                          !nodes_.needed[part] && graph_.item(part).shape == graph_.item(node).shape;
      if (!inside) continue;
      std::set<Node> seen, operands;
      add_operands(node, node, part, seen, operands);
      if (!best || operands.size() <= fewest) best = part, fewest = operands.size();
    }
    if (best) nodes_.needed[*best] = true;
    return best.has_value();
  }

  // Marks a part of the stage as one of its own.
  bool split(Node node, const Done& done) {
    std::map<Node, size_t> sizes;  // nodes of the stage that it is made of, itself included
    std::optional<Node> largest;
    for (const auto& [key, value] : done) {  // sources come before what they are used in
      const Item& item = graph_.item(key.first);
      if (item.kind != Item::Kind::Apply || nodes_.constant[key.first] ||
          (key.first != node && nodes_.needed[key.first]))
        continue;
      size_t size = 1;
      for (size_t i = 0; i < item.source_count(); ++i) {
        const auto source = sizes.find(item.sources[i]);
        if (source != sizes.end()) size += source->second;
      }
      sizes[key.first] = size;
    }
    for (const auto& [part, size] : sizes) {
      if (part != node && 2 * size <= sizes[node] + 1 && (!largest || size > sizes[*largest])) largest = part;
    }
    if (largest) nodes_.needed[*largest] = true;
    return largest.has_value();
  }

  // Constants and what is computed element by element at the stage's shape are part of it; all else is an operand, as
  // is what lies in memory for other stages anyway. `as_integer`: of a node that can be either.
  kernels::Expression::Node translate(Node node, bool as_integer, Node result, ElementwiseStage& stage,
                                      std::vector<Source>& operands, Done& done) {
    const Item& item = graph_.item(node);
    if (item.type != NodeType::Either) as_integer = is_integer(item.type);
    const auto key = std::pair(node, as_integer);
    if (const auto found = done.find(key); found != done.end()) return found->second;
    kernels::Expression& expression = stage.expression;
    const bool inside = item.kind == Item::Kind::Constant ||
                        (item.elementwise() && (item.shape == graph_.item(result).shape || nodes_.constant[node]) &&
                         (node == result || !nodes_.needed[node]));
    kernels::Expression::Node made = 0;
    if (!inside) {
      const auto number = static_cast<uint32_t>(operands.size());
      made = expression.input(number, as_integer ? kernels::Type::Integer : kernels::Type::Float);
      operands.push_back({node, as_integer});
    } else if (item.folded) {
      made = as_integer ? expression.integer(item.folded->as_integer) : expression.constant(item.folded->as_float);
    } else if (item.kind == Item::Kind::Constant) {
      made = as_integer ? expression.integer(static_cast<int32_t>(static_cast<int64_t>(item.constant)))
                        : expression.constant(static_cast<float>(item.constant));
    } else if (item.kind == Item::Kind::Index) {
      made = expression.index();
    } else if (item.kind == Item::Kind::Random) {
      made = expression.random(item.key);
    } else {
      std::vector<kernels::Expression::Node> sources;
      const bool want = sources_as_integers(kernels::info(item.operation), as_integer);
      for (size_t i = 0; i < item.source_count(); ++i)
        sources.push_back(translate(item.sources[i], want, result, stage, operands, done));
      made = expression.apply(item.operation, sources);
    }
    return done[key] = made;
  }

  const Graph& graph_;
  const Format floats_;
  const kernels::MatmulOptions matmul_;
  NodesInMemory
      nodes_;  // needed: by a product, sum, maximum or transpose, because its format is there only, or for want of room
  std::set<Place> in_memory_;
  std::vector<uint32_t> uses_;
  std::vector<Stage> stages_;
};

}  // namespace

std::vector<Stage> stages(const Graph& graph, Format floats, const kernels::MatmulOptions& matmul) {
  return Stages(graph, floats, matmul).run();
}

}  // namespace kerr::graph
