#include "cli/kernel.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "arch/memory_map.hpp"
#include "cli/operands.hpp"
#include "cli/version.hpp"
#include "graph/programs.hpp"
#include "isa/disassembler.hpp"
#include "isa/text/whole_number.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

std::vector<host::Program> programs(const KernelRequest& request) {
  const jobs::BoardCores cores(request.board);
  std::vector<host::Program> all;
  if (request.what == "matmul") {
    if (request.sizes.size() != 3)
      throw std::invalid_argument("'kernel show matmul' takes M, N and K.  Try 'kerr kernel show matmul 512 512 512'.");
    jobs::MatmulJob matmul;
    uint64_t* const sizes[] = {&matmul.shape.m, &matmul.shape.n, &matmul.shape.k};
    for (size_t i = 0; i < 3; ++i) {
      const std::string& text = request.sizes[i];
      if (const auto problem = isa::text::problem_with_number(text, 1, kernels::kLargestSize))
        throw std::invalid_argument(fmt::format("{}{}.  Try 'kerr kernel show matmul 512 512 512'.", "MNK"[i], *problem));
      *sizes[i] = *isa::text::whole_number(text);
    }
    matmul.planner = request.planner;
    matmul.options.in = matmul.options.out = request.format;
    const kernels::MatmulPlan plan = jobs::plan(matmul, cores.workers(), cores.layout);
    all.push_back(kernels::matmul_program(plan, cores.layout, cores.workers(), {}));
    return all;
  }
  if (!request.sizes.empty()) {
    throw std::invalid_argument(fmt::format("'{}' is not expected: only 'kernel show matmul' takes sizes, and an "
                                            "expression with blanks needs quotes.  Try 'kerr kernel show --help'.",
                                            request.sizes.front()));
  }
  const graph::Graph graph = parse_expression(request.what, request.shapes, request.format);
  const graph::Target target{cores.layout, cores.workers(), {}};
  for (const graph::Stage& stage : graph::stages(graph, request.format)) {
    all.push_back(graph::program(graph, stage, target, std::vector<uint32_t>(graph::operands(stage).size()), 0));
  }
  return all;
}

report::Json json_of(const host::Program::Kernel& kernel) {
  report::Json words = report::Json::array();
  for (const image::Segment& segment : kernel.image->segments) {
    for (uint32_t at = segment.address; at + 4 <= segment.address + segment.bytes.size(); at += 4) {
      const uint32_t word = *kernel.image->word_at(at);
      report::Json line = {{"address", at}, {"word", word}, {"text", isa::disassemble(word, at)}};
      if (const std::string_view comment = kernel.image->comment_at(at); !comment.empty()) line["comment"] = comment;
      words.push_back(std::move(line));
    }
  }
  return {{"name", kernel.image->name},
          {"hart", arch::kHartNames[static_cast<size_t>(kernel.hart)]},
          {"cores", kernel.cores.size()},
          {"words", std::move(words)}};
}

}  // namespace

int kernel_command(const KernelRequest& request) {
  report::Json out = report::Json::array();
  std::string names;
  bool any = false;
  for (const host::Program& program : programs(request)) {
    for (const host::Program::Kernel& kernel : program.kernels()) {
      names += (names.empty() ? "" : ", ") + kernel.image->name;
      if (kernel.image->name.find(request.stream) == std::string::npos) continue;
      any = true;
      if (request.json) {
        out.push_back(json_of(kernel));
        continue;
      }
      size_t bytes = 0;
      for (const image::Segment& segment : kernel.image->segments) bytes += segment.bytes.size();
      fmt::print("{} on {} of {} core{}: {} bytes\n{}\n", kernel.image->name, arch::kHartNames[static_cast<size_t>(kernel.hart)],
                 kernel.cores.size(), kernel.cores.size() == 1 ? "" : "s", bytes, kernel.image->listing());
    }
  }
  if (!any) throw std::invalid_argument(fmt::format("no stream is named '{}'; there are {}", request.stream, names));
  if (request.json) write_json("streams", std::move(out));
  return 0;
}

}  // namespace kerr::cli
