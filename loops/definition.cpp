#include "loops/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "loops/images.hpp"
#include "loops/interpret.hpp"

namespace kerr::loops {

void interpret_on(host::Chip& chip, const Program& program, std::span<const View> views,
                  std::span<const int64_t> numbers, const std::function<void()>& poll) {
  Images images(chip, views);
  std::exception_ptr error;
  try {
    interpret(program, images.all(), numbers, {.progress = poll});
  } catch (...) {
    error = std::current_exception();
  }
  images.write_changes(chip);
  if (error) std::rethrow_exception(error);
}

void compare_with_definition(host::Chip& chip, const Program& program, std::span<const View> views,
                             std::span<const int64_t> numbers, const std::function<void()>& launch,
                             const std::function<void()>& poll) {
  Images expected(chip, views);
  launch();
  Images got(chip, views);
  interpret(program, expected.all(), numbers, {.progress = poll});
  require_same(program, expected, got, "scalar");
}

void require_same(const Program& program, Images& expected, Images& got, std::string_view path) {
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const std::span<const std::byte> right = expected.view(i), made = got.view(i);
    const auto [here, there] = std::ranges::mismatch(right, made);
    if (here == right.end()) continue;
    const Parameter& parameter = program.parameters[i];
    const auto at =
        static_cast<uint64_t>(here - right.begin()) / info(parameter.type).bytes * info(parameter.type).bytes;
    const auto bits = [&](std::span<const std::byte> bytes) {
      uint64_t value = 0;
      std::memcpy(&value, bytes.data() + at, std::min<uint64_t>(info(parameter.type).bytes, bytes.size() - at));
      return value;
    };
    throw std::logic_error(
        fmt::format("'{}' differs from its definition: p{}, element {}, is {:#x}, and must be {:#x} (path {})",
                    program.name, parameter.slot, at / info(parameter.type).bytes, bits(made), bits(right), path));
  }
}

}  // namespace kerr::loops
