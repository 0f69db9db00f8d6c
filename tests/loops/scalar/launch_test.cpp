#include "tests/loops/scalar/both.hpp"

namespace kerr::loops::scalar {
namespace {

TEST(ScalarLaunch, AddsTwoVectors) {
  Both(R"(kernel add
param p0 f32 6144
param p1 f32 6144
param p2 f32 6144
%1 = loop i32 i32:6144 weak
%2 = load f32 p1[%1]
%3 = load f32 p2[%1]
%4 = add f32 %2 %3
store f32 p0[%1] %4
end %1
)").expect_same();
}

TEST(ScalarLaunch, MultipliesMatrices) {
  Both(R"(kernel r_64_96_128
param p0 f32 6144
param p1 f32 8192
param p2 f32 12288
reg r1 f32 1
%2 = loop i32 i32:64 weak
%4 = shl i32 %2 i32:7
%3 = mul i32 %2 i32:96
%5 = loop i32 i32:96 weak
store f32 r1[i32:0] f32:0.0
%6 = loop i32 i32:128 reduce
%7 = add i32 %4 %6
%8 = load f32 p1[%7]
%9 = mul i32 %6 i32:96
%10 = add i32 %9 %5
%11 = load f32 p2[%10]
%12 = load f32 r1[i32:0]
%13 = mul f32 %8 %11
%14 = add f32 %12 %13
store f32 r1[i32:0] %14
end %6
%15 = load f32 r1[i32:0]
%16 = add i32 %3 %5
store f32 p0[%16] %15
end %5
end %2
)").expect_same();
}

}  // namespace
}  // namespace kerr::loops::scalar
