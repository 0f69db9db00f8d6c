#include "loops/executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "arch/boards.hpp"
#include "loops/blob.hpp"
#include "loops/definition.hpp"
#include "loops/interpret.hpp"
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

namespace {

// Executables that this process has made blobs of, the latest last: a compiler's caller loads what it has compiled.
// Each goes when it is loaded. A lock that is taken, be it for good in a child of fork(), costs nothing but the saving.
class Recent {
 public:
  using State = std::shared_ptr<const void>;
  struct Entry {
    Blob blob;
    State state;
  };

  void put(Entry entry) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || entry.blob.text.size() > kLongest) return;
    if (entries_.size() == kMost) entries_.erase(entries_.begin());
    entries_.push_back(std::move(entry));
  }
  State take(const Blob& blob) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return nullptr;
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.blob == blob; });
    if (found == entries_.end()) return nullptr;
    State state = std::move(found->state);
    entries_.erase(found);
    return state;
  }
  static Recent& of_process() {
    static auto* const recent = new Recent;  // other threads may use it while the process ends
    return *recent;
  }

 private:
  static constexpr size_t kMost = 8, kLongest = 256 * 1024;
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace

Executable Executable::from_blob(std::span<const std::byte> bytes, std::string_view board) {
  const Blob blob = read_blob(bytes);
  if (!board.empty() && blob.board != board)
    throw std::invalid_argument(
        fmt::format("the compiled program is for a {}, and this is a {}: compile it again", blob.board, board));
  if (auto state = Recent::of_process().take(blob)) return Executable(std::static_pointer_cast<const State>(state));
  return {blob.board, blob.text, blob.options};
}

std::vector<std::byte> Executable::blob() const {
  Blob blob{state_->board, state_->text, state_->options};
  std::vector<std::byte> bytes = to_bytes(blob);
  Recent::of_process().put({std::move(blob), state_});
  return bytes;
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

std::chrono::milliseconds Executable::usual_limit(std::span<const int64_t> numbers) const {
  if (numbers.size() != state_->program.variables.size())
    throw RunError(0, fmt::format("program '{}' has {} variables; given are {} numbers", state_->program.name,
                                  state_->program.variables.size(), numbers.size()));
  const auto estimated = [&] {
    if (state_->code && state_->code->sharing) return state_->code->sharing->instructions;
    return scalar::sharing_of(state_->program, {}, scalar::usual_facts(state_->program).object, numbers).instructions;
  };
  constexpr uint64_t kMostSeconds = 3600;
  const uint64_t seconds = 30 + estimated() / scalar::kSlowestInstructionsPerSecond;
  return std::chrono::milliseconds(1000 * std::min(seconds, kMostSeconds));
}

std::string Executable::explain() const {
  std::string out = fmt::format("path: {}\n", name_of(path()));
  if (!state_->code) out = "path: definition (the interpreter, on the host)\n";
  if (state_->choices) out += state_->choices->explain();
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
