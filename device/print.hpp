// Prints of kernels in C++: an instruction for each word of the values, which does nothing, on silicon too.
// docs/guide/prints.md
//
//     KERR_PRINT("block {} of {}", block, blocks);
//
// The format is a string literal. Values: numbers of up to 64 bits, bool, char, float, pointers, strings; at most eight
// words of 32 bits. Format and line stand in a section of the file that is not loaded.
#pragma once

#include "device/hart.hpp"
#include "isa/hints.hpp"
#include "isa/print_format.hpp"

namespace kerr::device::detail {

// The type of a value, as a number from 1 on in isa::kPrintTypes.
constexpr uint32_t print_type(isa::PrintType type) {
  uint32_t n = 1;
  for (const isa::PrintType t : isa::kPrintTypes) {
    if (t == type) return n;
    ++n;
  }
  return 0;
}

struct PrintWords {
  uint32_t words[isa::hint::kMostPrintWords] = {};
  uint32_t count = 0;
  FORCE_INLINE constexpr void add(uint32_t word) { words[count++] = word; }
};

template <class T>
struct PrintValue {
  static_assert(__is_enum(T) || T(1) == T(1), "a print takes numbers, pointers and strings");
  static constexpr bool kSigned = T(-1) < T(0);
  static constexpr bool kWide = sizeof(T) > 4;
  static constexpr isa::PrintType kType = kWide ? (kSigned ? isa::PrintType::Signed64 : isa::PrintType::Unsigned64)
                                                : (kSigned ? isa::PrintType::Signed : isa::PrintType::Unsigned);
  static FORCE_INLINE void put(PrintWords& out, T value) {
    out.add(static_cast<uint32_t>(value));
    if constexpr (kWide) out.add(static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32));
  }
};
template <>
struct PrintValue<bool> {
  static constexpr isa::PrintType kType = isa::PrintType::Bool;
  static FORCE_INLINE void put(PrintWords& out, bool value) { out.add(value); }
};
template <>
struct PrintValue<char> {
  static constexpr isa::PrintType kType = isa::PrintType::Char;
  static FORCE_INLINE void put(PrintWords& out, char value) { out.add(static_cast<uint8_t>(value)); }
};
template <>
struct PrintValue<float> {
  static constexpr isa::PrintType kType = isa::PrintType::Float;
  static FORCE_INLINE void put(PrintWords& out, float value) { out.add(__builtin_bit_cast(uint32_t, value)); }
};
template <>
struct PrintValue<double> : PrintValue<float> {};
template <class T>
struct PrintValue<T*> {
  static constexpr isa::PrintType kType = isa::PrintType::Pointer;
  static FORCE_INLINE void put(PrintWords& out, T* value) { out.add(reinterpret_cast<uint32_t>(value)); }
};
template <>
struct PrintValue<const char*> {
  static constexpr isa::PrintType kType = isa::PrintType::String;
  static FORCE_INLINE void put(PrintWords& out, const char* value) { out.add(reinterpret_cast<uint32_t>(value)); }
};
template <>
struct PrintValue<char*> : PrintValue<const char*> {};

// What a function takes when it is given a T: no references, no arrays.
template <class... T>
struct PrintTypes {
  static constexpr int kCount = sizeof...(T);
  static constexpr uint32_t kWords = (0 + ... + isa::words_of(PrintValue<T>::kType));
  static constexpr uint32_t packed() {
    uint32_t types = 0, at = 0;
    ((types |= print_type(PrintValue<T>::kType) << at, at += 4), ...);
    return types;
  }
};
template <class... T>
PrintTypes<T...> print_types(T...);

template <class... T>
FORCE_INLINE PrintWords print_words(T... values) {
  PrintWords out;
  (PrintValue<T>::put(out, values), ...);
  return out;
}

constexpr bool has_string(uint32_t types) {
  for (; types != 0; types >>= 4)
    if ((types & 15) == print_type(isa::PrintType::String)) return true;
  return false;
}

#define KERR_PRINT_AT ".pushsection .kerr.prints,\"\",@progbits\n\t.word 771f, %0\n\t.popsection\n771:\n\t"
#define KERR_PRINT_WORD(n) "addi zero, %" #n ", %1\n\t"
#define KERR_PRINT_LAST(n) "addi zero, %" #n ", %2"
#define KERR_PRINT_NUMBERS "i"(types), "i"(id), "i"(id | isa::hint::kLast)

