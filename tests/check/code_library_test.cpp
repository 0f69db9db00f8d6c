// Code that is recognised by its bytes.
#include "check/code_library.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "arch/messages.hpp"
#include "check/launched_code.hpp"

namespace kerr::check {
namespace {

constexpr uint32_t kAt = 0x9000, kWords = 100;

std::vector<uint32_t> code(uint32_t first) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < kWords; ++i) words.push_back(first + 0x100 * i);
  return words;
}

image::Image image_of(const std::vector<uint32_t>& words, uint32_t address) {
  image::Image image;
  image.entry = address;
  image::Segment& text = image.segments.emplace_back();
  text.address = text.load_address = address;
  text.bytes.resize(4 * words.size());
  std::memcpy(text.bytes.data(), words.data(), text.bytes.size());
  text.memory_bytes = static_cast<uint32_t>(text.bytes.size());
  text.executable = true;
  image.symbols.push_back({"kernel_main", address, text.memory_bytes, image::Symbol::Kind::Function});
  return image;
}

std::vector<uint8_t> l1_with(std::vector<uint32_t> words, uint32_t changed) {
  for (uint32_t i = 0; i < changed; ++i) words[i * kWords / changed] ^= 0xFFFF;
  std::vector<uint8_t> l1(0x10000);
  std::memcpy(l1.data() + kAt, words.data(), 4 * words.size());
  return l1;
}

TEST(CodeLibrary, FindsCodeOfWhichALoaderHasChangedSomeWords) {
  CodeLibrary library;
  library.add("other", image_of(code(7), 0));
  library.add("kernel", image_of(code(3), 0x400));
  for (const uint32_t changed : {0u, 1u, 20u}) {
    const CodeLibrary::Entry* const found = library.at(l1_with(code(3), changed), kAt);
    ASSERT_NE(found, nullptr) << changed;
    EXPECT_EQ(found->name, "kernel");
    EXPECT_EQ(found->address, 0x400u);
  }
  EXPECT_EQ(library.at(l1_with(code(3), 40), kAt), nullptr);
  EXPECT_EQ(library.at(l1_with(code(3), 0), kAt + 4), nullptr);
  EXPECT_EQ(library.at(l1_with(code(3), 0), 0xFFFF'FFF0), nullptr);
}

TEST(CodeLibrary, TakesTheOneThatIsTheMostAlike) {
  std::vector<uint32_t> near = code(3);
  near[5] ^= 1;
  CodeLibrary library;
  library.add("near", image_of(near, 0));
  library.add("exact", image_of(code(3), 0));
  library.add("again", image_of(code(3), 0));
  EXPECT_EQ(library.at(l1_with(code(3), 0), kAt)->name, "exact");
}

TEST(LaunchedCode, NamesSitesByTheLaunchMessage) {
  const auto library = std::make_shared<CodeLibrary>();
  library->add("kernel", image_of(code(3), 0x400));
  std::vector<uint8_t> l1 = l1_with(code(3), 0);
  arch::LaunchMessage launch;
  launch.kernel_config_base[0] = 0x8000;
  launch.kernel_text_offset[0] = kAt - 0x8000;
  launch.kernel_text_offset[1] = 0x1800;
  launch.enables = arch::enable_bit(arch::Hart::Brisc) | arch::enable_bit(arch::Hart::Ncrisc);
  LaunchedCode launched(library);
  launched.launched(l1, launch, 100);

  const auto named = [&](emu::Agent hart, uint32_t pc, Cycle cycle) {
    Site site;
    site.hart = site.agent = hart;
    site.pc = pc;
    site.cycle = cycle;
    launched.name(site);
    return site.frames.empty() ? std::string() : site.kernel + ": " + site.frames.front().function;
  };
  EXPECT_EQ(named(emu::Agent::Brisc, kAt + 8, 200), "kernel: kernel_main()");
  EXPECT_EQ(named(emu::Agent::Brisc, kAt + 8, 50), "") << "before the launch";
  EXPECT_EQ(named(emu::Agent::Brisc, kAt + 4 * kWords, 200), "") << "behind its end";
  EXPECT_EQ(named(emu::Agent::Ncrisc, 0x9808, 200), ": NCRISC's kernel + 0x8") << "no file has it";
  EXPECT_EQ(named(emu::Agent::Trisc0, kAt, 200), "") << "was not started";
}

TEST(LaunchedCode, SeesThatOtherCodeLiesAtTheSameAddress) {
  const auto library = std::make_shared<CodeLibrary>();
  library->add("first", image_of(code(3), 0x400));
  library->add("second", image_of(code(7), 0x400));
  arch::LaunchMessage launch;
  launch.kernel_text_offset[0] = kAt;
  launch.enables = arch::enable_bit(arch::Hart::Brisc);
  LaunchedCode launched(library);
  launched.launched(l1_with(code(3), 0), launch, 100);
  launched.launched(l1_with(code(7), 0), launch, 200);
  launched.launched(l1_with(code(7), 0), launch, 300);

  const auto kernel = [&](Cycle cycle) {
    Site site;
    site.hart = site.agent = emu::Agent::Brisc;
    site.pc = kAt + 8;
    site.cycle = cycle;
    launched.name(site);
    return site.kernel;
  };
  EXPECT_EQ(kernel(150), "first");
  EXPECT_EQ(kernel(250), "second");
  EXPECT_EQ(kernel(350), "second");
}

}  // namespace
}  // namespace kerr::check
