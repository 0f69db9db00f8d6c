// Annotations change what the checker says of a program with a mistake.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "check/checker.hpp"
#include "tests/check/catalogue/row.hpp"

namespace kerr::catalogue {
namespace {

using check::Annotation;

// The update that two harts make of one word of L1, and one of them loses.
check::Findings lost_update(const std::vector<Annotation>& annotations) {
  constexpr uint32_t kLostUpdate = 20;
  const auto row = std::ranges::find(rows(), kLostUpdate, &Row::number);
  emu::Options options;
  check::Checker checker(options.boards, annotations);
  options.observer = &checker;
  run(*row, true, options);
  return checker.findings();
}

TEST(CatalogueAnnotations, SilenceARaceOfPrivateAndMonotonicBytes) {
  const check::Findings found = lost_update({});
  ASSERT_FALSE(found.all.empty());
  const uint64_t word = found.all[0].object.address;
  for (const Annotation::Kind kind : {Annotation::Kind::Private, Annotation::Kind::Monotonic})
    EXPECT_TRUE(lost_update({{kind, "", word, 4, 1}}).all.empty()) << name(kind);
  EXPECT_FALSE(lost_update({{Annotation::Kind::Private, "", word + 4, 4, 1}}).all.empty()) << "the word beside it";
}

TEST(CatalogueAnnotations, NameARegion) {
  const uint64_t word = lost_update({}).all.at(0).object.address;
  const check::Findings found = lost_update({{Annotation::Kind::Region, "counters", word - 8, 64, 1}});
  EXPECT_EQ(found.all.at(0).object.name, "counters + 8");
}

TEST(CatalogueAnnotations, ThatNameUnknownSymbolsAreListed) {
  const check::Findings found = lost_update({{Annotation::Kind::Flag, "no_such_word", {}, 0, 7}});
  ASSERT_EQ(found.unknown_symbols.size(), 1u);
  EXPECT_EQ(found.unknown_symbols[0].name, "no_such_word");
}

}  // namespace
}  // namespace kerr::catalogue
