#include "loops/executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
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

namespace {

// What this process has made blobs of, the latest last: a compiler's caller loads what it has compiled. Each goes when it
// is loaded. A lock that is taken, be it for good in a child of fork(), costs nothing but the saving.
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

std::string Executable::explain() const {
  if (state_->code) return "path: scalar\n" + scalar::explain(state_->program, *state_->code);
  return "path: definition (the interpreter, on the host)\n";
}

std::chrono::milliseconds Executable::usual_limit(std::span<const int64_t> numbers) const {
  const auto estimated = [&] {
    if (state_->code && state_->code->sharing) return state_->code->sharing->instructions;
    return scalar::sharing_of(state_->program, {}, scalar::usual_facts(state_->program).object, numbers).instructions;
  };
  constexpr uint64_t kMostSeconds = 3600;
  const uint64_t seconds = 30 + estimated() / scalar::kSlowestInstructionsPerSecond;
  return std::chrono::milliseconds(1000 * std::min(seconds, kMostSeconds));
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
