#include <fmt/format.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/c/api.hpp"
#include "bindings/c/matrices.hpp"
#include "bindings/c/memory.hpp"
#include "bindings/c/options.hpp"
#include "graph/check.hpp"
#include "graph/parse.hpp"
#include "graph/run.hpp"
#include "report/json.hpp"

namespace kerr::c {

namespace {

using Json = report::Json;
using kernels::Format;

struct EvalOptions {
  graph::RunOptions run;
  bool check = false, explain = false;
  std::optional<std::chrono::milliseconds> limit;
};

EvalOptions options_of(const char* text, std::string_view function) {
  Options options(text, function);
  EvalOptions out;
  out.run.format = float_format(options);
  using kernels::Fidelity;
  out.run.matmul.fidelity = options
                                .choice<Fidelity>("fidelity", {{"lofi", Fidelity::LoFi},
                                                               {"hifi2", Fidelity::HiFi2},
                                                               {"hifi3", Fidelity::HiFi3},
                                                               {"hifi4", Fidelity::HiFi4}})
                                .value_or(Fidelity::HiFi2);
  out.run.matmul.fp32_accumulate =
      options.choice<bool>("accumulate", {{"bf16", false}, {"fp32", true}}).value_or(false);
  out.run.cores = static_cast<uint32_t>(options.number("cores", 1, arch::kTensixTiles).value_or(0));
  out.check = options.flag("check").value_or(false);
  out.explain = options.flag("explain").value_or(false);
  if (const auto limit = options.number("timeout_ms", 0, kLongestLimit); limit && *limit != 0)
    out.limit = std::chrono::milliseconds(*limit);
  options.end();
  return out;
}

graph::Inputs inputs_of(const kerr_matrix* operands, size_t count, Format floats, std::string_view function) {
  if (count != 0) require(operands, function, "operands");
  graph::Inputs inputs;
  for (size_t i = 0; i < count; ++i) {
    if (operands[i].name == nullptr) invalid_argument(fmt::format("{}: operand {} has no name", function, i));
    const std::string name = operands[i].name;
    if (!inputs.emplace(name, tensor_of(operands[i], floats, fmt::format("'{:.60}'", name))).second)
      invalid_argument(fmt::format("{}: two operands have the name '{:.60}'", function, name));
  }
  return inputs;
}

Json json_of(const graph::Agreement& a) {
  const graph::Verdict verdict = a.verdict();
  Json json = {{"verdict", verdict == graph::Verdict::Verified      ? "verified"
                           : verdict == graph::Verdict::AsFarAsTold ? "right as far as it can be told"
                                                                    : "wrong"},
               {"pcc", a.pcc},
               {"relative_error", a.relative_error},
               {"max_error", a.max_error},
               {"checked_rows", a.checked_rows}};
  if (a.bounds) {
    json["elements"] = {{"compared", a.bounds->elements},
                        {"within_bounds", a.bounds->within},
                        {"by_class", a.bounds->by_class},
                        {"not_told", a.bounds->untold},
                        {"outside", a.bounds->outside}};
  }
  return json;
}

Json json_of(const std::vector<graph::StageReport>& stages) {
  Json list = Json::array();
  for (const graph::StageReport& stage : stages) {
    list.push_back({{"what", stage.what},
                    {"cores", stage.cores},
                    {"vector_instructions", stage.vector_instructions},
                    {"spills", stage.spills},
                    {"layouts", stage.layouts}});
  }
  return list;
}

// The matrices of an expression; no name is in both.
struct Operands {
  graph::Inputs host;
  graph::DeviceInputs device;
};

graph::Tensor numbers_of(host::Chip& chip, const graph::DeviceMatrix& matrix) {
  return graph::download(chip, matrix.buffer, {matrix.rows, matrix.columns, matrix.format, {}});
}

// A result and its inputs on the host, for the comparison with float64.
struct Fetched {
  graph::Inputs inputs;
  graph::Tensor result;
};
Fetched fetch(const Operands& operands, host::Chip& chip, const graph::Tensor& result) {
  Fetched all{operands.host, result};
  for (const auto& [name, matrix] : operands.device) all.inputs.emplace(name, numbers_of(chip, matrix));
  return all;
}
Fetched fetch(const Operands& operands, host::Chip& chip, const graph::DeviceMatrix& result) {
  return fetch(operands, chip, numbers_of(chip, result));
}

graph::Graph parse(std::string_view expression, const Operands& operands) {
  return graph::parse(expression, [&](std::string_view name) -> graph::Matrix {
    if (const auto there = operands.device.find(name); there != operands.device.end())
      return {graph::Shape{there->second.rows, there->second.columns}, there->second.format};
    const auto found = operands.host.find(name);
    if (found == operands.host.end()) throw std::invalid_argument(fmt::format("no operand has the name '{}'", name));
    const graph::Tensor& t = found->second;
    const bool integer = kernels::is_integer(t.format);
    return {graph::Shape{t.rows, t.columns}, integer ? std::optional(t.format) : std::nullopt};
  });
}

// Returns what `run` makes: graph::run() or graph::run_on_device(). `report` gets a text for the caller.
template <class Run>
auto eval(Device& device, std::string_view expression, const Operands& operands, EvalOptions& options,
          HandedOut* report, Run&& run) {
  const graph::Graph graph = parse(expression, operands);
  std::vector<graph::StageReport> stages;
  uint64_t cycles = 0;
  if (options.explain) {
    options.run.without_numbers = true;
    options.run.launch = [](const host::Program&) {};
  }
  options.run.progress = [&](size_t done, size_t total) { device.supervision().set_steps(done, total); };
  std::optional<decltype(run(graph, stages))> made;
  std::optional<Fetched> fetched;
  device.call(options.explain ? "explain" : "eval", options.limit, [&] {
    device.scratch().release();
    const uint64_t before = device.cycles();
    made.emplace(run(graph, stages));
    cycles = device.cycles() - before;
    if (report != nullptr && options.check && !options.explain) fetched = fetch(operands, device.chip(), *made);
  });
  if (report != nullptr) {
    Json json = {{"stages", json_of(stages)}, {"device_cycles", cycles}, {"ns", device.nanoseconds(cycles)}};
    if (fetched) json["agreement"] = json_of(graph::check(graph, fetched->inputs, fetched->result, options.run));
    *report = HandedOut(hand_out(json.dump(-1)));
  }
  return std::move(*made);
}

void eval_on_host(Device& device, std::string_view expression, const graph::Inputs& inputs, EvalOptions options,
                  kerr_matrix* result, char** report) {
  const Operands operands{inputs, {}};
  HandedOut text(nullptr);
  const graph::Tensor made = eval(device, expression, operands, options, report != nullptr ? &text : nullptr,
                                  [&](const graph::Graph& graph, std::vector<graph::StageReport>& stages) {
                                    return graph::run(graph, operands.host, device.chip(), options.run, &stages);
                                  });
  if (!options.explain) *result = matrix_of(made);
  if (report != nullptr) *report = static_cast<char*>(text.release());
}

Operands operands_of(const std::shared_ptr<Device>& device, const kerr_operand* operands, size_t count, Format floats) {
  constexpr const char* kFunction = "kerr_tensor_eval()";
  if (count != 0) require(operands, kFunction, "operands");
  Operands out;
  for (size_t i = 0; i < count; ++i) {
    if (operands[i].name == nullptr) invalid_argument(fmt::format("{}: operand {} has no name", kFunction, i));
    const std::string name = operands[i].name;
    if (out.host.contains(name) || out.device.contains(name))
      invalid_argument(fmt::format("{}: two operands have the name '{:.60}'", kFunction, name));
    if (operands[i].tensor == nullptr) {
      if (operands[i].matrix == nullptr)
        invalid_argument(fmt::format("{}: operand '{:.60}' is neither a tensor nor a matrix", kFunction, name));
      out.host.emplace(name, tensor_of(*operands[i].matrix, floats, fmt::format("'{:.60}'", name)));
      continue;
    }
    const std::shared_ptr<TensorObject> tensor = find(operands[i].tensor);
    if (tensor->device != device)
      invalid_argument(fmt::format("{}: '{:.60}' is a tensor of another device", kFunction, name));
    out.device.emplace(name, tensor->matrix);
  }
  return out;
}

}  // namespace

}  // namespace kerr::c

