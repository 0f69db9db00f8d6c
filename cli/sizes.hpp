// Lists of sizes, as 'kerr sweep' takes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::cli {

/// One size of a sweep: a number, or that of a product.
struct SweepSize {
  std::string text;              // as it was written: "256", "512x1024x256"
  uint32_t m = 0, n = 0, k = 0;  // all the same number unless three are written
  bool is_single() const { return m == n && n == k; }
};

/// Sizes and ranges between commas: 256, 512x1024x64 (M x N x K), 128:2048:*2 (doubled up to 2048), 64:256:+64 or
/// 64:256:64. Throws
/// UsageError that names the option and the part: no size, sizes from 1 to 2^20, more than a thousand.
std::vector<SweepSize> sweep_sizes(std::string_view option, std::string_view text);

/// Words between commas, none of them empty or there twice. Throws UsageError.
std::vector<std::string> words_of(std::string_view option, std::string_view text);

}  // namespace kerr::cli