// Its record in the section is complete only behind this.
template <uint32_t types, uint32_t id, uint32_t count>
FORCE_INLINE void print(const PrintWords& v) {
  const uint32_t* const w = v.words;
  if constexpr (has_string(types)) {  // the characters are to be in memory by then
    for (uint32_t i = 0; i < count; ++i) asm volatile("" ::"r"(w[i]) : "memory");
  }
  if constexpr (count == 0) {
    asm volatile(KERR_PRINT_AT "addi zero, zero, %2" ::KERR_PRINT_NUMBERS);
  } else if constexpr (count == 1) {
    asm volatile(KERR_PRINT_AT KERR_PRINT_LAST(3)::KERR_PRINT_NUMBERS, "r"(w[0]));
  } else if constexpr (count == 2) {
    asm volatile(KERR_PRINT_AT KERR_PRINT_WORD(3) KERR_PRINT_LAST(4)::KERR_PRINT_NUMBERS, "r"(w[0]), "r"(w[1]));
  } else if constexpr (count == 3) {
    asm volatile(KERR_PRINT_AT KERR_PRINT_WORD(3) KERR_PRINT_WORD(4) KERR_PRINT_LAST(5)::KERR_PRINT_NUMBERS, "r"(w[0]),
                 "r"(w[1]), "r"(w[2]));
  } else if constexpr (count == 4) {
    asm volatile(KERR_PRINT_AT KERR_PRINT_WORD(3) KERR_PRINT_WORD(4) KERR_PRINT_WORD(5)
                     KERR_PRINT_LAST(6)::KERR_PRINT_NUMBERS,
                 "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]));
  } else if constexpr (count == 5) {
    asm volatile(KERR_PRINT_AT KERR_PRINT_WORD(3) KERR_PRINT_WORD(4) KERR_PRINT_WORD(5) KERR_PRINT_WORD(6)
                     KERR_PRINT_LAST(7)::KERR_PRINT_NUMBERS,
                 "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]));
  } else if constexpr (count == 6) {
    asm volatile(KERR_PRINT_AT KERR_PRINT_WORD(3) KERR_PRINT_WORD(4) KERR_PRINT_WORD(5) KERR_PRINT_WORD(6)
                     KERR_PRINT_WORD(7) KERR_PRINT_LAST(8)::KERR_PRINT_NUMBERS,
                 "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]));
  } else if constexpr (count == 7) {
    asm volatile(KERR_PRINT_AT KERR_PRINT_WORD(3) KERR_PRINT_WORD(4) KERR_PRINT_WORD(5) KERR_PRINT_WORD(6)
                     KERR_PRINT_WORD(7) KERR_PRINT_WORD(8) KERR_PRINT_LAST(9)::KERR_PRINT_NUMBERS,
                 "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]));
  } else {
    asm volatile(KERR_PRINT_AT KERR_PRINT_WORD(3) KERR_PRINT_WORD(4) KERR_PRINT_WORD(5) KERR_PRINT_WORD(6)
                     KERR_PRINT_WORD(7) KERR_PRINT_WORD(8) KERR_PRINT_WORD(9) KERR_PRINT_LAST(10)::KERR_PRINT_NUMBERS,
                 "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]));
  }
}

#undef KERR_PRINT_AT
#undef KERR_PRINT_WORD
#undef KERR_PRINT_LAST
#undef KERR_PRINT_NUMBERS

}  // namespace kerr::device::detail

#define KERR_PRINT_TEXT(x) #x
#define KERR_PRINT_NUMBER(x) KERR_PRINT_TEXT(x)

// The text goes through an asm without operands, in which a % is a %. Between it and the one with the values nothing
// can come: the values are computed before.
#define KERR_PRINT(format, ...)                                                                                      \
  do {                                                                                                               \
    using KerrPrintTypes = decltype(::kerr::device::detail::print_types(__VA_ARGS__));                               \
    static_assert(::kerr::isa::print_places(format) >= 0,                                                            \
                  "a '{' or '}' of the print begins no place: {} {:4} {:#x} {:.2f}; a brace is {{ or }}");           \
    static_assert(                                                                                                   \
        ::kerr::isa::print_places(format) < 0 || ::kerr::isa::print_places(format) == KerrPrintTypes::kCount,        \
        "the print has another number of places than of values");                                                    \
    static_assert(KerrPrintTypes::kWords <= ::kerr::isa::hint::kMostPrintWords, "a print has at most 8 words");      \
    constexpr uint32_t kKerrPrintId = ::kerr::isa::print_id(format, ::kerr::isa::hint::kMostPrintIds);               \
    const ::kerr::device::detail::PrintWords kerr_print_words = ::kerr::device::detail::print_words(__VA_ARGS__);    \
    asm volatile(".pushsection .kerr.prints,\"\",@progbits\n\t.word " KERR_PRINT_NUMBER(                             \
        __LINE__) "\n\t.asciz \"" __FILE_NAME__                                                                      \
                  "\"\n\t.asciz " KERR_PRINT_TEXT(format) "\n\t.balign 4\n\t.popsection");                           \
    ::kerr::device::detail::print<KerrPrintTypes::packed(), kKerrPrintId, KerrPrintTypes::kWords>(kerr_print_words); \
  } while (0)
