#include <fmt/format.h>

#include "tests/loops/scalar/both.hpp"

namespace kerr::loops::scalar {
namespace {

TEST(ScalarLaunch, AddsTwoVectors) {
  Both(R"(kernel add
param p0 f32 6144
param p1 f32 6144
param p2 f32 6144
%1 = loop i32 i32:6144 weak
%2 = load f32 p1[%1]
%3 = load f32 p2[%1]
%4 = add f32 %2 %3
store f32 p0[%1] %4
end %1
)")
      .expect_same();
}

// 64 columns of so many rows, each of them summed.
std::string columns_text(uint32_t columns, uint32_t rows) {
  return fmt::format(R"(kernel columns
param p0 f32 64
param p1 f32 {0}
reg r0 f32 1
%j = loop i32 i32:64 weak
store f32 r0[i32:0] f32:0.0
%k = loop i32 i32:{1} reduce
%1 = mul i32 %k i32:{2}
%2 = add i32 %1 %j
%3 = load f32 p1[%2]
%4 = load f32 r0[i32:0]
%5 = add f32 %3 %4
store f32 r0[i32:0] %5
end %k
%6 = load f32 r0[i32:0]
store f32 p0[%j] %6
end %j
)",
                     columns * rows, rows, columns);
}

TEST(ScalarLaunch, GoesDownColumnsOfWhatIsLargerThanTheMemoryOfAHart) {
  for (const auto& [columns, rows] : {std::pair{256u, 700u}, {512u, 512u}, {317u, 1000u}, {64u, 6000u}})
    Both(columns_text(columns, rows)).expect_same({1, 7});
}

TEST(ScalarLaunch, FindsTheLinesOfAColumnAgainInTheNextOne) {
  Both both(columns_text(512, 512));
  const auto cycles = [&] {
    const auto& device = dynamic_cast<const host::EmulatedDevice&>(chip().device());
    const uint64_t before = device.cycles();
    both.launched(1);
    return device.cycles() - before;
  };
  EXPECT_LT(cycles(), 64 * 512 * 100u);
}

// Tiles of 32 x 16, one behind the other, of 32 rows that are a power of two apart.
TEST(ScalarLaunch, FindsTheLinesOfATilesRowsAgainInTheNextTile) {
  Both both(R"(kernel tiles
param p0 f32 65536
param p1 f32 65536
%t = loop i32 i32:128 weak
%r = loop i32 i32:32 weak
%c = loop i32 i32:16 weak
%1 = mul i32 %r i32:2048
%2 = mul i32 %t i32:16
%3 = add i32 %1 %2
%4 = add i32 %3 %c
%5 = load f32 p1[%4]
%6 = mul i32 %t i32:512
%7 = mul i32 %r i32:16
%8 = add i32 %6 %7
%9 = add i32 %8 %c
store f32 p0[%9] %5
end %c
end %r
end %t
)");
  both.expect_same({1, 7});
  const auto& device = dynamic_cast<const host::EmulatedDevice&>(chip().device());
  const uint64_t before = device.cycles();
  both.launched(1);
  EXPECT_LT(device.cycles() - before, 65536 * 30u);
}

TEST(ScalarLaunch, MultipliesMatrices) {
  Both(R"(kernel r_64_96_128
param p0 f32 6144
param p1 f32 8192
param p2 f32 12288
reg r1 f32 1
%2 = loop i32 i32:64 weak
%4 = shl i32 %2 i32:7
%3 = mul i32 %2 i32:96
%5 = loop i32 i32:96 weak
store f32 r1[i32:0] f32:0.0
%6 = loop i32 i32:128 reduce
%7 = add i32 %4 %6
%8 = load f32 p1[%7]
%9 = mul i32 %6 i32:96
%10 = add i32 %9 %5
%11 = load f32 p2[%10]
%12 = load f32 r1[i32:0]
%13 = mul f32 %8 %11
%14 = add f32 %12 %13
store f32 r1[i32:0] %14
end %6
%15 = load f32 r1[i32:0]
%16 = add i32 %3 %5
store f32 p0[%16] %15
end %5
end %2
)")
      .expect_same();
}

// `lines` stores of sums, each to an element of its own in each of 64 iterations.
std::string long_program(uint32_t lines) {
  std::string text = fmt::format(
      "kernel long\nparam p0 f32 {0}\nparam p1 f32 {0}\n%0 = loop i32 i32:64 weak\n%1 = mul i32 %0 i32:{1}\n",
      64 * lines / 4, lines / 4);
  for (uint32_t k = 0; k < lines / 4; ++k) {
    const uint32_t id = 3 * k + 2;
    text += fmt::format(
        "%{0} = add i32 %1 i32:{3}\n%{1} = load f32 p1[%{0}]\n%{2} = mul f32 %{1} f32:{3}.25\nstore f32 p0[%{0}] "
        "%{2}\n",
        id, id + 1, id + 2, k);
  }
  return text + "end %0\n";
}

TEST(ScalarLaunch, RunsCodeThatIsLargerThanTheKernelConfigArea) {
  Both both(long_program(4000));
  const Code code = compile(both.program, chip().harvesting());
  EXPECT_GT(code.text.bytes.size(), 64u * 1024);
  both.expect_same({1, 7, 236});
}

TEST(ScalarLaunch, RefusesCodeThatNoHartHolds) {
  EXPECT_THROW(compile(parse(long_program(100'000)), chip().harvesting()), std::invalid_argument);
}

TEST(ScalarLaunch, NamesTheLineOfTheLoopProgramWhereAHartHangs) {
  Both both(R"(kernel endless
param p0 i32 4
param p1 i32 4
%2 = load i32 p1[i32:0]
do %1
%3 = cmpeq i32 %2 %2
while %1 %3
store i32 p0[i32:0] %2
)");
  both.prepare();
  const Code code = compile(both.program, chip().harvesting());
  host::EmulatedDevice device;
  host::Chip other(device);
  const host::Buffer buffer = other.allocate(host::Memory::Dram, both.arena.size(), kPageBytes);
  const std::vector<View> views{{buffer, 64, 16}, {buffer, 192, 16}};
  try {
    launch(other, both.program, code, views, {},
           {.deadline = host::Deadline{5'000'000, std::chrono::milliseconds(200)}});
    FAIL() << "it ended";
  } catch (const host::DeviceError& error) {
    EXPECT_NE(error.report().find("endless:"), std::string::npos) << error.report();
  }
}

TEST(ScalarLaunch, SaysWhichLineLeavesItsParameterWhenAsked) {
  Both both(R"(kernel outside
param p0 i32 4
param p1 i32 4
%1 = loop i32 i32:5 weak
%2 = load i32 p1[%1]
store i32 p0[i32:0] %2
end %1
)");
  both.prepare();
  const Code code = compile(both.program, chip().harvesting(), {.check_bounds = true});
  host::EmulatedDevice device;
  host::Chip other(device);
  const host::Buffer buffer = other.allocate(host::Memory::Dram, both.arena.size(), kPageBytes);
  const std::vector<View> views{{buffer, 64, 16}, {buffer, 192, 16}};
  try {
    launch(other, both.program, code, views, {});
    FAIL() << "it ended";
  } catch (const host::DeviceError& error) {
    EXPECT_EQ(error.sentence(), "program 'outside', line 5: the load is outside of p1, which has 4 i32");
    EXPECT_NE(error.report().find("outside:5"), std::string::npos) << error.what() << error.report();
  }
}

TEST(ScalarLaunch, IndexesRegistersByWhatItComputes) {
  Both both(R"(kernel arrays
param p0 i64 640
param p1 i32 640
reg r0 i64 16
reg r1 u8 40
%1 = loop i32 i32:40 weak
%2 = mul i32 %1 i32:16
%3 = loop i32 i32:16 reduce
%4 = add i32 %2 %3
%5 = load i32 p1[%4]
%6 = cast i64 %5
%7 = xor i32 %3 i32:5
store i64 r0[%7] %6
%8 = bitcast u32 %5
%9 = and u32 %8 u32:31
store u8 r1[%9] u8:7
end %3
%10 = loop i32 i32:16 reduce
%11 = add i32 %2 %10
%12 = load i64 r0[%10]
%13 = load u8 r1[%10]
%14 = cast i64 %13
%15 = mul i64 %12 %14
store i64 p0[%11] %15
end %10
end %1
)");
  both.expect_same();
  both.options.check_bounds = true;
  both.expect_same({1});
}

TEST(ScalarLaunch, TakesViewsThatBeginAnywhere) {
  Both both(R"(kernel odd
param p0 f32 700
param p1 f64 700
param p2 i16 700
%1 = loop i32 i32:700 weak
%2 = load f64 p1[%1]
%3 = cast f32 %2
%4 = load i16 p2[%1]
%5 = cast f32 %4
%6 = add f32 %3 %5
store f32 p0[%1] %6
end %1
)");
  both.views = {{67, 2800}, {4001, 5600}, {12345, 1400}};
  both.expect_same();
}

TEST(ScalarLaunch, SeesBytesThatBeginAnywhereAsLargerElements) {
  Both both(R"(kernel bytes
param p0 u8 256
param p1 u8 256
param p2 u8 4096
%1 = loop i32 i32:60 weak
%2 = load f32 p1~f32[%1]
%3 = load f32 p2~f32[%1]
%4 = add f32 %2 %3
store f32 p0~f32[%1] %4
end %1
)");
  both.views = {{67, 256}, {513, 256}, {1026, 4096}};
  both.expect_same();
}

TEST(ScalarLaunch, SeesItsOwnStoresThroughAnotherParameter) {
  // A running sum whose terms come from where its results go.
  Both both(R"(kernel alias
param p0 i32 2000
param p1 i32 2000
%1 = loop i32 i32:2000 loop
%2 = load i32 p1[%1]
%3 = mul i32 %2 i32:3
store i32 p0[%1] %3
end %1
)");
  both.views = {{4096 - 8, 8000}, {4096 - 48, 8000}};
  both.expect_same();
  both.views = {{4096 - 48, 8000}, {4096 - 8, 8000}};
  both.expect_same();
  both.views = {{4096 - 48, 8000}, {4096 - 48, 8000}};
  both.expect_same();
  both.views = {{4096 - 48, 8000}, {4096 - 47, 8000}};
  both.expect_same();
}

// `count` numbers of the type are loaded before the first is used.
std::string many_numbers(std::string_view type, uint32_t count) {
  std::string text =
      fmt::format("kernel many\nparam p0 {0} 3\nparam p1 {0} {1}\n%0 = loop i32 i32:3 weak\n", type, count + 3);
  for (uint32_t k = 0; k < count; ++k)
    text += fmt::format("%{0} = add i32 %0 i32:{2}\n%{1} = load {3} p1[%{0}]\n", 2 * k + 1, 2 * k + 2, k, type);
  for (uint32_t k = 0; k + 1 < count; ++k) {
    text += fmt::format("%{} = {} {} %{} %{}\n", 2 * count + 1 + k, k % 3 == 0 ? "sub" : "add", type,
                        k == 0 ? 2 : 2 * count + k, 2 * count - 2 * k);
  }
  return text + fmt::format("store {} p0[%0] %{}\nend %0\n", type, 3 * count - 1);
}

TEST(ScalarLaunch, KeepsMoreNumbersThanRegistersAndLocalMemoryHold) {
  for (const char* type : {"f32", "i32", "u8", "i64", "f64", "bf16"}) {
    for (uint32_t count : {20, 40, 1100, 1500}) {
      SCOPED_TRACE(fmt::format("{} {}", count, type));
      Both(many_numbers(type, count)).expect_same({1, 7});
    }
  }
}

TEST(ScalarLaunch, KeepsWhatWaitsWhenAStreamGoesThroughItOnceMore) {
  // Rows of 5 that begin 2 apart, then rows of 3 inside of what was stored.
  Both both(R"(kernel rows
param p0 i32 192
%1 = loop i32 i32:40 weak
%2 = mul i32 %1 i32:2
%3 = loop i32 i32:5 weak
%4 = add i32 %2 %3
store i32 p0[%4] %3
end %3
end %1
%5 = loop i32 i32:9 weak
%6 = mul i32 %5 i32:4
%7 = loop i32 i32:3 weak
%8 = add i32 %6 %7
store i32 p0[%8] %8
end %7
end %5
)");
  both.expect_same();
  for (uint64_t offset : {1000, 1020, 4080, 4092}) {
    Both moved(both.text);
    moved.views = {{offset, 768}};
    moved.expect_same({1});
  }
}

TEST(ScalarLaunch, GoesThroughParametersInAllDirections) {
  // Forwards, backwards, in steps, through gates at both ends, and columns of what does not fit a cache line.
  Both both(R"(kernel ways
param p0 f32 30000
param p1 f32 30000
param p2 f32 60100
param p3 f32 30000
param p4 f32 30000
%1 = loop i32 i32:100 weak
%2 = mul i32 %1 i32:300
%3 = loop i32 i32:300 weak
%4 = add i32 %2 %3
%5 = sub i32 i32:29999 %4
%6 = load f32 p1[%5]
%7 = shl i32 %4 i32:1
%8 = add i32 %7 i32:100
%9 = load f32 p2[%8]
%10 = add i32 %4 i32:-500
%11 = cmplt i32 i32:-1 %10
%12 = load f32 p3[%10] %11 f32:2.5
%13 = mul i32 %3 i32:100
%14 = add i32 %13 %1
%15 = load f32 p4[%14]
%16 = add i32 %4 i32:500
%17 = cmplt i32 %16 i32:30000
%18 = load f32 p3[%16] %17 f32:-1.5
%20 = add f32 %6 %9
%21 = add f32 %12 %15
%22 = add f32 %20 %21
%23 = add f32 %22 %18
store f32 p0[%4] %23
end %3
end %1
)");
  both.expect_same({1, 7, 236});
}

TEST(ScalarLaunch, SpreadsWhatIsIndependentAndNothingElse) {
  const auto sharing = [](std::string_view body) {
    const Program program =
        parse(fmt::format("kernel k\nparam p0 f32 4096\nparam p1 f32 4096\nreg r0 f32 1\n{}", body));
    return compile(program, chip().harvesting()).sharing.value();
  };
  EXPECT_TRUE(sharing("%1 = loop i32 i32:64 weak\n%2 = load f32 p1[%1]\nstore f32 p0[%1] %2\nend %1\n").independent);
  // Two stores one after the other, each at twice the variable.
  EXPECT_TRUE(
      sharing("%1 = loop i32 i32:64 weak\n%2 = mul i32 %1 i32:2\n%3 = add i32 %2 i32:1\nstore f32 p0[%2] f32:1.0\n"
              "store f32 p0[%3] f32:2.0\nend %1\n")
          .independent);
  EXPECT_TRUE(
      sharing("%1 = loop i32 i32:64 weak\n%2 = load f32 p0[%1]\n%3 = add f32 %2 f32:1.0\nstore f32 p0[%1] %3\nend %1\n")
          .independent);
  // Neighbours, a variable that is missing, an element of another iteration, a register carried on, a reduction, a do
  // loop, two nests.
  EXPECT_FALSE(sharing("%1 = loop i32 i32:64 weak\n%3 = add i32 %1 i32:1\nstore f32 p0[%1] f32:1.0\nstore f32 p0[%3] "
                       "f32:2.0\nend %1\n")
                   .independent);
  EXPECT_FALSE(
      sharing("%1 = loop i32 i32:64 weak\n%2 = loop i32 i32:64 weak\nstore f32 p0[%1] f32:1.0\nend %2\nend %1\n")
          .independent);
  EXPECT_FALSE(
      sharing("%1 = loop i32 i32:64 weak\n%3 = add i32 %1 i32:1\n%2 = load f32 p0[%3]\nstore f32 p0[%1] %2\nend %1\n")
          .independent);
  EXPECT_FALSE(
      sharing(
          "store f32 r0[i32:0] f32:0.0\n%1 = loop i32 i32:64 weak\n%2 = load f32 r0[i32:0]\n%3 = add f32 %2 f32:1.0\n"
          "store f32 r0[i32:0] %3\nstore f32 p0[%1] %3\nend %1\n")
          .independent);
  EXPECT_FALSE(sharing("%1 = loop i32 i32:64 reduce\nstore f32 p0[%1] f32:1.0\nend %1\n").independent);
  EXPECT_FALSE(
      sharing(
          "%1 = loop i32 i32:64 weak\ndo %2\n%3 = cmplt i32 %1 i32:0\nwhile %2 %3\nstore f32 p0[%1] f32:1.0\nend %1\n")
          .independent);
  EXPECT_FALSE(sharing("%1 = loop i32 i32:64 weak\nstore f32 p0[%1] f32:1.0\nend %1\n%2 = loop i32 i32:64 weak\nstore "
                       "f32 p1[%2] f32:1.0\n"
                       "end %2\n")
                   .independent);
}

TEST(ScalarLaunch, SpreadsNothingWhoseIndicesWrapIn64Bits) {
  const auto sharing = [](std::string_view body) {
    const Program program = parse(fmt::format("kernel k\nparam p0 u8 4096\n{}", body));
    return compile(program, chip().harvesting()).sharing.value();
  };
  // Each iteration stores where the one before it loads.
  EXPECT_FALSE(sharing(R"(%1 = loop i32 i32:64 weak
%2 = cast i64 %1
%3 = add i64 i64:9223372036854775807 %2
%4 = cast i32 %3
%5 = load u8 p0[%1]
%6 = cmplt i32 i32:0 %1
if %6
store u8 p0[%4] %5
endif
end %1
)")
                   .independent);
  for (const char* number : {"9223372036854775807", "-9223372036854775808", "17592186044417"}) {
    for (const char* verb : {"add", "sub", "mul"}) {
      sharing(
          fmt::format("%1 = loop i64 i64:64 weak\n%2 = add i64 %1 i64:{0}\n%3 = {1} i64 %2 i64:{0}\n"
                      "%4 = {1} i64 i64:{0} %3\n%5 = load u8 p0[i64:{0}]\nstore u8 p0[%4] %5\nend %1\n",
                      number, verb));
    }
    sharing(fmt::format("%1 = loop i64 i64:{} weak\n%2 = add i64 %1 i64:1\nstore u8 p0[%2] u8:1\nend %1\n", number));
  }
}

TEST(ScalarLaunch, TakesSizesWhenItIsLaunched) {
  for (int64_t size : {0, 1, 2, 37, 64}) {
    Both both(R"(kernel sizes
param p0 f32 4096
param p1 f32 4096
var %9 i32 n 0 64
var %8 i64 m 0 64
reg r0 f32 1
%1 = loop i32 %9 weak
%2 = mul i32 %1 %9
%3 = loop i64 %8 weak
%4 = cast i32 %3
%5 = add i32 %2 %4
store f32 r0[i32:0] f32:0.0
%10 = loop i32 %9 reduce
%11 = mul i32 %10 %9
%12 = add i32 %11 %4
%13 = load f32 p1[%12]
%14 = load f32 r0[i32:0]
%15 = add f32 %13 %14
store f32 r0[i32:0] %15
end %10
%16 = load f32 r0[i32:0]
store f32 p0[%5] %16
end %3
end %1
)");
    both.numbers = {size, size};
    both.expect_same();
  }
}

TEST(ScalarLaunch, RefusesViewsAndNumbersThatDoNotFit) {
  Both both("kernel k\nparam p0 i32 4\nvar %1 i32 n 0 4\nstore i32 p0[%1] i32:1\n");
  const Code code = compile(both.program, chip().harvesting());
  const host::Buffer buffer = chip().allocate(host::Memory::Dram, 64, kPageBytes);
  const View good{buffer, 0, 16};
  const std::vector<int64_t> one{1}, five{5};
  EXPECT_THROW(launch(chip(), both.program, code, {}, one), RunError);
  EXPECT_THROW(launch(chip(), both.program, code, {&good, 1}, {}), RunError);
  EXPECT_THROW(launch(chip(), both.program, code, {&good, 1}, five), RunError);
  const View small{buffer, 0, 15}, outside{buffer, 4090, 16}, wrapped{buffer, ~0ull - 8, 16};
  for (const View& view : {small, outside, wrapped})
    EXPECT_THROW(launch(chip(), both.program, code, {&view, 1}, one), RunError);
}

// What a program does that no program may do ends with an error or nothing, not with the process.
TEST(ScalarLaunch, SurvivesHostilePrograms) {
  std::string deep = "kernel deep\nparam p0 i32 64\nreg r0 i32 1\n";
  for (int k = 0; k < 60; ++k) deep += fmt::format("%{} = loop i64 i64:9223372036854775807 weak\n", k);
  deep += "store i32 p0[i32:0] i32:1\n";
  for (int k = 60; k-- > 0;) deep += fmt::format("end %{}\n", k);
  const std::string programs[] = {
      deep,
      "kernel far\nparam p0 i32 64\nparam p1 i32 64\n%1 = load i32 p1[i32:2000000000]\nstore i32 p0[i32:0] %1\n",
      "kernel far\nparam p0 i32 64\nparam p1 i32 100000\n%1 = load i32 p1[i32:-1]\nstore i32 p0[i32:0] %1\n",
      "kernel far\nparam p0 i32 64\nparam p1 i32 100000\n%1 = load i32 p1[u64:18446744073709551615]\nstore i32 "
      "p0[i32:0] %1\n",
      "kernel far\nparam p0 i32 64\nparam p1 i32 64\n%1 = load i32 p1[i32:0]\nstore i32 p0[i32:1073000000] %1\n",
      "kernel wild\nparam p0 i32 64\nparam p1 i32 64\nreg r0 i32 8\n%1 = load i32 p1[i32:0]\nstore i32 r0[%1] "
      "i32:0\n"
      "%2 = load i32 r0[%1]\nstore i32 p0[i32:0] %2\n",
      "kernel endless\nparam p0 i32 64\nparam p1 i32 64\ndo %1\n%2 = load i32 p1[i32:0]\n%3 = cmpeq i32 %2 %2\nwhile "
      "%1 %3\n"
      "store i32 p0[i32:0] i32:1\n",
      "kernel long\nparam p0 i32 64\nparam p1 i32 64\n%1 = loop u64 u64:18446744073709551615 weak\nstore i32 p0[i32:0] "
      "i32:1\nend %1\n",
  };
  for (const std::string& text : programs) {
    SCOPED_TRACE(text);
    const Program program = parse(text);
    for (const bool check : {false, true}) {
      const Code code = compile(program, chip().harvesting(), {.check_bounds = check});
      host::EmulatedDevice device;
      host::Chip other(device);
      std::vector<View> views;
      for (const Parameter& p : program.parameters)
        views.push_back({other.allocate(host::Memory::Dram, p.bytes(), kPageBytes), 0, p.bytes()});
      try {
        launch(other, program, code, views, {},
               {.deadline = host::Deadline{3'000'000, std::chrono::milliseconds(100)}});
      } catch (const host::DeviceError& error) {
        EXPECT_NE(std::string(error.what()), "");
      }
    }
  }
}

}  // namespace
}  // namespace kerr::loops::scalar
