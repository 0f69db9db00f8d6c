#include "check/names.hpp"

#include <gtest/gtest.h>

#include "check/frames.hpp"
#include "image/image.hpp"
#include "tests/check/report/findings.hpp"

namespace kerr::check {
namespace {

using arch::note::Allocated;
using arch::note::Launched;

std::shared_ptr<const image::Image> image_of(const std::string& name) {
  image::Image image;
  image.name = name;
  image.segments.push_back(
      {.address = 0x100, .bytes = std::vector<uint8_t>(64), .memory_bytes = 64, .executable = true});
  image.symbols = {{"main", 0x100, 64, image::Symbol::Kind::Function}};
  image.lines = {{0x100, "src/" + name + ".cpp", 7, "main"}, {0x110, "src/" + name + ".cpp", 9, "main", "api.hpp", 30}};
  return std::make_shared<const image::Image>(std::move(image));
}

arch::note::Code code_of(const std::string& name, uint32_t address) {
  return {.name = name, .address = address, .bytes = 64, .image = image_of(name), .image_address = 0x100};
}

Launched launch(const std::string& kernel, uint32_t text_address) {
  Launched::Group group{.cores = {{1, 2}, {2, 2}}};
  group.kernels.push_back(
      {.hart = arch::Hart::Brisc, .code = code_of(kernel, text_address), .args_address = 0x8000, .args_words = {3, 1}});
  return {.id = 1,
          .program = "sum",
          .groups = {group},
          .config_begin = 0x8000,
          .config_end = 0x9000,
          .circular_buffers = {{.id = 4, .address = 0x20000, .bytes = 8192, .pages = 4, .page_bytes = 2048}},
          .semaphores = {{.address = 0x8100}, {.address = 0x8110}},
          .l1_begin = 0x20000,
          .l1_end = 0x23000};
}

// A checker leaves it like this: a pc, and an address.
Finding nameless(TileId tile, Cycle cycle, uint32_t pc, Object object) {
  Finding finding;
  finding.then = {.op = "read", .who = Site::Who::Hart, .tile = tile, .agent = emu::Agent::Brisc, .cycle = cycle};
  finding.then.pc = pc;
  finding.then.hart = emu::Agent::Brisc;
  finding.object = std::move(object);
  finding.cycle = cycle;
  return finding;
}

std::string named(const Names& names, Object object, Cycle cycle = 100) {
  Finding finding = nameless(object.tile, cycle, 0, object);
  names.name(finding);
  return finding.object.name;
}

const TileId kCore = TileId::at(0, 1, 2);

TEST(CheckNames, FindTheLineOfAKernelWhereverItLies) {
  Names names({arch::kP150});
  names.noted(launch("reader", 0x8400), 10);
  Finding finding = nameless(kCore, 50, 0x8414, {});
  names.name(finding);
  EXPECT_EQ(finding.then.kernel, "reader");
  ASSERT_EQ(finding.then.frames.size(), 2u);
  EXPECT_EQ(finding.then.frames[0], frame("", 0, "api.hpp", 30));
  EXPECT_EQ(finding.then.frames[1], frame("main()", 0x14, "src/reader.cpp", 9));
}

TEST(CheckNames, AreThoseOfTheTimeOfTheAccess) {
  Names names({arch::kP150});
  names.noted(launch("reader", 0x8400), 10);
  names.noted(launch("writer", 0x8400), 60);
  for (const auto& [cycle, kernel] : {std::pair<Cycle, std::string>{5, ""}, {50, "reader"}, {60, "writer"}}) {
    Finding finding = nameless(kCore, cycle, 0x8400, {});
    names.name(finding);
    EXPECT_EQ(finding.then.kernel, kernel) << cycle;
  }
}

TEST(CheckNames, KnowNothingOfOtherTilesHartsAndAddresses) {
  Names names({arch::kP150});
  names.noted(launch("reader", 0x8400), 10);
  Finding elsewhere = nameless(TileId::at(0, 3, 2), 50, 0x8400, {}), other = nameless(kCore, 50, 0x8400, {}),
          behind = nameless(kCore, 50, 0x8440, {});
  other.then.hart = emu::Agent::Ncrisc;
  for (Finding* finding : {&elsewhere, &other, &behind}) {
    names.name(*finding);
    EXPECT_EQ(finding->then.kernel, "");
    EXPECT_TRUE(finding->then.frames.empty());
  }
}

// Of two chips whose hosts number launches and buffers each for itself.
TEST(CheckNames, AreThoseOfTheChip) {
  Names names({arch::kP150, arch::kP100a});
  names.noted(launch("reader", 0x8400), 10);
  arch::note::Launched second = launch("writer", 0x8400);
  second.chip = 1;
  names.noted(second, 10);
  for (const auto& [chip, kernel] : {std::pair<int, std::string>{0, "reader"}, {1, "writer"}}) {
    Finding finding = nameless(TileId::at(chip, 1, 2), 50, 0x8400, {});
    names.name(finding);
    EXPECT_EQ(finding.then.kernel, kernel);
  }
  for (const uint8_t chip : {0, 1}) {
    Allocated note{.id = 5, .address = 0x1000, .per_bank = 0x800, .stride = 0x800, .chip = chip};
    note.banks = {
        arch::logical_id(chip == 0 ? arch::kP150.harvesting : arch::kP100a.harvesting, {0, arch::kDramPortY[2][0]})};
    names.noted(note, 10);
    names.noted(arch::note::Named{5, chip == 0 ? "weights" : "sums", chip}, 20);
  }
  names.noted(arch::note::Freed{5, 1}, 60);
  const auto dram = [&](int chip) {
    return named(names, {.space = Space::Dram, .tile = TileId::at(chip, 0, arch::kDramPortY[2][0]), .address = 0x1000});
  };
  EXPECT_EQ(dram(0), "buffer 'weights' page 0");
  EXPECT_EQ(dram(1), "buffer 'sums' page 0, freed");
  EXPECT_EQ(dram(2), "");
  second.chip = 2;  // a damaged log may name any
  names.noted(second, 70);
}

TEST(CheckNames, CallMemoryWhatItIs) {
  Names names({arch::kP150});
  names.noted(launch("reader", 0x8400), 10);
  const auto l1 = [&](uint64_t address) {
    return named(names, {.space = Space::L1, .tile = kCore, .address = address});
  };
  EXPECT_EQ(l1(0x8004), "argument 1 of kernel 'reader'");
  EXPECT_EQ(l1(0x8110), "semaphore 1 of program 'sum'");
  EXPECT_EQ(l1(0x20800), "CB 4 page 1");
  EXPECT_EQ(l1(0x20840), "CB 4 page 1 + 64");
  EXPECT_EQ(l1(0x8410), "code of kernel 'reader'");
  EXPECT_EQ(l1(0x8300), "configuration of program 'sum'");
  EXPECT_EQ(l1(0x22010), "L1 of program 'sum' + 8208");
  EXPECT_EQ(l1(0x50000), "");
  EXPECT_EQ(named(names, {.space = Space::L1, .tile = TileId::at(0, 2, 2), .address = 0x8004}),
            "configuration of program 'sum'")
      << "that core has one argument";
}

TEST(CheckNames, CallPagesOfDramByTheirBufferFromAnyTileOfTheBank) {
  Names names({arch::kP150});
  Allocated note{.id = 5, .address = 0x1000, .per_bank = 0x2000, .bytes = 0x10000, .page_bytes = 2000, .stride = 2048};
  const arch::NocCoord first = arch::logical_id(arch::kP150.harvesting, {0, arch::kDramPortY[2][0]}),
                       second = arch::logical_id(arch::kP150.harvesting, {9, arch::kDramPortY[1][0]});
  note.banks = {first, second};
  names.noted(note, 10);
  names.noted(arch::note::Named{5, "weights"}, 20);
  const auto dram = [&](int x, int y, uint64_t address, Cycle cycle = 100) {
    return named(names, {.space = Space::Dram, .tile = TileId::at(0, x, y), .address = address}, cycle);
  };
  EXPECT_EQ(dram(0, arch::kDramPortY[2][0], 0x1000), "buffer 'weights' page 0");
  EXPECT_EQ(dram(0, arch::kDramPortY[2][2], 0x1840), "buffer 'weights' page 2 + 64");
  EXPECT_EQ(dram(9, arch::kDramPortY[1][1], 0x1000), "buffer 'weights' page 1");
  EXPECT_EQ(dram(9, arch::kDramPortY[0][1], 0x1000), "") << "a bank that it has no part of";
  EXPECT_EQ(dram(0, arch::kDramPortY[2][0], 0x3000), "");
  EXPECT_EQ(dram(0, arch::kDramPortY[2][0], 0x1000, 5), "") << "before it was allocated";
  names.noted(arch::note::Freed{5}, 90);
  EXPECT_EQ(dram(0, arch::kDramPortY[2][0], 0x1000), "buffer 'weights' page 0, freed");
  EXPECT_EQ(dram(0, arch::kDramPortY[2][0], 0x1000, 80), "buffer 'weights' page 0");
}

TEST(CheckNames, FindTheLineOfFirmware) {
  Names names({arch::kP150});
  arch::note::Booted booted{.tiles = {{1, 2}}};
  booted.firmware[0] = code_of("brisc", 0x4000);
  names.noted(booted, 5);
  names.noted(launch("reader", 0x8400), 10);
  Finding finding = nameless(kCore, 50, 0x4004, {});
  names.name(finding);
  EXPECT_EQ(finding.then.kernel, "brisc");
  EXPECT_EQ(finding.then.frames.at(0).file, "src/brisc.cpp");
}

TEST(CheckNames, TellProgramsAtOnePlaceApartByTheInstruction) {
  const auto image_with = [](const std::string& name, uint8_t byte) {
    image::Image image = *image_of(name);
    image.segments[0].bytes.assign(64, byte);
    return std::make_shared<const image::Image>(std::move(image));
  };
  Names names({arch::kP150});
  for (const auto& [name, byte] : {std::pair<std::string, uint8_t>{"running", 0x11}, {"queued", 0x22}}) {
    Launched next = launch(name, 0x8400);
    next.groups[0].kernels[0].code.image = image_with(name, byte);
    names.noted(next, 10);
  }
  for (const auto& [word, kernel] : {std::pair<uint32_t, std::string>{0x11111111, "running"},
                                     {0x22222222, "queued"},
                                     {0x33333333, "queued"},
                                     {0, "queued"}}) {
    Finding finding = nameless(kCore, 50, 0x8400, {});
    finding.then.word = word;
    names.name(finding);
    EXPECT_EQ(finding.then.kernel, kernel) << word;
  }
}

TEST(CheckNames, ForgetTheOldestLaunches) {
  Names names({arch::kP150});
  names.noted(launch("first", 0x8400), 10);
  for (int i = 0; i < 64; ++i) names.noted(launch("other", 0xC000), 20);
  Finding finding = nameless(kCore, 50, 0x8400, {});
  names.name(finding);
  EXPECT_EQ(finding.then.kernel, "");
}

TEST(CheckNames, LeaveWhatHasOne) {
  Names names({arch::kP150});
  names.noted(launch("reader", 0x8400), 10);
  EXPECT_EQ(named(names, {.space = Space::L1, .tile = kCore, .address = 0x20800, .name = "mine"}), "mine");
}

}  // namespace
}  // namespace kerr::check
