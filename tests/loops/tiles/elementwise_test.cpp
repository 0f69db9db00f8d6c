// Element-wise loop programs on the vector unit give the definition's bits.
#include "elementwise_bench.hpp"

namespace kerr::loops::tiles {
namespace {

void expect_operation(const std::string& lines, const std::string& type, const std::string& result, int operands,
                      uint64_t count = 20'000) {
  SCOPED_TRACE(lines);
  Elementwise(one_operation(lines, count, type, result, operands)).expect_same();
}

TEST(ElementwiseTiles, FloatsAreTheDefinitions) {
  for (const std::string verb : {"add", "sub", "mul", "fdiv", "max"})
    expect_operation("%r = " + verb + " f32 %a %b\n", "f32", "f32", 2);
  for (const std::string verb : {"neg", "sqrt", "trunc", "exp2"})
    expect_operation("%r = " + verb + " f32 %a\n", "f32", "f32", 1);
}

TEST(ElementwiseTiles, QuotientsAndRootsAreTheNearest) {
  expect_operation("%r = fdiv f32 %a %b\n", "f32", "f32", 2, 400'000);
  expect_operation("%r = sqrt f32 %a\n", "f32", "f32", 1, 400'000);
  expect_operation("%r = exp2 f32 %a\n", "f32", "f32", 1, 400'000);
}

TEST(ElementwiseTiles, ComparisonsKnowNanZerosAndDenormals) {
  for (const std::string verb : {"cmplt", "cmpeq", "cmpne"}) {
    expect_operation("%c = " + verb + " f32 %a %b\n%r = where f32 %c %a %b\n", "f32", "f32", 2);
    expect_operation("%c = " + verb + " f32 %a %a\n%r = where f32 %c f32:1.0 %a\n", "f32", "f32", 1);
    for (const std::string number : {"0.0", "-0.0", "1.0", "inf", "nan"}) {
      expect_operation("%c = " + verb + " f32 %a f32:" + number + "\n%r = cast i32 %c\n", "f32", "i32", 1, 5000);
      expect_operation("%c = " + verb + " f32 f32:" + number + " %a\n%r = cast f32 %c\n", "f32", "f32", 1, 5000);
    }
    for (const std::string type : {"i32", "u32"})
      expect_operation("%c = " + verb + " " + type + " %a %b\n%r = cast i32 %c\n", type, "i32", 2);
  }
  expect_operation("%r = max f32 %a f32:0.0\n", "f32", "f32", 1);
  expect_operation("%r = max f32 f32:0.0 %a\n", "f32", "f32", 1);
}

TEST(ElementwiseTiles, IntegersAreModuloTwoToThe32) {
  for (const std::string type : {"i32", "u32"}) {
    for (const std::string verb : {"add", "sub", "mul", "max", "and", "or", "xor", "shl", "shr"})
      expect_operation("%r = " + verb + " " + type + " %a %b\n", type, type, 2);
    for (const std::string count : {"0", "1", "31", "32", "100"}) {
      expect_operation("%r = shr " + type + " %a i32:" + count + "\n", type, type, 1, 3000);
      expect_operation("%r = shl " + type + " %a i32:" + count + "\n", type, type, 1, 3000);
    }
  }
  expect_operation("%r = neg i32 %a\n", "i32", "i32", 1);
  expect_operation("%r = cdiv i32 %a %b\n", "i32", "i32", 2);
  expect_operation("%r = cmod i32 %a %b\n", "i32", "i32", 2);
}

TEST(ElementwiseTiles, CastsAreTheDefinitions) {
  expect_operation("%r = cast f32 %a\n", "i32", "f32", 1);
  expect_operation("%r = cast f32 %a\n", "u32", "f32", 1);
  expect_operation("%r = cast i32 %a\n", "f32", "i32", 1);
  expect_operation("%r = bitcast i32 %a\n", "f32", "i32", 1);
  expect_operation("%b = cast bool %a\n%r = cast f32 %b\n", "f32", "f32", 1);
  expect_operation("%b = cast bf16 %a\n%r = cast f32 %b\n", "f32", "f32", 1);
}

TEST(ElementwiseTiles, Bf16IsRoundedToEvenAndKeepsNan) {
  for (const std::string verb : {"add", "sub", "mul", "fdiv", "max"})
    expect_operation("%r = " + verb + " bf16 %a %b\n", "bf16", "bf16", 2);
  for (const std::string verb : {"neg", "sqrt", "trunc", "exp2"})
    expect_operation("%r = " + verb + " bf16 %a\n", "bf16", "bf16", 1);
  expect_operation("%c = cmplt bf16 %a %b\n%r = where bf16 %c %b %a\n", "bf16", "bf16", 2);
  expect_operation("%f = cast f32 %a\n%g = mul f32 %f f32:1.0009765625\n%r = cast bf16 %g\n", "bf16", "bf16", 1);
}

TEST(ElementwiseTiles, EndsExactlyAtItsLastElement) {
  for (const uint64_t count : {1, 31, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097})
    for (const std::string type : {"f32", "bf16"})
      expect_operation("%r = add " + type + " %a %b\n", type, type, 2, count);
}

TEST(ElementwiseTiles, AnyNumberOfCoresGivesTheSame) {
  Elementwise one(one_operation("%r = mul f32 %a %b\n", 50'000, "f32", "f32", 2));
  for (const uint32_t cores : {1u, 2u, 7u, 49u, 118u}) one.expect_same(cores);
}

}  // namespace
}  // namespace kerr::loops::tiles
