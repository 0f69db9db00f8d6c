#include "loops/executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/boards.hpp"
#include "loops/blob.hpp"
#include "loops/definition.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/launch.hpp"
#include "loops/views.hpp"

namespace kerr::loops {

namespace {

const arch::Board& board_named(std::string_view board) {
  std::string known;
  for (const arch::Board& one : arch::kBoards) {
    if (one.name == board) return one;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
  }
  throw std::invalid_argument(fmt::format("no board is named '{}'; there are {}", board, known));
}

void check_options(const CompileOptions& options) {
  if (options.max_harts < 1 || options.max_harts > CompileOptions{}.max_harts)
    throw std::invalid_argument(
        fmt::format("a launch on {} harts; there are 1 to {}", options.max_harts, CompileOptions{}.max_harts));
}

// A blob may hold code of another program, whose facts would be looked up in this one.
void check_code(const Program& program, const scalar::Code& code, const arch::Board& board,
                const CompileOptions& options) {
  const size_t parameters = program.parameters.size();
  const bool fits = code.facts.object.size() == parameters && code.facts.misaligned.size() == parameters &&
                    std::ranges::all_of(code.facts.object, [&](uint32_t p) { return p < parameters; }) &&
                    std::ranges::all_of(code.nest.loops, [&](uint32_t line) {
                      return line < program.body.size() && program.body[line].verb == Verb::Loop;
                    });
  if (!fits || code.harvesting != board.harvesting || code.options.max_harts != options.max_harts ||
      code.options.check_bounds != options.check_bounds)
    throw std::invalid_argument("the compiled program holds the code of another: compile it again");
}

}  // namespace

struct Executable::State {
  std::string board, text;
  CompileOptions options;
  Program program;
  std::optional<scalar::Code> code;  // of Path::Scalar
};

Executable::Executable(std::string_view board, std::string_view text, const CompileOptions& options) {
  const arch::Board& known = board_named(board);
  check_options(options);
  State state{std::string(board), std::string(text), options, parse(text), {}};
  if (options.path == Path::Scalar) state.code = scalar::compile(state.program, known.harvesting, options);
  state_ = std::make_shared<State>(std::move(state));
}

Executable Executable::from_blob(std::span<const std::byte> bytes, std::string_view board) {
  Blob blob = read_blob(bytes);
  if (!board.empty() && blob.board != board)
    throw std::invalid_argument(
        fmt::format("the compiled program is for a {}, and this is a {}: compile it again", blob.board, board));
  const arch::Board& known = board_named(blob.board);
  check_options(blob.options);
  State state{std::move(blob.board), std::move(blob.text), blob.options, {}, {}};
  state.program = parse(state.text);
  if (blob.options.path == Path::Scalar) {
    state.code = scalar::from_bytes(blob.code);
    check_code(state.program, *state.code, known, blob.options);
  }
  return Executable(std::make_shared<State>(std::move(state)));
}

std::vector<std::byte> Executable::blob() const {
  return to_bytes(Blob{state_->board, state_->text, state_->options,
                       state_->code ? scalar::to_bytes(*state_->code) : std::vector<std::byte>()});
}

const Program& Executable::program() const { return state_->program; }
const std::string& Executable::board() const { return state_->board; }
const std::string& Executable::text() const { return state_->text; }
const CompileOptions& Executable::options() const { return state_->options; }

std::string Executable::explain() const {
  if (state_->code) return "path: scalar\n" + scalar::explain(state_->program, *state_->code);
  return "path: definition (the interpreter, on the host)\n";
}

void Executable::launch(host::Chip& chip, std::span<const View> views, std::span<const int64_t> numbers,
                        const LaunchOptions& options) const {
  if (!state_->code || options.check) check_views(state_->program, views, numbers);  // the scalar path does it itself
  const auto run = [&] { scalar::launch(chip, state_->program, *state_->code, views, numbers, options); };
  if (state_->code && options.check)
    return compare_with_definition(chip, state_->program, views, numbers, run, options.poll);
  if (state_->code) return run();
  interpret_on(chip, state_->program, views, numbers, options.poll);
}

}  // namespace kerr::loops
