// What the bytes of a memory are, for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::jobs {

enum class Element : uint8_t { U32, I32, U16, I16, U8, I8, Fp32, Fp16, Bf16 };

struct ElementInfo {
  Element element;
  std::string_view name;
  uint32_t bytes;
  bool is_float, is_signed;
};

inline constexpr ElementInfo kElements[] = {
    {Element::U32, "u32", 4, false, false}, {Element::I32, "i32", 4, false, true},
    {Element::U16, "u16", 2, false, false}, {Element::I16, "i16", 2, false, true},
    {Element::U8, "u8", 1, false, false},   {Element::I8, "i8", 1, false, true},
    {Element::Fp32, "fp32", 4, true, true}, {Element::Fp16, "fp16", 2, true, true},
    {Element::Bf16, "bf16", 2, true, true},
};
constexpr const ElementInfo& info(Element element) { return kElements[static_cast<size_t>(element)]; }
std::optional<Element> element_named(std::string_view name);
/// Throws std::invalid_argument with what there is.
Element parse_element(std::string_view name);
/// "u32, i32, ..."
std::string element_names();

/// The number at `bytes`, of which there are info(element).bytes; each fits a float64.
double number_at(Element element, const std::byte* bytes);
/// Appends its bits: floats rounded to nearest, ties to even. False, and nothing appended, if an integer is no whole
/// number or does not fit.
bool append(Element element, double number, std::vector<std::byte>& bytes);

}  // namespace kerr::jobs
