#include "image/elf_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace kerr::image {
namespace {

TEST(ElfFolder, HasTheFilesThatEndSoOfAllFoldersBelowInOrder) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "kerr_elf_folder_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "a" / "folder.elf");
  for (const char* const name : {"z.elf", "a/b.elf", "a/folder.elf/c.elf", "a/other.txt", "elf"})
    std::ofstream(folder / name) << name;
  const ElfFolder found = elf_files_under(folder);
  EXPECT_EQ(found.files,
            (std::vector<std::filesystem::path>{folder / "a/b.elf", folder / "a/folder.elf/c.elf", folder / "z.elf"}));
  EXPECT_FALSE(found.has_more);
  EXPECT_FALSE(found.error);
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(elf_files_under(folder).error) << "it is gone";
}

}  // namespace
}  // namespace kerr::image
