// Comments and pages cite pages by heading or by section number. This holds them to what is there.
#include <gtest/gtest.h>

#include "tests/docs/citations.hpp"

namespace kerr {
namespace {

using Strings = std::vector<std::string>;

TEST(Citations, LeadToPagesSectionsAndHeadingsThatExist) {
  const Strings wrong = wrong_citations(KERR_SOURCE_DIR);
  std::string all;
  for (const std::string& w : wrong) all += w + "\n";
  EXPECT_TRUE(wrong.empty()) << all;
}

TEST(Citations, AreReadWithTheirListsOfSections) {
  const auto found = citations("// What it does.   docs/hardware/tile.md 7.6, 7.8 to 7.10; noc.md 6 and \"Order\"");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].page, "docs/hardware/tile.md");
  EXPECT_EQ(found[0].sections, (Strings{"7.6", "7.8", "7.10"}));
  EXPECT_EQ(found[1].page, "noc.md");
  EXPECT_EQ(found[1].sections, Strings{"6"});
  EXPECT_EQ(found[1].headings, Strings{"Order"});
}

TEST(Citations, MayEndAHeadingInTheNextLine) {
  const auto found = citations("// docs/architecture.md \"Nothing", "/// spins\" says why.");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].headings, Strings{"Nothing spins"});
}

TEST(Citations, AreNotTakenFromPagesOfOtherProjects) {
  EXPECT_TRUE(citations("tenstorrent/tt-isa-documentation:BlackholeA0/README.md 7").empty());
}

TEST(Citations, AreNotMadeOfNumbersThatBelongToTheSentence) {
  EXPECT_TRUE(citations("docs/performance.md. 3 of them")[0].sections.empty());
  EXPECT_TRUE(citations("docs/performance.md 3x")[0].sections.empty());
}

TEST(Page, KnowsItsHeadingsWithAndWithoutNumbers) {
  const Page page = read_page("# A page\n## 7. Boot\n### 7.6 The `mailboxes_t` of it\n```\n# no heading\n```\n");
  EXPECT_TRUE(page.has_section("7") && page.has_section("7.6"));
  EXPECT_FALSE(page.has_section("7.1"));
  EXPECT_TRUE(page.has_heading("Boot") && page.has_heading("The mailboxes_t of it") && page.has_heading("7. Boot"));
  EXPECT_FALSE(page.has_heading("no heading"));
  EXPECT_TRUE(page.has_anchor("76-the-mailboxes_t-of-it"));
}

TEST(Links, AreThoseToFiles) {
  EXPECT_EQ(links("see [a](guide/x.md), [b](../y.md#z) and [c](https://example.org/w.md)"),
            (Strings{"guide/x.md", "../y.md#z"}));
}

}  // namespace
}  // namespace kerr
