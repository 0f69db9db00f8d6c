#include "tests/debug/add_one.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"

namespace kerr::debug {

namespace {

constexpr const char* kWaits = R"(
        lw   a1, 0(a0)
  poll: lw   t0, 60(a1)
        beqz t0, poll
        li   t1, 7
        sw   t1, 64(a1)
        ret
)";

}  // namespace

std::string add_one_file() { return KERR_SOURCE_DIR "/examples/assembler_text/add_one.s"; }

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string name_of(const Way& way) {
  return std::string(way.timing == emu::Timing::Exact ? "Exact" : "Relaxed") + (way.parking ? "" : "WithoutParking") +
         (way.caches ? "WithCaches" : "");
}

jobs::RunJob add_one_and_wait(const Way& way) {
  jobs::RunJob out;
  out.device.emulator.shards = 1;
  out.device.emulator.timing = way.timing;
  out.device.emulator.parking = way.parking;
  if (way.caches) out.device.emulator.icache = emu::InstructionCaching::Exact;
  out.observing.hash_state = true;
  out.kernels.push_back(
      {.image = jobs::read_code(contents_of(add_one_file()), "add_one.s", 0), .hart = arch::Hart::Brisc});
  out.kernels.back().args = jobs::parse_words("numbers,16");
  out.kernels.push_back({.image = jobs::read_code(kWaits, "wait.s", 0), .hart = arch::Hart::Ncrisc});
  out.kernels.back().args = jobs::parse_words("numbers");
  out.buffers.push_back({.name = "numbers", .bytes = 128});
  out.dumps.push_back(jobs::parse_placed_data("numbers:u32"));
  return out;
}

uint32_t code_of(Client& client) {
  const std::string list = client.ask("qXfer:libraries:read::0,1000");
  const size_t at = list.find("segment address=\"0x");
  EXPECT_NE(at, std::string::npos) << list;
  return at == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(list.substr(at + 17), nullptr, 16));
}

CodePlaces code_places() {
  DebuggedJob debugged(add_one_and_wait());
  Client client(debugged.port());
  CodePlaces places;
  client.ask("vAttach;1");
  places.brisc = code_of(client);
  client.ask("vAttach;2");
  places.ncrisc = code_of(client);
  client.ask("D");
  return places;
}

std::string packet(const char* format, uint32_t value) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}

}  // namespace kerr::debug
