#include "kernels/stream/registers.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace kerr::kernels {
namespace {

using namespace isa::reg;

TEST(Registers, GiveEachValueItsOwn) {
  Registers registers;
  std::set<int> numbers;
  for (int i = 0; i < 17; ++i) numbers.insert(registers.take("value").number);
  EXPECT_EQ(numbers.size(), 17u);
  for (const isa::Reg entry : {a0, a1, a3}) EXPECT_FALSE(numbers.contains(entry.number));
}

TEST(Registers, SayWhoHasThemWhenNoneIsLeft) {
  Registers registers;
  for (int i = 0; i < 17; ++i) registers.take(i == 3 ? "tile" : "other");
  try {
    registers.take("page");
    FAIL() << "there was one more";
  } catch (const std::length_error& error) {
    EXPECT_NE(std::string(error.what()).find("no register is left for page; 20 have values"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("tile"), std::string::npos);
  }
  registers.release(a3);
  EXPECT_EQ(registers.take("page"), a3);
}

TEST(Registers, ComeBackAtTheEndOfAScope) {
  Registers registers;
  isa::Reg first = a0;
  {
    const Registers::Scoped value(registers, "value");
    first = value;
  }
  EXPECT_EQ(registers.take("next"), first);
  EXPECT_THROW(registers.release(s11), std::logic_error);
}

}  // namespace
}  // namespace kerr::kernels
