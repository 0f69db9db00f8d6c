// Arguments: of a run (words in L1), and of the compilation (COMPILE_ARGS and NAMED_COMPILE_ARGS of kerr_add_kernel).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "device/access.hpp"
#include "device/entry.hpp"
#include "device/uses.hpp"

namespace kerr::device {

// As kerr_add_kernel says them. One entry more than there are: an array holds something.
#ifdef KERNEL_COMPILE_TIME_ARGS
inline constexpr uint32_t kCompileArguments[] = {KERNEL_COMPILE_TIME_ARGS, 0};
#else
inline constexpr uint32_t kCompileArguments[] = {0};
#endif
inline constexpr uint32_t kCompileArgumentCount = sizeof kCompileArguments / sizeof(uint32_t) - 1;

template <uint32_t kIndex>
constexpr uint32_t compile_argument() {
  static_assert(kIndex < kCompileArgumentCount,
                "get_compile_time_arg_val() of an argument that there is not: give "
                "kerr_add_kernel more COMPILE_ARGS");
  return kCompileArguments[kIndex];
}

struct NamedArgument {
  const char* name;
  uint32_t value;
};
#ifdef KERNEL_COMPILE_TIME_ARG_MAP
inline constexpr NamedArgument kNamedArguments[] = {KERNEL_COMPILE_TIME_ARG_MAP, {nullptr, 0}};
#else
inline constexpr NamedArgument kNamedArguments[] = {{nullptr, 0}};
#endif

constexpr bool equal(const char* a, const char* b) {
  for (; *a != 0 && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

// Never defined: a call that is no constant does not compile, and the compiler prints this name.
uint32_t no_named_compile_argument_of_this_name();

}  // namespace kerr::device

inline constexpr const auto& kernel_compile_time_args = kerr::device::kCompileArguments;
template <uint32_t kIndex>
constexpr uint32_t get_ct_arg() {
  return kerr::device::compile_argument<kIndex>();
}

/// COMPILE_ARGS number `index`, a constant.
// If `index` is written as a number, and kerr_add_kernel has given a number, it is that number, which #if understands
// too: KERR_ARGUMENT_5 is then "~, 7u", and the second of what stands in brackets is 7u.
#define get_compile_time_arg_val(index) \
  KERR_SECOND(KERR_ARGUMENT_##index, (kerr::device::compile_argument<(index)>()), ~)
#define KERR_SECOND(...) KERR_SECOND_(__VA_ARGS__)
#define KERR_SECOND_(first, second, ...) second

/// NAMED_COMPILE_ARGS `name`, a constant; a name that there is not does not compile.
consteval uint32_t get_named_compile_time_arg_val(const char* name) {
  for (const kerr::device::NamedArgument& argument : kerr::device::kNamedArguments) {
    if (argument.name != nullptr && kerr::device::equal(argument.name, name)) return argument.value;
  }
  return kerr::device::no_named_compile_argument_of_this_name();
}

/// L1 address of the core's own runtime argument `index`, and of a common one.
FORCE_INLINE uintptr_t get_arg_addr(int index) {
  KERR_USES(kerr::device::Use::Argument, index);
  return kerr_entry.arguments + 4 * static_cast<uint32_t>(index);
}
FORCE_INLINE uintptr_t get_common_arg_addr(int index) {
  KERR_USES(kerr::device::Use::CommonArgument, index);
  return kerr_entry.common_arguments + 4 * static_cast<uint32_t>(index);
}

/// The arguments themselves, as a type of 4 bytes.
template <class T>
FORCE_INLINE T get_arg_val(int index) {
  static_assert(sizeof(T) == 4, "runtime arguments have 4 bytes");
  return __builtin_bit_cast(T, kerr::device::load(get_arg_addr(index)));
}
template <class T>
FORCE_INLINE T get_common_arg_val(int index) {
  static_assert(sizeof(T) == 4, "runtime arguments have 4 bytes");
  return __builtin_bit_cast(T, kerr::device::load(get_common_arg_addr(index)));
}
