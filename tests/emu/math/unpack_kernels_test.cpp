// The unpackers' vector forms against their definition, on every instruction set that this CPU has.
#include "emu/math/unpack_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace kerr::emu::math {
namespace {

std::vector<UnpackFormat> all_formats() {
  std::vector<UnpackFormat> out;
  for (unsigned in = 0; in < 16; ++in) {
    for (unsigned to = 0; to < 16; ++to) {
      for (unsigned flag = 0; flag < 2; ++flag) {
        UnpackFormat f{format_from_code(in), format_from_code(to)};
        if (flag && f.in != Format::Fp8 && f.in != Format::Int8) continue;
        f.fp8_e4m3 = f.unsigned_int8 = flag;
        if (unpack_to_src_refusal(f) == nullptr) out.push_back(f);
      }
    }
  }
  return out;
}

class UnpackKernelsTest : public testing::TestWithParam<unsigned> {
 protected:
  void compare(const UnpackFormat& f, const std::vector<uint8_t>& data, const std::vector<uint8_t>& exponents) {
    const UnpackFunction function = unpack_kernels()[GetParam()].find(f);
    if (function == nullptr) return;
    const size_t datums = exponents.size() * 16;
    std::vector<Cell> expected(datums), cells(datums, 0xDEADBEEF);
    unpack_to_src(f, data.data(), exponents.data(), 0, datums, expected.data());
    function(data.data(), exponents.data(), exponents.size(), cells.data());
    for (size_t n = 0; n < datums; ++n) {
      ASSERT_EQ(cells[n], expected[n]) << unpack_kernels()[GetParam()].name << ", " << name_of(f.in) << " to "
                                       << name_of(f.out) << ", datum " << datum_at(f.in, data.data(), n)
                                       << " with exponent " << unsigned{exponents[n / 16]};
    }
  }
};

TEST_P(UnpackKernelsTest, GiveWhatTheDefinitionGivesForEveryNarrowDatum) {
  for (const UnpackFormat& f : all_formats()) {
    const unsigned bits = datum_bits(f.in);
    if (bits > 16) continue;
    // All patterns once; with every exponent if it is shared.
    const size_t datums = size_t{1} << (bits < 4 ? 4 : bits), groups = datums / 16;
    std::vector<uint8_t> data(datums * bits / 8);
    for (size_t n = 0; n < datums; ++n) {
      for (unsigned b = 0; b < bits; ++b) {
        const size_t at = n * bits + b;
        data[at / 8] = static_cast<uint8_t>(data[at / 8] | (n >> b & 1) << at % 8);
      }
    }
    for (unsigned e = 0; e < (has_shared_exponent(f.in) ? 256u : 1u); ++e) {
      compare(f, data, std::vector<uint8_t>(groups, static_cast<uint8_t>(e)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(UnpackKernelsTest, GiveWhatTheDefinitionGivesForFp32) {
  std::mt19937 random(1);
  std::vector<uint32_t> values;
  for (uint32_t e = 0; e < 256; ++e) {
    for (const uint32_t m : {0u, 1u, 0x1FFFu, 0x2000u, 0xFFFFu, 0x10000u, 0x7FE000u, 0x7FFFFFu}) {
      values.push_back(e << 23 | m);
      values.push_back(0x80000000 | e << 23 | m);
    }
  }
  for (unsigned n = 0; n < 20000; ++n) values.push_back(static_cast<uint32_t>(random()));
  values.resize(values.size() / 16 * 16);
  std::vector<uint8_t> data(4 * values.size());
  std::memcpy(data.data(), values.data(), data.size());
  for (const UnpackFormat& f : all_formats()) {
    if (f.in == Format::Fp32) compare(f, data, std::vector<uint8_t>(values.size() / 16));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, UnpackKernelsTest,
                         testing::Range(0u, static_cast<unsigned>(unpack_kernels().size())));

}  // namespace
}  // namespace kerr::emu::math
