#include "loops/executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "arch/boards.hpp"
#include "loops/blob.hpp"
#include "loops/definition.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/launch.hpp"
#include "loops/scratch.hpp"
#include "loops/tiles/check.hpp"
#include "loops/tiles/choose.hpp"
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

std::string_view name_of(Path path) {
  constexpr std::string_view kNames[] = {"definition", "scalar", "tiles", "auto"};
  return kNames[static_cast<size_t>(path)];
}

struct Executable::State {
  std::string board, text;
  CompileOptions options;
  Program program;
  std::optional<scalar::Code> code;  // of any path but Definition; none if it would not fit, and Auto may do without
  std::unique_ptr<tiles::Choices> choices;  // of Tiles and Auto

  void choose(const arch::Harvesting& harvesting) {
    if (options.path == Path::Tiles || options.path == Path::Auto)
      choices = std::make_unique<tiles::Choices>(program, harvesting, options);
  }
};

Executable::Executable(std::string_view board, std::string_view text, const CompileOptions& options) {
  const arch::Board& known = board_named(board);
  check_options(options);
  auto state = std::make_shared<State>(std::string(board), std::string(text), options, parse(text));
  try {
    if (options.path != Path::Definition) state->code = scalar::compile(state->program, known.harvesting, options);
  } catch (const std::invalid_argument&) {
    if (options.path != Path::Auto) throw;
  }
  state->choose(known.harvesting);
  state_ = std::move(state);
}

Executable Executable::from_blob(std::span<const std::byte> bytes, std::string_view board) {
  Blob blob = read_blob(bytes);
  if (!board.empty() && blob.board != board)
    throw std::invalid_argument(
        fmt::format("the compiled program is for a {}, and this is a {}: compile it again", blob.board, board));
  const arch::Board& known = board_named(blob.board);
  check_options(blob.options);
  auto state = std::make_shared<State>(std::move(blob.board), std::move(blob.text), blob.options);
  state->program = parse(state->text);
  if (!blob.code.empty()) {
    state->code = scalar::from_bytes(blob.code);
    check_code(state->program, *state->code, known, blob.options);
  } else if (blob.options.path == Path::Scalar || blob.options.path == Path::Tiles) {
    throw std::invalid_argument("the compiled program has no code: compile it again");
  }
  state->choose(known.harvesting);
  return Executable(std::move(state));
}

std::vector<std::byte> Executable::blob() const {
  return to_bytes(Blob{state_->board, state_->text, state_->options,
                       state_->code ? scalar::to_bytes(*state_->code) : std::vector<std::byte>()});
}

const Program& Executable::program() const { return state_->program; }
const std::string& Executable::board() const { return state_->board; }
const std::string& Executable::text() const { return state_->text; }
const CompileOptions& Executable::options() const { return state_->options; }

Path Executable::path() const {
  const Path without = state_->code ? Path::Scalar : Path::Definition;
  if (!state_->choices) return without;
  if (!state_->program.variables.empty()) return Path::Auto;
  return state_->choices->of({})->plan ? Path::Tiles : without;
}

std::string Executable::explain() const {
  std::string out = fmt::format("path: {}\n", name_of(path()));
  if (!state_->code) out = "path: definition (the interpreter, on the host)\n";
  if (state_->choices && state_->program.variables.empty()) {
    const auto choice = state_->choices->of({});
    if (choice->plan) out += choice->plan->explain();
    out += fmt::format("tiles: {}\n", choice->why);
  } else if (state_->choices) {
    out += "tiles: each launch decides, for its numbers\n";
  }
  if (state_->code) out += scalar::explain(state_->program, *state_->code);
  return out;
}

Launched Executable::launch(host::Chip& chip, std::span<const View> views, std::span<const int64_t> numbers,
                            const LaunchOptions& options) const {
  const Program& program = state_->program;
  if (!state_->code || state_->choices || options.check != Against::Nothing)
    check_views(program, views, numbers);  // the scalar path does it itself
  if (state_->choices) {
    const auto choice = state_->choices->of(numbers);
    if (choice->plan && tiles::launch(chip, *choice, views, options)) return {Path::Tiles, choice->plan->products()};
  }
  if (!state_->code) {
    interpret_on(chip, program, views, numbers, options.poll);
    return {Path::Definition};
  }
  const auto run = [&] { scalar::launch(chip, program, *state_->code, views, numbers, options); };
  if (options.check == Against::Definition)
    compare_with_definition(chip, program, views, numbers, run, options.poll);
  else
    run();
  return {Path::Scalar};
}

}  // namespace kerr::loops
