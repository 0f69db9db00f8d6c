// Hangs on a machine of several chips: told as on one of one, with the chip named.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include "hang/noted_launches.hpp"
#include "hang/report.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "image/elf/reader.hpp"
#include "tests/hang/hangs.hpp"

namespace kerr::hangs::chips {
namespace {

using arch::NocCoord;

const std::vector<NocCoord> kFour{{1, 2}, {2, 2}, {3, 2}, {4, 2}};

// Each core has the words behind the number of the program.
template <class Words>
host::Program program(Hang hang, const std::vector<NocCoord>& cores, Words words) {
  static const image::Image brisc = image::read_elf(KERR_KERNEL_hang_brisc);
  static const image::Image ncrisc = image::read_elf(KERR_KERNEL_hang_ncrisc);
  host::Program out("hangs");
  out.add_circular_buffer({.id = kBuffer, .pages = kPages, .page_bytes = kPageBytes});
  out.add_semaphore();
  out.add_semaphore();
  for (const image::Image* image : {&brisc, &ncrisc}) {
    if (image == &ncrisc && hang != Hang::FewerThanTwins && hang != Hang::Livelock) continue;
    const auto kernel = out.add_kernel(*image, cores);
    for (const NocCoord core : cores) {
      std::vector<uint32_t> all{static_cast<uint32_t>(hang)};
      std::ranges::copy(words(core), std::back_inserter(all));
      all.resize(8);
      out.set_args(kernel, core, all);
    }
  }
  return out;
}

host::Program ring() {
  return program(Hang::Ring, kFour, [](NocCoord c) { return std::vector<uint32_t>{c.x % 4 + 1u, c.y}; });
}
host::Program rectangle() {
  return program(Hang::RectangleTooSmall, kFour, [](NocCoord c) {
    return std::vector<uint32_t>{c.x == 1, 2, 2, 3, 2};
  });
}
host::Program increments(uint32_t third = 2) {
  return program(Hang::TooFewIncrements, kFour, [third](NocCoord c) {
    return std::vector<uint32_t>{c.x == 4 ? 0u : c.x == 3 ? third : 1u, 4, 2, 3};
  });
}
host::Program other_tile() {
  return program(Hang::OtherTile, {{1, 2}, {2, 2}, {3, 2}}, [](NocCoord c) {
    return c.x == 3 ? std::vector<uint32_t>{1, 3, 2, 0} : std::vector<uint32_t>{c.x == 1, 3, 2, 1};
  });
}
host::Program twins(uint32_t pages_of_third) {
  return program(Hang::FewerThanTwins, kFour,
                 [=](NocCoord c) { return std::vector<uint32_t>{c.x == 3 ? pages_of_third : kPages}; });
}
host::Program livelock() {
  return program(Hang::Livelock, {{1, 2}}, [](NocCoord) { return std::vector<uint32_t>{}; });
}

// The account, without what the device says of each tile.
std::string account(host::Chip& chip, const host::Program& program) {
  try {
    chip.run(program, {2'000'000, std::chrono::milliseconds(0)});
  } catch (const host::DeviceError& error) {
    const std::string text = error.report();
    return text.substr(0, std::min(text.find("\n  Tensix"), text.find("\n  chip ")));
  }
  return "it has ended";
}

emu::Options two_boards() { return {.boards = {arch::kP150, arch::kP100a}}; }

struct Two {
  explicit Two(bool history = false) : first({.chip = two_boards(), .hang_history = history}) {}
  host::EmulatedDevice first, second{first, 1};
  host::Chip a{first}, b{second};
};

std::string without(std::string text, const std::string& what) {
  for (size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
  return text;
}

TEST(HangOfAChip, IsToldAsOnAMachineOfOneWithTheChipNamed) {
  for (const bool history : {false, true}) {
    for (const host::Program& program : {ring(), rectangle(), increments(), other_tile(), twins(7), livelock()}) {
      host::EmulatedDevice alone({.hang_history = history});
      host::Chip only(alone);
      const std::string one = account(only, program);
      EXPECT_EQ(one.find("chip"), std::string::npos) << one;
      Two two(history);
      const std::string second = account(two.b, program);
      EXPECT_NE(second.find("root: chip 1 ("), std::string::npos) << second;
      if (!history) {  // which has cycles, and two chips boot longer
        EXPECT_EQ(without(second, "chip 1 "), one);
      }
      const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
      EXPECT_EQ(lines(second), lines(one)) << second << one;
    }
  }
}

TEST(HangOfAChip, BlamesNobodyOfTheOther) {
  Two two(true);
  two.a.run(increments(1));  // the same words and harts, and here all came
  const std::string said = account(two.b, increments());
  EXPECT_NE(said.find("2 increments came"), std::string::npos) << said;
  EXPECT_NE(said.find("from chip 1 (1..2,2); none from chip 1 (3,2), which runs the same kernels"), std::string::npos)
      << said;
  EXPECT_EQ(said.find("chip 0"), std::string::npos) << said;
}

// What a log's notes ask: both chips at once.
TEST(HangOfAChip, IsToldBesideThatOfTheOther) {
  hang::NotedLaunches noted;
  Two two(true);
  two.first.hear_notes([&](const arch::note::Note& note) { noted.noted(note); });
  account(two.a, twins(7));
  account(two.b, rectangle());
  emu::Machine& machine = two.first.machine();
  const arch::HangQuestion question = noted.question(machine);
  ASSERT_EQ(question.programs.size(), 2u);
  EXPECT_EQ(question.programs[0].launch.chip, 0);
  EXPECT_EQ(question.programs[1].launch.chip, 1);
  EXPECT_EQ(question.programs[1].unfinished, (std::vector<NocCoord>{{4, 2}}));
  const std::string said = hang::report(machine, question);
  EXPECT_NE(said.find("root: chip 0 (3,2) BRISC"), std::string::npos) << said;
  EXPECT_NE(said.find("it is brought by chip 0 (3,2) NCRISC, which has returned"), std::string::npos) << said;
  EXPECT_NE(said.find("also: chip 1 (4,2) BRISC"), std::string::npos) << said;
  EXPECT_NE(said.find("program 'hangs' is stuck on 2 of 8 cores"), std::string::npos) << said;
}

// The same fault of both is one, with both named.
TEST(HangOfAChip, IsOneWithItsTwinsOfTheOther) {
  hang::NotedLaunches noted;
  Two two;
  two.first.hear_notes([&](const arch::note::Note& note) { noted.noted(note); });
  account(two.a, rectangle());
  account(two.b, rectangle());
  const std::string said = hang::report(two.first.machine(), noted.question(two.first.machine()));
  EXPECT_NE(said.find("the same on 1 more core: chip 1 (4,2)"), std::string::npos) << said;
  EXPECT_NE(said.find("2 cores: chip 0 (4,2) chip 1 (4,2)"), std::string::npos) << said;
  EXPECT_NE(said.find("has that value on chip 0 (1..3,2)"), std::string::npos) << said;
}

TEST(HangOfAChip, IsNobodysWhoHasEnded) {
  hang::NotedLaunches noted;
  Two two;
  two.first.hear_notes([&](const arch::note::Note& note) { noted.noted(note); });
  two.a.run(increments(1));  // its number is that of the other chip's launch
  account(two.b, increments());
  const arch::HangQuestion question = noted.question(two.first.machine());
  ASSERT_EQ(question.programs.size(), 1u);
  EXPECT_EQ(question.programs[0].launch.chip, 1);
}

// A host of whose programs nobody tells, as behind the C ABI.
TEST(HangOfAChip, WithoutNotesToo) {
  Two two(true);
  account(two.a, rectangle());
  account(two.b, twins(7));
  const std::string said = hang::report(two.first.machine(), {});
  EXPECT_NE(said.find("chip 0 (4,2) BRISC"), std::string::npos) << said;
  EXPECT_NE(said.find("chip 1 (3,2) BRISC"), std::string::npos) << said;
}

}  // namespace
}  // namespace kerr::hangs::chips
