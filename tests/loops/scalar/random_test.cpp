// Programs made at random, on harts and in the interpreter: every byte of all memories, those between and behind the
// views too.
#include <cstdlib>
#include <utility>

#include "loops/scalar/hoist.hpp"
#include "tests/loops/random_programs.hpp"
#include "tests/loops/scalar/both.hpp"

namespace kerr::loops::scalar {
namespace {

// Seeds, a part of them in each test: 10,000 in all, or KERR_LOOP_PROGRAMS from KERR_LOOP_SEED on.
constexpr uint64_t kParts = 10;
uint64_t number(const char* name, uint64_t usual) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

class RandomPrograms : public ::testing::TestWithParam<uint64_t> {
 protected:
  uint64_t first() const { return number("KERR_LOOP_SEED", 0) + GetParam() * count(); }
  uint64_t end() const { return first() + count(); }
  static uint64_t count() { return std::max<uint64_t>(number("KERR_LOOP_PROGRAMS", 10'000) / kParts, 1); }
};

std::vector<std::vector<std::byte>> launched(const RandomProgram& random, const Program& program, uint32_t harts) {
  Code code = compile(program, chip().harvesting(), {.max_harts = harts});
  code.instructions_worth_a_hart = 0;
  std::vector<host::Buffer> buffers;
  for (const auto& memory : random.memories) {
    buffers.push_back(chip().allocate(host::Memory::Dram, std::max<size_t>(memory.size(), 1), kPageBytes));
    if (!memory.empty()) chip().write(buffers.back(), memory);
  }
  std::vector<View> views;
  for (const RandomProgram::View& view : random.views) views.push_back({buffers[view.memory], view.offset, view.bytes});
  launch(chip(), program, code, views, random.numbers);
  std::vector<std::vector<std::byte>> out;
  for (size_t m = 0; m < random.memories.size(); ++m) {
    out.emplace_back(random.memories[m].size());
    if (!out.back().empty()) chip().read(buffers[m], out.back());
  }
  return out;
}

// False after the first difference.
bool same(const RandomProgram& random, uint64_t seed, std::initializer_list<uint32_t> harts) {
  const Program program = parse(random.text);
  const Interpreted expected = interpret(random);
  for (uint32_t h : harts) {
    std::vector<std::vector<std::byte>> got;
    try {
      got = launched(random, program, h);
    } catch (const host::DeviceError& error) {
      ADD_FAILURE() << random.text << "\nseed " << seed << ", " << h << " harts: " << error.what() << "\n"
                    << error.report();
      return false;
    }
    for (size_t m = 0; m < got.size(); ++m) {
      for (size_t at = 0; at < got[m].size(); ++at) {
        if (got[m][at] == expected.memories[m][at]) continue;
        std::string where;
        for (size_t p = 0; p < random.views.size(); ++p) {
          const RandomProgram::View& view = random.views[p];
          if (view.memory != m || at - view.offset >= view.bytes) continue;
          where += " p" + std::to_string(program.parameters[p].slot) + " byte " + std::to_string(at - view.offset);
        }
        ADD_FAILURE() << random.text << "\nseed " << seed << ", at most " << h << " harts: memory " << m << " byte "
                      << at << where << " is " << static_cast<int>(got[m][at]) << ", expected "
                      << static_cast<int>(expected.memories[m][at]);
        return false;
      }
    }
  }
  return true;
}

TEST_P(RandomPrograms, ExpressionsGiveTheBitsOfTheDefinition) {
  for (uint64_t seed = first(); seed < end(); ++seed) {
    Random random(seed);
    if (!same(random_expression(random), seed, {1})) return;
  }
}

TEST_P(RandomPrograms, VectorsGiveTheBitsOfTheDefinition) {
  for (uint64_t seed = first(); seed < first() + count() / 10; ++seed) {
    Random random(seed);
    if (!same(random_vectors(random), seed, {1, 5})) return;
  }
}

TEST_P(RandomPrograms, NestsGiveTheBitsOfTheDefinitionOnAnyNumberOfHarts) {
  for (uint64_t seed = first(); seed < end(); ++seed) {
    Random random(seed);
    // All four for a few that are large, two of them for the others.
    const bool large = seed % 50 == 0;
    const RandomProgram program = random_nest(random, {.most_lines = large ? 200'000u : 4'000u});
    if (!(large ? same(program, seed, {1, 2, 7, 236}) : same(program, seed, {1, seed % 4 == 0 ? 7u : 2u}))) return;
  }
}

TEST(RandomNests, MeanTheSameWhenReductionsAreMoved) {
  int moved = 0;
  const uint64_t from = number("KERR_LOOP_SEED", 0), seeds = number("KERR_LOOP_PROGRAMS", 6'000) / kParts;
  for (uint64_t seed = from; seed < from + seeds; ++seed) {
    Random random(seed);
    RandomProgram nest = random_nest(random, {.most_lines = 4'000});
    const Program program = parse(nest.text);
    // Views of one memory may have bytes in common.
    std::vector<uint32_t> object(nest.views.size());
    for (size_t p = 0; p < object.size(); ++p) object[p] = static_cast<uint32_t>(nest.views[p].memory);
    const std::optional<Hoisted> hoisted = hoist(program, object);
    if (!hoisted) continue;
    const std::string printed = print(hoisted->program);
    ASSERT_EQ(print(parse(printed)), printed);
    const Interpreted expected = interpret(nest);
    const std::string text = std::exchange(nest.text, printed);
    ASSERT_EQ(interpret(nest).memories, expected.memories) << text << "\n" << printed << "seed " << seed;
    ++moved;
  }
  EXPECT_GT(moved, seeds / 6);
}

INSTANTIATE_TEST_SUITE_P(Parts, RandomPrograms, ::testing::Range<uint64_t>(0, kParts));

}  // namespace
}  // namespace kerr::loops::scalar
