// Programs that tinygrad made of its tests, on harts and in the interpreter: every byte, those beside the views too.
#include "tests/loops/corpus.hpp"

#include "tests/loops/scalar/both.hpp"

namespace kerr::loops::scalar {
namespace {

constexpr size_t kParts = 10;

class RecordedPrograms : public ::testing::TestWithParam<size_t> {};

// Each parameter is a view with bytes of nobody before and behind it.
void place(const CorpusInput& input, Both& both) {
  uint64_t end = 64;
  for (const std::vector<std::byte>& buffer : input.buffers) {
    both.views.push_back({end, buffer.size()});
    end += (buffer.size() + 127) / 64 * 64;
  }
  both.arena.assign(end, std::byte{0xA5});
  for (size_t p = 0; p < input.buffers.size(); ++p)
    std::copy(input.buffers[p].begin(), input.buffers[p].end(),
              both.arena.begin() + static_cast<ptrdiff_t>(both.views[p].offset));
  both.numbers = input.numbers;
}

TEST_P(RecordedPrograms, GiveTheBitsOfTheDefinitionOnAnyNumberOfHarts) {
  const std::vector<std::string> texts = corpus();
  for (size_t at = GetParam(); at < texts.size(); at += kParts) {
    Both both(texts[at]);
    place(corpus_input(both.program, 22), both);
    both.expect_same({1, 7, 236});
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, RecordedPrograms, ::testing::Range<size_t>(0, kParts));

}  // namespace
}  // namespace kerr::loops::scalar
