#include <stdexcept>
#include <string>
#include <string_view>

#include "graph/npy/header.hpp"
#include "jobs/run/buffers.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/cores.hpp"
#include "jobs/run/places.hpp"
#include "jobs/run/program_file.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {

namespace {

using std::string_view_literals::operator""sv;

// What a program file is made of, so that random bytes come to be one.
constexpr std::string_view kPieces[] = {
    "[[kernel]]\n"sv,
    "[[circular_buffer]]\n"sv,
    "[[l1]]\n"sv,
    "[[dram]]\n"sv,
    "[kernel]\n"sv,
    "\n"sv,
    ","sv,
    "["sv,
    "]"sv,
    "{"sv,
    "}"sv,
    "="sv,
    "\""sv,
    "'"sv,
    "file = \"a.s\"\n"sv,
    "file = \"a.bin\"\n"sv,
    "file = \"nosuch\"\n"sv,
    "hart = \"trisc1\"\n"sv,
    "cores = \"1-4,2-3\"\n"sv,
    "cores = [\"1,2\", \"all\"]\n"sv,
    "args = [\"x\", \"x+4\", 1, -1, 1.5]\n"sv,
    "common_args = [0xFFFFFFFF]\n"sv,
    "core_args = { \"1,2\" = [1] }\n"sv,
    "noc = 1\n"sv,
    "base = 0x400\n"sv,
    "bare = true\n"sv,
    "cycles = 100\n"sv,
    "semaphores = [0, 1]\n"sv,
    "id = 3\n"sv,
    "pages = 2\n"sv,
    "page_bytes = 64\n"sv,
    "name = \"x\"\n"sv,
    "bytes = 64\n"sv,
    "format = \"bf16\"\n"sv,
    "format = \"u8\"\n"sv,
    "values = [1, 2.5, -3]\n"sv,
    "data = \"a.npy\"\n"sv,
    "data = \"a.bin\"\n"sv,
    "load = [\"l1:0x40000:bf16=a.npy\"]\n"sv,
    "dump = [\"reg\", \"x:i16=y.npy\", \"dram@3:0x40+8\"]\n"sv,
    "kernel = ["sv,
    "9223372036854775807"sv,
    "-1"sv,
    "1e999"sv,
    "nan"sv,
    "1979-05-27"sv,
    "true"sv,
    "x.y.z = 1\n"sv,
    "\"\"\"\n"sv,
    "# remark\n"sv,
    "\0"sv,
    "\xFF"sv,
};

std::string files(const std::string& path) {
  if (path.ends_with(".s")) return "nop\nret\n";
  if (path.ends_with(".bin")) return std::string("\x13\0\0\0\x67\x80\0\0", 8);
  if (path.ends_with(".npy")) {
    const graph::npy::Header header{.type = {.kind = graph::npy::Type::Kind::Signed, .bytes = 1}, .shape = {4}};
    return graph::npy::head_of_file(header) + "\x01\x02\xFF\x7F";
  }
  throw std::invalid_argument("there is no '" + path + "'");
}

uint64_t summary(const jobs::RunJob& job) {
  uint64_t hash = job.name.size() * 31 + job.kernels.size();
  require(!job.kernels.empty(), "a program runs something");
  for (const jobs::RunKernel& kernel : job.kernels)
    hash = hash * 31 + kernel.args.size() + kernel.image.segments.at(0).bytes.size();
  for (const jobs::RunBuffer& buffer : job.buffers) {
    require(buffer.data.size() <= buffer.bytes, "a buffer has room for its data");
    hash = hash * 31 + buffer.bytes;
  }
  return hash * 31 + job.dumps.size() + job.loads.size();
}

template <class Parse>
uint64_t tried(Parse&& parse) {
  try {
    return parse();
  } catch (const std::runtime_error& error) {  // code that is none
    return std::string_view(error.what()).size();
  } catch (const std::invalid_argument& error) {
    return std::string_view(error.what()).size();
  }
}

}  // namespace

uint64_t fuzz_program(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const uint32_t kind = in.byte();
  std::string text(in.text());
  if (kind % 2 == 0) {
    text.clear();
    while (!in.empty()) text += kPieces[in.byte() % std::size(kPieces)];
  }
  uint64_t hash = tried([&] { return summary(jobs::read_program_file(text, "folder/run.toml", files)); });
  hash = hash * 31 + tried([&] { return jobs::parse_placed_data(text).file.size(); });
  hash = hash * 31 + tried([&] { return jobs::parse_words(text).size(); });
  hash = hash * 31 + tried([&] { return jobs::Cores(text).among({}).size(); });
  hash = hash * 31 + tried([&] { return jobs::parse_circular_buffer(text).pages; });
  hash = hash * 31 + tried([&] { return jobs::parse_buffer(text, host::Memory::L1).buffer.bytes; });
  hash = hash * 31 + tried([&] { return jobs::parse_buffer(text, host::Memory::Dram).buffer.bytes; });
  return hash * 31 + tried([&] { return jobs::read_code(text, "code", 0).segments.at(0).bytes.size(); });
}

}  // namespace kerr::fuzz