using namespace kerr::c;

int kerr_eval(kerr_device device, const char* expression, const kerr_matrix* operands, size_t operand_count,
              const char* options, kerr_matrix* result, char** report, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(expression, "kerr_eval()", "expression");
    EvalOptions given = options_of(options, "kerr_eval()");
    if (!given.explain) require(result, "kerr_eval()", "result");
    const auto inputs = inputs_of(operands, operand_count, given.run.format, "kerr_eval()");
    eval_on_host(*found, expression, inputs, std::move(given), result, report);
  });
}

int kerr_matmul(kerr_device device, const kerr_matrix* a, const kerr_matrix* b, const char* options,
                kerr_matrix* result, char** report, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(a, "kerr_matmul()", "a");
    require(b, "kerr_matmul()", "b");
    EvalOptions given = options_of(options, "kerr_matmul()");
    if (!given.explain) require(result, "kerr_matmul()", "result");
    kerr_matrix operands[] = {*a, *b};
    operands[0].name = "a";
    operands[1].name = "b";
    const auto inputs = inputs_of(operands, 2, given.run.format, "kerr_matmul()");
    eval_on_host(*found, "a @ b", inputs, std::move(given), result, report);
  });
}

int kerr_tensor_eval(kerr_device device, const char* expression, const kerr_operand* operands, size_t operand_count,
                     const char* options, kerr_tensor* result, char** report, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(expression, "kerr_tensor_eval()", "expression");
    EvalOptions given = options_of(options, "kerr_tensor_eval()");
    if (!given.explain) require(result, "kerr_tensor_eval()", "result");
    const Operands all = operands_of(found, operands, operand_count, given.run.format);
    HandedOut text(nullptr);
    kerr::graph::DeviceMatrix made =
        eval(*found, expression, all, given, report != nullptr ? &text : nullptr,
             [&](const kerr::graph::Graph& graph, std::vector<kerr::graph::StageReport>& stages) {
               return kerr::graph::run_on_device(graph, all.host, all.device, found->chip(), given.run, &stages);
             });
    if (!given.explain) *result = tensor_handle(found, std::move(made));
    if (report != nullptr) *report = static_cast<char*>(text.release());
  });
}
