// kerr kernel show: the instruction streams that programs are made of.

#include <fmt/format.h>

#include <stdexcept>

#include "arch/boards.hpp"
#include "arch/memory_map.hpp"
#include "cli/commands/commands.hpp"
#include "cli/operands.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "graph/programs.hpp"
#include "isa/disassembler.hpp"
#include "isa/text/whole_number.hpp"
#include "jobs/matmul.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

namespace {

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

class KernelShow final : public Command {
  void declare(Syntax& syntax) override {
    syntax.expression("WHAT", what_, shapes_, "matmul M N K, or an expression and its shapes as for 'kerr eval'")
        .required();
    syntax.texts("SIZES", sizes_, "of matmul: M N K");
    add_board(syntax, board_);
    syntax.text("--stream", stream_, "only streams whose name contains this: reader, writer, unpack, math, pack");
    add_element_format(syntax, format_);
    add_plan(syntax, planner_);
    syntax.flag("--json", json_, "print them as JSON");
    syntax.footer(
        "Examples:\n"
        "  kerr kernel show matmul 512 512 512 --stream math\n"
        "  kerr kernel show \"gelu(x)\" --x 64x64 --stream unpack");
  }

  int run() override {
    report::Json out = report::Json::array();
    std::string names;
    bool any = false;
    for (const host::Program& program : programs()) {
      for (const host::Program::Kernel& kernel : program.kernels()) {
        names += (names.empty() ? "" : ", ") + kernel.image->name;
        if (kernel.image->name.find(stream_) == std::string::npos) continue;
        any = true;
        if (json_) {
          out.push_back(json_of(kernel));
          continue;
        }
        size_t bytes = 0;
        for (const image::Segment& segment : kernel.image->segments) bytes += segment.bytes.size();
        fmt::print("{} on {} of {} core{}: {} bytes\n{}\n", kernel.image->name,
                   arch::kHartNames[static_cast<size_t>(kernel.hart)], kernel.cores.size(),
                   kernel.cores.size() == 1 ? "" : "s", bytes, kernel.image->listing());
      }
    }
    if (!any) throw std::invalid_argument(fmt::format("no stream is named '{}'; there are {}", stream_, names));
    if (json_) write_json("streams", std::move(out));
    return 0;
  }

  std::vector<host::Program> programs() const {
    const jobs::BoardCores cores(board_);
    std::vector<host::Program> all;
    if (what_ == "matmul") {
      if (sizes_.size() != 3)
        throw std::invalid_argument(
            "'kernel show matmul' takes M, N and K.  Try 'kerr kernel show matmul 512 512 512'.");
      jobs::MatmulJob matmul;
      uint64_t* const sizes[] = {&matmul.shape.m, &matmul.shape.n, &matmul.shape.k};
      for (size_t i = 0; i < 3; ++i) {
        const std::string& text = sizes_[i];
        if (const auto problem = isa::text::problem_with_number(text, 1, kernels::kLargestSize))
          throw std::invalid_argument(
              fmt::format("{}{}.  Try 'kerr kernel show matmul 512 512 512'.", "MNK"[i], *problem));
        *sizes[i] = *isa::text::whole_number(text);
      }
      matmul.planner = planner_;
      matmul.options.in = matmul.options.out = format_;
      const kernels::MatmulPlan plan = jobs::plan(matmul, cores.workers(), cores.layout);
      all.push_back(kernels::matmul_program(plan, cores.layout, cores.workers(), {}));
      return all;
    }
    if (!sizes_.empty()) {
      throw std::invalid_argument(
          fmt::format("'{}' is not expected: only 'kernel show matmul' takes sizes, and an "
                      "expression with blanks needs quotes.  Try 'kerr kernel show --help'.",
                      sizes_.front()));
    }
    const graph::Graph graph = parse_expression(what_, shapes_, format_);
    const graph::Target target{cores.layout, cores.workers(), {}};
    for (const graph::Stage& stage : graph::stages(graph, format_)) {
      all.push_back(graph::program(graph, stage, target, std::vector<uint32_t>(graph::operands(stage).size()), 0));
    }
    return all;
  }

  std::string what_;                // "matmul" or an expression
  std::vector<std::string> sizes_;  // M N K
  Shapes shapes_;                   // as for 'kerr eval'
  arch::Board board_ = arch::kP100a;
  std::string stream_;  // only streams whose name contains this
  kernels::Format format_ = kernels::Format::Bf16;
  jobs::Planner planner_ = jobs::Planner::Default;
};

}  // namespace

std::unique_ptr<Command> make_kernel_show() { return std::make_unique<KernelShow>(); }

}  // namespace kerr::cli
