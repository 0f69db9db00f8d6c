// The generated pages say what the emulator answers.
#include "tests/reference_page.hpp"

#include "report/format_page.hpp"
#include "report/memory_map_page.hpp"

namespace kerr::report {
namespace {

TEST(ReferencePages, MemoryMapHoldsWhatKerrMapPrints) {
  EXPECT_EQ(generated_part(KERR_SOURCE_DIR "/docs/reference/memory-map.md", "kerr map"), memory_map_tables())
      << "Put the output of `kerr map` between the two marks of docs/reference/memory-map.md.";
}

TEST(ReferencePages, FormatsHoldsWhatKerrIsaFormatsPrints) {
  EXPECT_EQ(generated_part(KERR_SOURCE_DIR "/docs/reference/formats.md", "kerr isa --formats"), format_tables())
      << "Put the output of `kerr isa --formats` between the two marks of docs/reference/formats.md.";
}

}  // namespace
}  // namespace kerr::report
