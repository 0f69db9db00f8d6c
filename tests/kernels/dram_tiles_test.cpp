#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/blocks/dataflow.hpp"

namespace kerr::kernels {
namespace {

using namespace isa::reg;

std::string refusal(uint32_t page_bytes) {
  Stream a;
  try {
    DramTiles{arch::kFwB, arch::Hart::Ncrisc, 0, page_bytes, s0, s7, s5}.open_for_reading(a);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DramTiles, RefusePagesThatTheNocDoesNotMoveFromDram) {
  EXPECT_EQ(refusal(1088), "accepted");
  EXPECT_NE(refusal(1000).find("pages of 1000 bytes: the NoC moves from DRAM multiples of 64 bytes"),
            std::string::npos);
  EXPECT_NE(refusal(1000).find("1024 would fit"), std::string::npos);
  EXPECT_NE(refusal(16448).find("at most 16384 at once; 16384 would fit"), std::string::npos);
  EXPECT_NE(refusal(0).find("64 would fit"), std::string::npos);
}

}  // namespace
}  // namespace kerr::kernels
