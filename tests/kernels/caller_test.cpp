// Whose line a report names: that of the stream's author, and the building block's behind it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/source_location.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/multicast.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {
namespace {

using namespace isa::reg;

uint32_t here(SourceLocation where = SourceLocation::current()) { return where.line(); }
bool ends_with(const std::string& file, std::string_view end) { return file.ends_with(end); }

TEST(Caller, IsTheLineThatCallsABuildingBlock) {
  Stream a;
  await_semaphore(a, s5, 0, s6, 1); const uint32_t line = here();
  const isa::Code code = a.finish();
  ASSERT_FALSE(code.lines.empty());
  for (const isa::LineEntry& entry : code.lines) {
    EXPECT_EQ(entry.line, line);
    EXPECT_PRED2(ends_with, entry.file, "caller_test.cpp");
    EXPECT_PRED2(ends_with, entry.inner_file, "multicast.cpp");
    EXPECT_NE(entry.inner_line, 0u);
  }
}

TEST(Caller, OfABodyInALoopIsTheBodysLineAndTheLoopIsItsOwn) {
  Stream a;
  uint32_t body = 0, loop = here() + 1;
  a.repeat(s4, 3, [&] {
    a.addi(s5, s5, 1), body = here();
  });
  const isa::Code code = a.finish();
  std::vector<uint32_t> lines;
  for (const isa::LineEntry& entry : code.lines) lines.push_back(entry.line);
  EXPECT_EQ(lines, (std::vector<uint32_t>{loop, body, loop}));
}

TEST(Caller, EndsWithTheBlockAlsoWhenItThrows) {
  Stream a;
  EXPECT_ANY_THROW(leave(a));
  a.addi(s5, s5, 1); const uint32_t line = here();
  const isa::Code code = a.finish();
  ASSERT_EQ(code.lines.size(), 1u);
  EXPECT_EQ(code.lines[0].line, line);
  EXPECT_EQ(code.lines[0].inner_file, "");
}

}  // namespace
}  // namespace kerr::kernels
