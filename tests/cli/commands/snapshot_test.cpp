// kerr snapshot, as a shell sees it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

TEST(SnapshotCommand, SnapshotRefusesAFileWithAFlippedBit) {
  const Folder folder;
  const std::string file = folder / "end.snap";
  ASSERT_EQ(kerr("matmul 8 8 8 --cores 1 --snapshot " + file).status, 0);
  EXPECT_NE(kerr("snapshot " + file).text.find("all checksums right"), std::string::npos);
  std::string bytes = content_of(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(file, std::ios::binary) << bytes;
  const Outcome outcome = kerr("snapshot " + file);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.text.find("damaged"), std::string::npos) << outcome.text;
}

}  // namespace
}  // namespace kerr::cli
