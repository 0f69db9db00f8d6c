// What a programmer says of memory, so that the checker need not guess: lines of the file of --check-suppressions.
// docs/reference/checker.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::check {

struct Annotation {
  enum class Kind : uint8_t {
    Flag,       // words by which agents tell each other something: a load that sees a value comes after its store
    Monotonic,  // likewise, of words that only grow: who waits for 3 may see 5
    Private,    // bytes that one agent alone uses, however it looks: nothing is reported of them
    Region,     // memory that the program was given under a name
  };

  Kind kind = Kind::Flag;
  std::string name{};                 // a symbol of the kernels; of a region what reports call it
  std::optional<uint64_t> address{};  // in L1 of each tile; nothing: where the symbol `name` lies
  uint64_t bytes = 0;                 // at least 1; 0 of a symbol: as many as it has
  size_t line = 0;                    // of the file, for messages
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

constexpr std::string_view name(Annotation::Kind kind) {
  constexpr std::string_view names[] = {"flag", "monotonic", "private", "region"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace kerr::check
