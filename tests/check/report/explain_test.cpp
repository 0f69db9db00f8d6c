#include "check/report/explain.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kerr::check {
namespace {

TEST(CheckExplain, SaysMeaningCauseAndMendOfEveryRule) {
  for (const RuleText& rule : rules()) {
    const std::string page = explain(rule.rule);
    EXPECT_TRUE(page.starts_with(std::string(rule.name) + " (")) << page;
    for (const char* label : {"\n  meaning ", "\n  cause ", "\n  mend ", "\n  suppress "})
      EXPECT_NE(page.find(label), std::string::npos) << page;
    EXPECT_NE(rules_text().find("  " + std::string(rule.name) + " "), std::string::npos) << rule.name;
  }
}

TEST(CheckExplain, HasNoLineOfMoreThan100Columns) {
  std::string all = rules_text() + edges_text();
  for (const RuleText& rule : rules()) all += explain(rule.rule);
  std::istringstream in(all);
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(CheckExplain, PutsWhatDocumentsPromiseBeforeWhatIsReliedOn) {
  const std::string text = edges_text();
  EXPECT_TRUE(text.starts_with("promised: "));
  const size_t relied = text.find("\nrelied on: ");
  ASSERT_NE(relied, std::string::npos);
  EXPECT_LT(text.find("  program-order "), relied);
  EXPECT_GT(text.find("  channel "), relied);
}

}  // namespace
}  // namespace kerr::check
