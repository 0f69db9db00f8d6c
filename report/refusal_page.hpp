// What the coprocessor refuses or lets pass with a remark, and what is known of silicon: a table of docs/reference/instructions.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kerr::report {

enum class Verdict : unsigned char { Ignored, Breaks, Unknown, Missing };

struct Refusal {  // a row of emu/tensix/refusals.def
  std::string_view unit, key, condition;
  Verdict verdict;
  std::string_view source;
};

std::span<const Refusal> refusals();

/// Markdown.
std::string refusal_table();

}  // namespace kerr::report
