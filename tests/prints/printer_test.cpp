#include "prints/printer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "emu/machine/machine.hpp"
#include "host/device/emulated_device.hpp"
#include "host/device/library_device.hpp"
#include "host/driver/noc_io.hpp"
#include "host/runtime/chip.hpp"
#include "image/elf/reader.hpp"
#include "image/error.hpp"
#include "isa/print.hpp"

namespace kerr::prints {
namespace {

using namespace isa::reg;
using arch::NocCoord;

const std::vector<NocCoord> kCores{{1, 2}, {2, 2}, {1, 3}};

struct Ran {
  std::string shown;
  uint64_t hash = 0, cycles = 0, instructions = 0;
};

// Runs an image on BRISC of some cores; each core's argument is 4 and its column.
Ran run(const image::Image& image, bool listens, emu::Options options = {},
        const std::vector<NocCoord>& cores = kCores) {
  Ran out;
  Printer printer({arch::kP100a}, [&](std::string_view text) { out.shown += text; });
  if (listens) options.prints = &printer;
  host::EmulatedDevice device({.chip = options});
  host::Chip chip(device);
  host::Program program("prints");
  const auto kernel = program.add_kernel(arch::Hart::Brisc, image, cores);
  for (const NocCoord core : cores) program.set_args(kernel, core, {4, core.x});
  chip.run(program);
  printer.finish();
  out.hash = device.state_hash();
  out.cycles = device.cycles();
  out.instructions = device.machine().counters(0).hart_instructions[0];
  return out;
}

image::Image image_of(const std::function<void(isa::Assembler&)>& emit) {
  isa::Assembler a;
  emit(a);
  return image::Image::from(a.finish(), "kernel");
}

image::Image counting() {
  return image_of([](isa::Assembler& a) {
    a.source("count.s", 3);
    a.lw(t0, a0);
    a.lw(t1, a0, 4);
    isa::print(a, "column {}", {t1});
    const isa::Label loop = a.here();
    a.source("count.s", 7);
    isa::print(a, "{} left, {:d}", {t0, t0});
    a.addi(t0, t0, -1);
    a.bnez(t0, loop);
    isa::print(a, "done");
    a.ret();
  });
}

// Without cycles, which are others in every version: "(1,2) BRISC count.s:3: column 1".
std::vector<std::string> without_cycles(const std::string& text) {
  std::vector<std::string> out;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    out.push_back(text.substr(text.find(' ', begin) + 1, end - text.find(' ', begin) - 1));
  return out;
}

TEST(Printer, ShowsLineTileHartAndValues) {
  const Ran ran = run(counting(), true, {}, {{2, 2}});
  const std::vector<std::string> expected{"(2,2) BRISC count.s:3: column 2",  "(2,2) BRISC count.s:7: 4 left, 4",
                                          "(2,2) BRISC count.s:7: 3 left, 3", "(2,2) BRISC count.s:7: 2 left, 2",
                                          "(2,2) BRISC count.s:7: 1 left, 1", "(2,2) BRISC count.s:7: done"};
  EXPECT_EQ(without_cycles(ran.shown), expected);
}

TEST(Printer, ChangesNeitherStateNorCyclesWithAnyTimingAndScheduler) {
  for (const emu::Timing timing : {emu::Timing::Relaxed, emu::Timing::Exact}) {
    for (const emu::Scheduler scheduler : {emu::Scheduler::Fast, emu::Scheduler::Reference}) {
      if (timing == emu::Timing::Exact && scheduler == emu::Scheduler::Reference) continue;  // slow
      emu::Options options{.scheduler = scheduler, .timing = timing};
      const Ran with = run(counting(), true, options), without = run(counting(), false, options);
      EXPECT_EQ(with.hash, without.hash);
      EXPECT_EQ(with.cycles, without.cycles);
      EXPECT_EQ(with.instructions, without.instructions);
      EXPECT_EQ(without_cycles(with.shown).size(), 18u);
      EXPECT_EQ(without.shown, "");
    }
  }
}

TEST(Printer, ShowsTheSameForAnyNumberOfThreadsAndHowHartsAreRun) {
  const std::string one = run(counting(), true).shown;
  for (const int shards : {2, 4})
    EXPECT_EQ(run(counting(), true, {.shards = shards, .always_in_parallel = true}).shown, one);
  EXPECT_EQ(run(counting(), true, {.parking = false}).shown, one);
  emu::Observer observer;
  EXPECT_EQ(run(counting(), true, {.observer = &observer}).shown, one);
  EXPECT_EQ(run(counting(), true, {.icache = emu::InstructionCaching::Exact}).shown, one);
}

TEST(Printer, ShowsWhatACompiledKernelPrints) {
  const Ran ran = run(image::read_elf(KERR_KERNEL_prints_values), true, {}, {{1, 2}});
  const std::vector<std::string> expected{"(1,2) BRISC values.cpp:11: no values, a {brace}, a \"quote\", a \\",
                                          "(1,2) BRISC values.cpp:12: 4 -3 1.50 x true",
                                          "(1,2) BRISC values.cpp:13: text 4398046511104 -1",
                                          "(1,2) BRISC values.cpp:14: 0x4",
                                          "(1,2) BRISC values.cpp:16: two",
                                          "(1,2) BRISC values.cpp:16: lines   0|0  |000|0xa",
                                          "(1,2) BRISC values.cpp:16: two",
                                          "(1,2) BRISC values.cpp:16: lines   1|1  |001|0xb",
                                          "(1,2) BRISC values.cpp:6: 100% 4",
                                          "(1,2) BRISC values.cpp:6: 100% 0.5",
                                          "(1,2) BRISC values.cpp:20: n=4"};
  EXPECT_EQ(without_cycles(ran.shown), expected);
}

TEST(Printer, TakesOrRefusesADamagedSection) {
  std::ifstream file(KERR_KERNEL_prints_values, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string first = "no values, a {{brace}}";
  const size_t section = bytes.find(first);
  ASSERT_NE(section, bytes.npos);
  std::mt19937 random(1);
  int refused = 0;
  for (int n = 0; n < 300; ++n) {
    std::string damaged = bytes;
    for (int k = 0; k < 3; ++k) damaged[section - 20 + random() % 300] = static_cast<char>(random());
    try {
      const image::Image image =
          image::read_elf({reinterpret_cast<const uint8_t*>(damaged.data()), damaged.size()}, "damaged");
      PrintTable table(std::make_shared<const image::Image>(image));
      EXPECT_LT(table.entries().size(), 100u);
    } catch (const image::Error& error) {
      EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

TEST(Printer, CostsOneInstructionForEachWord) {
  const auto kernel = [](bool prints) {
    return image_of([&](isa::Assembler& a) {
      if (prints) isa::print(a, "{} {} {}", {a0, a1, a2});
      a.ret();
    });
  };
  const std::vector<NocCoord> one{{1, 2}};
  EXPECT_EQ(kernel(true).segments[0].bytes.size(), kernel(false).segments[0].bytes.size() + 12);
}

TEST(Printer, SaysTheNumberOfAPrintOfUnknownCode) {
  image::Image image = counting();
  image.comments.clear();
  const std::string shown = run(image, true, {}, {{1, 2}}).shown;
  EXPECT_NE(shown.find("of unknown code at pc 0x"), shown.npos);
  EXPECT_NE(shown.find(": 0x4 0x4\n"), shown.npos);
}

// At the same place of both, other code.
TEST(Printer, NamesCodeOfEachChip) {
  const std::vector<arch::Board> boards{arch::kP100a, arch::kP150};
  std::string shown;
  Printer printer(boards, [&](std::string_view text) { shown += text; });
  host::EmulatedDevice first({.chip = {.boards = boards, .prints = &printer}});
  host::EmulatedDevice second(first, 1);
  const NocCoord core{1, 2};
  for (const bool is_second : {false, true}) {
    host::Chip chip(is_second ? second : first);
    host::Program program("prints");
    program.add_kernel(arch::Hart::Brisc, image_of([&](isa::Assembler& a) {
                         a.li(t0, 7);
                         isa::print(a, is_second ? "second {}" : "first {}", {t0});
                         a.ret();
                       }),
                       {&core, 1});
    chip.run(program);
  }
  EXPECT_NE(shown.find("chip 0 (1,2)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("first 7\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("chip 1 (1,2)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("second 7\n"), std::string::npos) << shown;
}

TEST(Printer, FindsCodeOfWhomNobodyTellsByItsBytes) {
  const image::Image known = counting();
  image::Image untold = known;
  untold.comments.clear();
  std::string shown;
  Printer printer({arch::kP100a}, [&](std::string_view text) { shown += text; });
  printer.add(std::make_shared<const image::Image>(known));
  host::EmulatedDevice device({.chip = {.prints = &printer}});
  host::Chip chip(device);
  host::Program program("prints");
  program.set_args(program.add_kernel(arch::Hart::Ncrisc, untold, {kCores.data(), 1}), kCores[0], {1, 9});
  chip.run(program);
  EXPECT_EQ(without_cycles(shown),
            (std::vector<std::string>{"(1,2) NCRISC count.s:3: column 9", "(1,2) NCRISC count.s:7: 1 left, 1",
                                      "(1,2) NCRISC count.s:7: done"}));
}

TEST(Printer, ReadsStringsWhereTheyAreAndNoFurther) {
  const auto shown = [](uint32_t address, const std::string& text) {
    const image::Image image = image_of([&](isa::Assembler& a) {
      a.li(t0, address);
      for (size_t i = 0; i < text.size(); ++i) {
        a.li(t1, static_cast<uint8_t>(text[i]));
        a.sb(t1, t0, static_cast<int32_t>(i));
      }
      isa::print(a, "<{:s}>", {t0});
      a.ret();
    });
    const auto lines = without_cycles(run(image, true, {}, {{1, 2}}).shown);
    return lines.at(0).substr(lines.at(0).find('<'));
  };
  EXPECT_EQ(shown(0x10'0000, std::string("in L1\0", 6)), "<in L1>");
  EXPECT_EQ(shown(0xFFB0'0A00, std::string("local\0", 6)), "<local>");
  EXPECT_EQ(shown(0x18'0000 - 3, "end"), "<end>");
  EXPECT_EQ(shown(0x4000'0000, ""), "<(no string at 0x40000000)>");
  EXPECT_EQ(shown(0x10'0000, std::string("\x1b[2J\0", 5)), "<?[2J>");
  EXPECT_EQ(shown(0x10'0000, std::string(300, 'a')).size(), 256u + 3 + 2);
}

TEST(Printer, TakesAnyHints) {
  std::mt19937 random(1);
  const image::Image image = image_of([&](isa::Assembler& a) {
    for (int n = 0; n < 600; ++n) {
      if (random() % 3 == 0) isa::print(a, "{} {:s}", {t0, a0});
      a.addi(zero, isa::Reg{static_cast<uint8_t>(random() % 32)}, static_cast<int32_t>(random() % 4096) - 2048);
    }
    a.ret();
  });
  const Ran with = run(image, true), without = run(image, false);
  EXPECT_EQ(with.hash, without.hash);
  EXPECT_EQ(with.cycles, without.cycles);
  EXPECT_GT(with.shown.size(), 1000u);
}

// --- tt-metal's buffers ---

// What a kernel of tt-metal does for DPRINT << ...: waits for room, writes type, size and bytes, then wpos.
class StockWriter {
 public:
  StockWriter(isa::Assembler& a, uint32_t hart) : a_(a) {
    a.li(t0, stock::kUsualAddress + stock::kBytes * hart);
    const isa::Label begun = a.label();
    a.lw(t1, t0);
    a.li(t2, stock::kStarting);
    a.bne(t1, t2, begun);
    a.sw(zero, t0);
    a.sw(zero, t0, 4);
    a.bind(begun);
  }
  void item(uint8_t type, const std::string& bytes) {
    const auto size = static_cast<int32_t>(bytes.size());
    const isa::Label room = a_.label(), full = a_.label();
    a_.lw(t1, t0);
    a_.addi(t2, t1, size + 2);
    a_.li(t3, stock::kDataBytes);
    a_.bltu(t2, t3, room);
    a_.bind(full);
    a_.lw(t2, t0, 4);
    a_.bltu(t2, t1, full);
    a_.sw(zero, t0);
    a_.sw(zero, t0, 4);
    a_.li(t1, 0);
    a_.bind(room);
    a_.add(t2, t0, t1);
    a_.li(t3, type);
    a_.sb(t3, t2, stock::kData);
    a_.li(t3, size);
    a_.sb(t3, t2, stock::kData + 1);
    for (int32_t i = 0; i < size; ++i) {
      a_.li(t3, static_cast<uint8_t>(bytes[static_cast<size_t>(i)]));
      a_.sb(t3, t2, static_cast<int32_t>(stock::kData) + 2 + i);
    }
    a_.addi(t1, t1, size + 2);
    a_.sw(t1, t0);
  }
  void line(const std::string& text) {
    item(0, text + '\0');
    item(1, std::string(1, '\0'));
  }

 private:
  isa::Assembler& a_;
};

void write_word(emu::Machine& machine, uint32_t address, uint32_t value) {
  uint8_t bytes[4];
  std::memcpy(bytes, &value, 4);
  machine.write_coordinate(0, 1, 2, address, bytes);
}
uint32_t read_word(emu::Machine& machine, uint32_t address) {
  uint8_t bytes[4];
  machine.read_coordinate(0, 1, 2, address, bytes);
  uint32_t value;
  std::memcpy(&value, bytes, 4);
  return value;
}

// BRISC of (1,2) runs code at 0; a host takes what is printed or, without `drains`, does not.
Ran run_bare(const isa::Code& code, uint32_t wpos, bool listens, bool drains = true) {
  Ran out;
  Printer printer({arch::kP100a}, [&](std::string_view text) { out.shown += text; });
  emu::Machine machine({.prints = listens ? &printer : nullptr});
  machine.write_coordinate(0, 1, 2, 0x1'0000, code.bytes);
  isa::Assembler jump;
  jump.j(jump.absolute(0x1'0000));
  machine.write_coordinate(0, 1, 2, 0, jump.finish(0).bytes);
  write_word(machine, stock::kUsualAddress, wpos);
  write_word(machine, 0xFFB1'21B0, 0x47000);  // BRISC leaves reset
  for (int n = 0; n < 200; ++n) {
    machine.advance(256);
    if (drains) write_word(machine, stock::kUsualAddress + 4, read_word(machine, stock::kUsualAddress));
  }
  printer.finish();
  out.hash = machine.state_hash();
  out.cycles = machine.now();
  return out;
}

isa::Code stock_program(int lines) {
  isa::Assembler a;
  StockWriter writer(a, 0);
  for (int n = 0; n < lines; ++n) writer.line("line " + std::to_string(n) + " with some words behind it");
  a.j(a.here());
  return a.finish(0x1'0000);
}

TEST(StockPrints, AreShownThoughTheBufferIsUsedAgain) {
  const Ran ran = run_bare(stock_program(20), stock::kStarting, true);
  std::vector<std::string> expected;
  for (int n = 0; n < 20; ++n)
    expected.push_back("(1,2) BRISC: line " + std::to_string(n) + " with some words behind it");
  EXPECT_EQ(without_cycles(ran.shown), expected);
  EXPECT_EQ(ran.hash, run_bare(stock_program(20), stock::kStarting, false).hash);
}

TEST(StockPrints, StopWhereNoHostTakesThem) {
  const Ran ran = run_bare(stock_program(20), stock::kStarting, true, false);
  const size_t lines = without_cycles(ran.shown).size();
  EXPECT_GE(lines, 4u);
  EXPECT_LT(lines, 8u);
}

TEST(StockPrints, AreLookedForOnlyIfTheHostHasSaidThatItReadsThem) {
  EXPECT_EQ(run_bare(stock_program(2), 0, true).shown, "");
  EXPECT_EQ(run_bare(stock_program(2), 0x1234'5678, true).shown, "");
}

// --- the environment ---

TEST(PrintEnvironment, AsksForAFile) {
  const std::string file = testing::TempDir() + "kerr_prints_environment.txt";
  setenv("KERR_PRINTS", file.c_str(), 1);
  const Ran ran = run(counting(), false, {}, {{1, 2}});
  unsetenv("KERR_PRINTS");
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(without_cycles(text).size(), 6u);
  EXPECT_NE(text.find("(1,2) BRISC count.s:7: 4 left, 4\n"), text.npos);
}

#ifdef KERR_LIBRARY
// As tt-metal's host does: it says that it reads the buffer, and empties it.
TEST(PrintEnvironment, ShowsPrintsOfAHostThatComesThroughTheLibrary) {
  const std::string file = testing::TempDir() + "kerr_prints_library.txt";
  setenv("KERR_PRINTS", file.c_str(), 1);
  const auto device = host::LibraryDevice::open(KERR_LIBRARY);
  unsetenv("KERR_PRINTS");
  host::NocIo io(*device);
  constexpr NocCoord kCore{1, 2};
  const auto put = [&](const isa::Code& code) {
    for (uint32_t at = 0; at < code.bytes.size(); at += 4)
      io.write32(kCore, code.base + at, code.word_at(code.base + at));
  };
  put(stock_program(10));
  isa::Assembler jump;
  jump.j(jump.absolute(0x1'0000));
  put(jump.finish(0));
  io.write32(kCore, stock::kUsualAddress, stock::kStarting);
  io.write32(kCore, 0xFFB1'21B0, 0x47000);
  for (int n = 0; n < 100; ++n) {
    const uint64_t end = device->cycles() + 256;
    device->wait([&] { return device->cycles() >= end; }, {1000, std::chrono::minutes(1)});
    io.write32(kCore, stock::kUsualAddress + 4, io.read32(kCore, stock::kUsualAddress));
  }
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  ASSERT_EQ(without_cycles(text).size(), 10u) << text;
  EXPECT_EQ(without_cycles(text)[9], "(1,2) BRISC: line 9 with some words behind it");
}

// A host that tells nothing of its kernels, and a file that has their formats.
TEST(PrintEnvironment, NamesFilesWithFormats) {
  const std::string file = testing::TempDir() + "kerr_prints_elf.txt";
  const auto shown = [&](const char* elf) {
    setenv("KERR_PRINTS", file.c_str(), 1);
    setenv("KERR_PRINTS_ELF", elf, 1);
    {
      const auto device = host::LibraryDevice::open(KERR_LIBRARY);
      host::Chip chip(*device);
      host::Program program("prints");
      constexpr NocCoord kCore{1, 2};
      const auto kernel =
          program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_prints_values), {&kCore, 1});
      program.set_args(kernel, kCore, {4, 1});
      chip.run(program);
    }
    unsetenv("KERR_PRINTS");
    unsetenv("KERR_PRINTS_ELF");
    std::ifstream in(file);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_NE(shown("").find("of unknown code at pc"), std::string::npos);
  const std::string with = shown("/no/such/file:" KERR_KERNEL_prints_values);
  EXPECT_NE(with.find("BRISC values.cpp:"), std::string::npos) << with;
  const std::string last = with.substr(with.rfind("BRISC values.cpp:"));
  EXPECT_EQ(last.find("unknown code"), std::string::npos) << last;
}
#endif

}  // namespace
}  // namespace kerr::prints
