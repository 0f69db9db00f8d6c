#include "tests/loops/corpus.hpp"

#include <gtest/gtest.h>

#include <set>

#include "loops/interpret.hpp"

namespace kerr::loops {
namespace {

TEST(Corpus, HoldsAtLeastFiveHundredProgramsNoTwoOfThemAlike) {
  const std::vector<std::string> texts = corpus();
  std::set<std::string> bodies;
  for (const std::string& text : texts) bodies.insert(text.substr(text.find('\n')));
  EXPECT_GE(texts.size(), 500u);
  EXPECT_EQ(bodies.size(), texts.size());
}

TEST(Corpus, HasEveryVerbAndTypeThatTinygradUses) {
  std::set<Verb> verbs;
  std::set<Type> types;
  for (const std::string& text : corpus()) {
    for (const Instruction& i : parse(text).body) {
      verbs.insert(i.verb);
      types.insert(i.type.type);
    }
  }
  for (const Operation& o : operations()) EXPECT_TRUE(verbs.contains(o.verb)) << o.name;
  for (const Verb verb : {Verb::Loop, Verb::Do, Verb::If, Verb::Load, Verb::Store, Verb::Cast, Verb::Bitcast})
    EXPECT_TRUE(verbs.contains(verb)) << static_cast<int>(verb);
  for (const TypeInfo& t : kTypes) EXPECT_TRUE(types.contains(t.type)) << t.name;
}

TEST(Corpus, IsPrintedAsItWasParsed) {
  for (const std::string& text : corpus()) {
    const std::string printed = print(parse(text));
    ASSERT_EQ(print(parse(printed)), printed) << text;
  }
}

TEST(Corpus, RunsToTheEnd) {
  for (const std::string& text : corpus()) {
    const Program program = parse(text);
    CorpusInput input = corpus_input(program, 22);
    std::vector<std::span<std::byte>> buffers(input.buffers.begin(), input.buffers.end());
    InterpretOptions options;
    options.max_steps = 1'000'000;
    ASSERT_NO_THROW(interpret(program, buffers, input.numbers, options)) << text;
  }
}

}  // namespace
}  // namespace kerr::loops
