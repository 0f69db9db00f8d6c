#include "loops/tiles/check.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "loops/definition.hpp"
#include "loops/interpret.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/launch.hpp"

namespace kerr::loops::tiles {
namespace {

// Scalar code on other memory of the device.
void run_scalar(host::Chip& chip, const Program& program, std::span<const std::span<std::byte>> buffers,
                std::span<const int64_t> numbers) {
  struct Piece {
    std::byte *begin, *end;
    std::optional<host::Buffer> buffer;
  };
  std::vector<Piece> pieces;
  for (const std::span<std::byte> bytes : buffers)
    if (!bytes.empty()) pieces.push_back({bytes.data(), bytes.data() + bytes.size(), {}});
  std::ranges::sort(pieces, {}, &Piece::begin);
  std::vector<Piece> joined;
  for (const Piece& piece : pieces) {
    if (!joined.empty() && piece.begin < joined.back().end)
      joined.back().end = std::max(joined.back().end, piece.end);
    else
      joined.push_back(piece);
  }
  const auto bytes_of = [](const Piece& piece) { return std::span(piece.begin, piece.end); };
  for (Piece& piece : joined) {
    piece.buffer = chip.allocate(host::Memory::Dram, bytes_of(piece).size(), kPageBytes);
    chip.write(*piece.buffer, bytes_of(piece));
  }
  const host::Buffer none = chip.allocate(host::Memory::Dram, 1, kPageBytes);
  std::vector<View> views;
  for (const std::span<std::byte> bytes : buffers) {
    View view{none, 0, 0};
    for (const Piece& piece : joined)
      if (!bytes.empty() && piece.begin <= bytes.data() && bytes.data() < piece.end)
        view = {*piece.buffer, static_cast<uint64_t>(bytes.data() - piece.begin), bytes.size()};
    views.push_back(view);
  }
  scalar::launch(chip, program, scalar::compile(program, chip.harvesting()), views, numbers);
  for (const Piece& piece : joined) chip.read(*piece.buffer, bytes_of(piece));
}

Reference reference_of(host::Chip& chip, const LaunchOptions& options) {
  if (options.check == Against::Paths) {
    return [&chip](const Program& program, std::span<const std::span<std::byte>> buffers,
                   std::span<const int64_t> numbers) { run_scalar(chip, program, buffers, numbers); };
  }
  return [poll = options.poll](const Program& program, std::span<const std::span<std::byte>> buffers,
                               std::span<const int64_t> numbers) {
    interpret(program, buffers, numbers, {.progress = poll});
  };
}

}  // namespace

bool launch(host::Chip& chip, const Choice& choice, std::span<const View> views, const LaunchOptions& options) {
  if (!choice.plan->why_not(views).empty()) return false;
  Scratch own;
  Scratch& scratch = options.scratch != nullptr ? *options.scratch : own;
  if (options.check == Against::Nothing) return choice.plan->run({chip, views, scratch, options});
  Check check{reference_of(chip, options), Images(chip, views)};
  if (!choice.plan->run({chip, views, scratch, options, &check})) return false;
  Images got(chip, views);
  require_same(choice.bound, check.expected, got, "tiles");
  return true;
}

}  // namespace kerr::loops::tiles
