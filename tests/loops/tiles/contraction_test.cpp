#include <fmt/format.h>

#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

std::string matmul(uint32_t m, uint32_t n, uint32_t k, const std::string& type = "bf16") {
  return fmt::format(R"(kernel product
param p0 f32 {mn}
param p1 {type} {mk}
param p2 {type} {kn}
reg r0 f32 1
%i = loop i32 i32:{m} weak
%j = loop i32 i32:{n} weak
store f32 r0[i32:0] f32:0.0
%k = loop i32 i32:{k} reduce
%1 = mul i32 %i i32:{k}
%2 = add i32 %1 %k
%3 = load {type} p1[%2]
%4 = mul i32 %k i32:{n}
%5 = add i32 %4 %j
%6 = load {type} p2[%5]
%7 = mul {type} %3 %6
%8 = cast f32 %7
%9 = load f32 r0[i32:0]
%10 = add f32 %9 %8
store f32 r0[i32:0] %10
end %k
%11 = load f32 r0[i32:0]
%12 = mul i32 %i i32:{n}
%13 = add i32 %12 %j
store f32 p0[%13] %11
end %j
end %i
)",
                     fmt::arg("m", m), fmt::arg("n", n), fmt::arg("k", k), fmt::arg("mn", m * n), fmt::arg("mk", m * k),
                     fmt::arg("kn", k * n), fmt::arg("type", type));
}

TEST(Contraction, OfBf16RunsOnTheMatrixUnit) {
  OnDevice product(matmul(40, 70, 50));
  EXPECT_EQ(product.executable.path(), Path::Tiles) << product.executable.explain();
  const Launched launched = product.launch();
  EXPECT_EQ(launched.path, Path::Tiles);
  EXPECT_EQ(launched.products, 40u * 70 * 50);
}

TEST(Contraction, OfF32RunsOnTheVectorUnit) {
  OnDevice product(matmul(40, 70, 50, "f32"));
  EXPECT_EQ(product.executable.path(), Path::Tiles) << product.executable.explain();
  EXPECT_EQ(product.launch().path, Path::Tiles);
}

}  // namespace
}  // namespace kerr::loops::tiles
