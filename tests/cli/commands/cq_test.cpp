// kerr cq dump, as a shell sees it.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

TEST(CqCommand, CqDumpDecodesAQueueAndNamesTheOffsetOfBadBytes) {
  const Scratch region("");
  const Outcome run = kerr("matmul 32 32 32 --save-queue " + region.path());
  ASSERT_EQ(run.status, 0) << run.text;
  const Outcome text = kerr("cq dump --region " + region.path());
  EXPECT_EQ(text.status, 0);
  for (const char* name :
       {"RELAY_INLINE", "WRITE_PACKED_LARGE", "SEND_GO_SIGNAL", "WRITE_LINEAR_H_HOST", "TIMESTAMP"}) {
    EXPECT_NE(text.text.find(name), std::string::npos) << name;
  }
  EXPECT_NE(kerr("cq dump --json --region " + region.path()).text.find("\"command\": \"WAIT\""), std::string::npos);
  const Outcome wrong = kerr("cq dump --offset 0x104 " + region.path());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.text.find("byte 0x104"), std::string::npos) << wrong.text;
  EXPECT_NE(wrong.text.find(region.path()), std::string::npos) << wrong.text;
  EXPECT_NE(wrong.text.find("needs '--region'"), std::string::npos) << wrong.text;
  for (const char* arguments : {"--offset 99999999999 ", "--region --issue-bytes 2000000000 "}) {
    const Outcome beyond = kerr(std::string("cq dump ") + arguments + region.path());
    EXPECT_EQ(beyond.status, 2) << arguments;
    EXPECT_NE(beyond.text.find(region.path() + "' has "), std::string::npos) << beyond.text;
  }
}

}  // namespace
}  // namespace kerr::cli
