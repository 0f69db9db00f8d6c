// The types of values and of memory in a loop program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kerr::loops {

enum class Type : uint8_t { Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32, F64 };

struct TypeInfo {
  Type type;
  std::string_view name;  // as programs spell it
  uint8_t bytes;          // in memory
  bool is_float, is_signed;
};

inline constexpr TypeInfo kTypes[] = {
    {Type::Bool, "bool", 1, false, false}, {Type::I8, "i8", 1, false, true},    {Type::U8, "u8", 1, false, false},
    {Type::I16, "i16", 2, false, true},    {Type::U16, "u16", 2, false, false}, {Type::I32, "i32", 4, false, true},
    {Type::U32, "u32", 4, false, false},   {Type::I64, "i64", 8, false, true},  {Type::U64, "u64", 8, false, false},
    {Type::F16, "f16", 2, true, true},     {Type::Bf16, "bf16", 2, true, true}, {Type::F32, "f32", 4, true, true},
    {Type::F64, "f64", 8, true, true},
};
constexpr const TypeInfo& info(Type type) { return kTypes[static_cast<size_t>(type)]; }
constexpr bool is_integer(Type type) { return !info(type).is_float && type != Type::Bool; }
/// "f32". Nothing for a name that is none of these.
std::optional<Type> type_named(std::string_view name);

/// A scalar type, or 2 to 4 of it that are computed lane by lane.
struct VectorType {
  Type type = Type::I32;
  uint8_t lanes = 1;
  bool operator==(const VectorType&) const = default;
};
/// "f32", "f32x4".
std::string text_of(VectorType type);

}  // namespace kerr::loops
