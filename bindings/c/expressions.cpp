#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/c/api.hpp"
#include "bindings/c/json_text.hpp"
#include "bindings/c/matrices.hpp"
#include "bindings/c/memory.hpp"
#include "bindings/c/options.hpp"
#include "graph/check.hpp"
#include "graph/parse.hpp"
#include "graph/run.hpp"

namespace kerr::c {

namespace {

using Json = nlohmann::ordered_json;
using kernels::Format;

struct EvalOptions {
  graph::RunOptions run;
  bool check = false, explain = false;
  std::optional<std::chrono::milliseconds> limit;
};

EvalOptions options_of(const char* text, std::string_view function) {
  Options options(text, function);
  EvalOptions out;
  out.run.format = options
                       .choice<Format>("format", {{"bf16", Format::Bf16},
                                                  {"fp32", Format::Fp32},
                                                  {"fp16", Format::Fp16},
                                                  {"bfp8", Format::Bfp8},
                                                  {"bfp4", Format::Bfp4}})
                       .value_or(Format::Bf16);
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
  if (const auto limit = options.number("timeout_ms", 0, 1'000'000'000'000); limit && *limit != 0)
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

void eval(Device& device, std::string_view expression, const graph::Inputs& inputs, EvalOptions options,
          kerr_matrix* result, char** report) {
  const graph::Graph graph = graph::parse(expression, [&](std::string_view name) -> graph::Matrix {
    const auto found = inputs.find(name);
    if (found == inputs.end()) throw std::invalid_argument(fmt::format("no operand has the name '{}'", name));
    const graph::Tensor& t = found->second;
    const bool integer = kernels::is_integer(t.format);
    return {graph::Shape{t.rows, t.columns}, integer ? std::optional(t.format) : std::nullopt};
  });
  std::vector<graph::StageReport> stages;
  graph::Tensor made;
  uint64_t cycles = 0;
  if (options.explain) {
    options.run.without_numbers = true;
    options.run.launch = [](const host::Program&) {};
  }
  device.call(options.explain ? "explain" : "eval", options.limit, [&] {
    device.scratch().release();
    const uint64_t before = device.cycles();
    made = graph::run(graph, inputs, device.chip(), options.run, &stages);
    cycles = device.cycles() - before;
  });
  Json json = {{"stages", json_of(stages)}, {"device_cycles", cycles}, {"ns", device.nanoseconds(cycles)}};
  if (options.check && !options.explain) json["agreement"] = json_of(graph::check(graph, inputs, made, options.run));
  HandedOut text(report != nullptr ? hand_out(text_of(json)) : nullptr);
  if (!options.explain) *result = matrix_of(made);
  if (report != nullptr) *report = static_cast<char*>(text.release());
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
    eval(*found, expression, inputs, std::move(given), result, report);
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
    eval(*found, "a @ b", inputs, std::move(given), result, report);
  });
}
