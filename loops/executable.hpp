// A loop program made ready for a board: what a compile cache keeps and a launch runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/runtime/buffer.hpp"
#include "host/runtime/chip.hpp"
#include "loops/program.hpp"

namespace kerr::loops {

class Scratch;

enum class Path : uint8_t {
  Definition,  // the interpreter, in the host's memory
  Scalar,      // RV32 code on the data-movement harts
  Tiles,       // the vector or matrix unit, with scalar code round it, where the program can; else Scalar
  Auto,        // Tiles where it is expected to be quicker, else Scalar; Definition if harts cannot hold the code
};
std::string_view name_of(Path path);

enum class Math : uint8_t {
  Bounded,  // Tiles: sums of products, functions and quotients within the bounds of docs/reference/loop-programs.md
  Exact,    // Tiles only where its bits are those of the definition
};

struct CompileOptions {
  Path path = Path::Auto;
  Math math = Math::Bounded;
  bool check_bounds = false;  // Scalar: an access outside its parameter faults
  /// At most so many share scalar code, and half as many cores a product of the vector unit. Results do not depend on
  /// it.
  uint32_t max_harts = 236;
  bool operator==(const CompileOptions&) const = default;
};

/// Bytes of a device buffer; they may overlap those of others.
struct View {
  host::Buffer buffer;  // DRAM, pages of kPageBytes
  uint64_t offset = 0, bytes = 0;
};
inline constexpr uint32_t kPageBytes = 4096;

/// What a launch is compared with: bits, but for what Tiles computes within bounds.
enum class Against : uint8_t {
  Nothing,
  Definition,
  Paths,  // Tiles with Scalar, on other memory
};

struct LaunchOptions {
  uint32_t max_harts = CompileOptions{}.max_harts;  // no more than these, nor than CompileOptions allows
  std::optional<host::Deadline> deadline;           // of the device; none: by the estimated work
  std::function<void()> poll;                       // Definition: called now and then; what it throws ends the launch
  /// What it is compared with runs on the same bytes. A difference is std::logic_error, which names the first.
  Against check = Against::Nothing;
  Scratch* scratch = nullptr;  // Tiles: the device's; none: of this launch alone
};

/// What a launch has done.
struct Launched {
  Path path = Path::Scalar;  // Definition, Scalar or Tiles
  uint64_t products = 0;     // Tiles: multiply-adds that the vector or matrix unit has made for the program's sums
};

/// Immutable; copies share. Thread-safe.
class Executable {
 public:
  /// Needs no device. `board`: a name of arch/boards.hpp. Throws ProgramError, and std::invalid_argument for what the
  /// path cannot do.
  Executable(std::string_view board, std::string_view text, const CompileOptions& options = {});
  /// What blob() gave; it is compiled again, but for one of the last that this process has made. `board`: whose it must
  /// be; empty: anyone's. Throws std::invalid_argument for one of another library version or board, one that is
  /// damaged, and as the constructor does.
  static Executable from_blob(std::span<const std::byte> blob, std::string_view board);
  std::vector<std::byte> blob() const;

  const Program& program() const;
  const std::string& board() const;
  const std::string& text() const;
  const CompileOptions& options() const;
  /// What launches take, if their views do not forbid it; Auto: it depends on the numbers of the launch.
  Path path() const;
  /// Path, remarks (why it is not split), size of code, and the code disassembled, for people.
  std::string explain() const;

  /// Wall time behind which a launch with these numbers has most likely gone astray: 30 s, and half a second for each
  /// million instructions that its loops are estimated to need, but at most an hour. A do loop counts as 16 turns.
  /// `numbers`: one for each variable. Throws RunError for another count of them.
  std::chrono::milliseconds usual_limit(std::span<const int64_t> numbers) const;

  /// Runs to the end. `views`: one for each parameter; `numbers`: one for each variable. Throws RunError and
  /// host::DeviceError.
  Launched launch(host::Chip& chip, std::span<const View> views, std::span<const int64_t> numbers,
                  const LaunchOptions& options = {}) const;

 private:
  struct State;
  explicit Executable(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace kerr::loops
