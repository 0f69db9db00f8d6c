// A loop program: as bytes, of pieces of lines, or a good one that is damaged. What can be read is printed, read again,
// run, and compiled for harts and for tiles.
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "arch/boards.hpp"
#include "loops/interpret.hpp"
#include "loops/program.hpp"
#include "loops/scalar/compile.hpp"
#include "loops/scalar/hoist.hpp"
#include "loops/tiles/choose.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/loops/random_programs.hpp"
#include "tests/loops/tiles/random_contractions.hpp"

namespace kerr::fuzz {

namespace {

// Pieces of lines that make more sense together than bytes do.
constexpr std::string_view kPieces[] = {"\n",
                                        "\n%0 = ",
                                        "\n%1 = ",
                                        "\n%2 = ",
                                        "\n%3 = ",
                                        "\n%x = ",
                                        "\nstore ",
                                        "\nif ",
                                        "\nendif",
                                        "\ndo %4",
                                        "\nwhile",
                                        "\nend ",
                                        "\nend %1",
                                        " %0",
                                        " %1",
                                        " %2",
                                        " %3",
                                        " %x",
                                        " %4",
                                        "loop ",
                                        "load ",
                                        "cast ",
                                        "bitcast ",
                                        "pack ",
                                        "lane ",
                                        "add ",
                                        "max ",
                                        "cdiv ",
                                        "shl ",
                                        "cmplt ",
                                        "where ",
                                        "fdiv ",
                                        "exp2 ",
                                        "sin ",
                                        "threefry ",
                                        "bool",
                                        "i8",
                                        "u16",
                                        "i32",
                                        "i64",
                                        "u64",
                                        "f16",
                                        "bf16",
                                        "f32",
                                        "f64",
                                        "f32x4",
                                        "i32x2",
                                        "boolx2",
                                        " weak",
                                        " reduce",
                                        " i32:0",
                                        " i32:3",
                                        " i32:-1",
                                        " i64:9",
                                        " f32:1.5",
                                        " f32:nan",
                                        " f16:-inf",
                                        " bool:True",
                                        " bool:False",
                                        " u64:7",
                                        " p0[",
                                        " p1[",
                                        " r0[",
                                        "]",
                                        "~i16[",
                                        "]~i64",
                                        "p0[%1]",
                                        "p0[i32:2]",
                                        "r0[i32:0]",
                                        " p0~u8[%1]",
                                        "i32 i32:5 weak",
                                        "f32 p0[%1] ",
                                        "\nparam p3 i8 9",
                                        "\nreg r3 f64 2",
                                        "\nvar %v i32 n -3 5",
                                        " %v",
                                        "#",
                                        "\r",
                                        "\t",
                                        " "};

std::string of_pieces(Input& in) {
  std::string text =
      "kernel k\nparam p0 f32 64\nparam p1 i32 40\nreg r0 f32 4\n%1 = loop i32 i32:5 weak\n%2 = load f32 p0[%1]\n";
  while (!in.empty()) text += kPieces[in.byte() % std::size(kPieces)];
  return text + "\nend %1\n";
}

// Bytes or words of it are changed, left out, or said twice.
std::string damaged(Input& in) {
  loops::Random random(in.half());
  const uint32_t kind = in.below(4);
  std::string text = kind == 3       ? loops::random_contraction(random, {.most_products = 5000}).text
                     : kind % 2 == 0 ? loops::random_expression(random, {.most_levels = 4}).text
                                     : loops::random_nest(random, {.most_lines = 2000}).text;
  while (!in.empty()) {
    const uint32_t at = in.half() % static_cast<uint32_t>(text.size());
    switch (in.below(5)) {
      case 0: text[at] = static_cast<char>(in.byte()); break;
      case 1: text.erase(at, 1 + in.below(8)); break;
      case 2: text.insert(at, kPieces[in.byte() % std::size(kPieces)]); break;
      case 3: text[at] = text[in.half() % text.size()]; break;
      default: text.insert(at, text.substr(in.half() % text.size(), in.byte()).substr(0, 60)); break;
    }
    if (text.empty()) return text;
  }
  return text;
}

// A program that does nothing wrong does nothing wrong and stores the same when its reductions have been moved.
void check_moved(const loops::Program& program, const std::vector<int64_t>& numbers,
                 const std::vector<std::vector<std::byte>>& expected) {
  const auto hoisted = loops::scalar::hoist(program, loops::scalar::usual_facts(program).object);
  if (!hoisted) return;
  std::vector<std::vector<std::byte>> memories;
  std::vector<std::span<std::byte>> buffers;
  for (const loops::Parameter& p : program.parameters) memories.emplace_back(p.bytes(), std::byte{0x3F});
  for (auto& memory : memories) buffers.push_back(memory);
  try {
    loops::interpret(hoisted->program, buffers, numbers, {.max_steps = 200'000});
  } catch (const loops::RunError& error) {
    require(std::string_view(error.what()).find("lines were executed") != std::string_view::npos,
            "what was moved accesses nothing else");
    return;
  }
  require(memories == expected, "what was moved gives the same");
}

// A variable's ends by turns.
std::vector<int64_t> numbers_of(const loops::Program& program) {
  std::vector<int64_t> numbers;
  for (const loops::Variable& v : program.variables) numbers.push_back(numbers.size() % 2 == 0 ? v.max : v.min);
  return numbers;
}

// Code for harts, of one kind of buffers and checks or another, and a way by tiles, which is all that a launch decides
// before it needs a device. Each is there, or a sentence why it is not. `choice`: any bits.
uint64_t compile(const loops::Program& program, uint64_t choice) {
  loops::CompileOptions options{.path = loops::Path::Tiles, .check_bounds = choice % 2 != 0};
  if (choice % 4 >= 2) options.math = loops::Math::Exact;
  loops::scalar::Facts facts = loops::scalar::usual_facts(program);
  for (size_t p = 0; p < facts.object.size(); ++p) {
    if (choice % 8 >= 4) facts.object[p] = 0;
    if (choice % 16 >= 8) facts.misaligned[p] = true;
  }
  uint64_t hash = 0;
  try {
    const loops::scalar::Code code = loops::scalar::compile(program, arch::kP100a.harvesting, options, facts);
    hash = loops::scalar::explain(program, code).size();
  } catch (const std::invalid_argument& error) {
    hash = std::string_view(error.what()).size();
    require(hash != 0, "what no hart can run is told in a sentence");
  }
  loops::tiles::Choices choices(program, arch::kP100a.harvesting, options);
  const auto made = choices.of(numbers_of(program));
  require(made->plan || !made->why.empty(), "a sentence says why there are no tiles");
  return hash * 31 + (made->plan ? made->plan->explain() : made->why).size() + choices.explain().size();
}

uint64_t run(const loops::Program& program) {
  constexpr uint64_t kMostBytes = 1 << 20;
  std::vector<std::vector<std::byte>> memories;
  std::vector<std::span<std::byte>> buffers;
  uint64_t bytes = 0;
  for (const loops::Parameter& p : program.parameters) bytes += p.bytes();
  if (bytes > kMostBytes) return 0;
  for (const loops::Parameter& p : program.parameters) memories.emplace_back(p.bytes(), std::byte{0x3F});
  for (auto& memory : memories) buffers.push_back(memory);
  const std::vector<int64_t> numbers = numbers_of(program);
  uint64_t hash = 0;
  try {
    hash = loops::interpret(program, buffers, numbers, {.max_steps = 20'000});
    check_moved(program, numbers, memories);
  } catch (const loops::RunError& error) {
    hash = std::string_view(error.what()).size();
  }
  for (const auto& memory : memories)
    for (const std::byte b : memory) hash = hash * 31 + static_cast<uint64_t>(b);
  return hash;
}

}  // namespace

uint64_t fuzz_loops(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const uint32_t way = in.below(4);
  const std::string text = way == 0 ? std::string(in.text()) : way == 1 ? of_pieces(in) : damaged(in);
  try {
    const loops::Program program = loops::parse(text);
    const std::string printed = loops::print(program);
    require(loops::print(loops::parse(printed)) == printed, "a program is read as it is printed");
    return run(program) + compile(program, std::hash<std::string_view>()(printed)) + printed.size();
  } catch (const loops::ProgramError& error) {
    const std::string_view sentence = error.what();
    require(error.line != 0 && error.column != 0, "a refusal has its place");
    require(sentence.find('\0') == std::string_view::npos && sentence.find('\x1b') == std::string_view::npos,
            "a refusal that is no sentence");
    return sentence.size();
  }
}

}  // namespace kerr::fuzz
