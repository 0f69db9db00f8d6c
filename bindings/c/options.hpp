// The options of a call: a JSON object whose every key must be asked for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loops/executable.hpp"

namespace kerr::c {

/// "timeout_ms" at most.
inline constexpr uint64_t kLongestLimit = 1'000'000'000'000;

/// Everything throws Failure (InvalidArgument) with a sentence that names the function, the key and what would be
/// right.
class Options {
 public:
  /// `text`: NULL and "" are {}.
  Options(const char* text, std::string_view function);
  ~Options();

  std::optional<std::string> text(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<uint64_t> number(std::string_view key, uint64_t least, uint64_t most);
  template <class T>
  std::optional<T> choice(std::string_view key, std::initializer_list<std::pair<std::string_view, T>> choices) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : choices) names.push_back(name);
    const std::optional<size_t> index = choice_of(key, names);
    return index ? std::optional<T>(choices.begin()[*index].second) : std::nullopt;
  }
  /// After the last of them: refuses keys that nobody has asked for.
  void end() const;

 private:
  struct Parsed;
  std::optional<size_t> choice_of(std::string_view key, const std::vector<std::string_view>& names);
  [[noreturn]] void refuse(std::string_view key, std::string_view what) const;

  std::string_view function_;
  std::unique_ptr<Parsed> parsed_;  // none: no options
  std::vector<std::string_view> known_;
};

/// The option "path".
inline std::optional<loops::Path> path_of(Options& options) {
  using enum loops::Path;
  return options.choice<loops::Path>(
      "path", {{"auto", Auto}, {"tiles", Tiles}, {"scalar", Scalar}, {"definition", Definition}});
}

}  // namespace kerr::c
