// Runs under a debugger, by the protocol and without gdb.
#include <gtest/gtest.h>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/client.hpp"

namespace kerr::debug {
namespace {

using arch::Hart;

// Adds 1 to `count` words.
constexpr const char* kAddOne = R"(
        lw   t0, 0(a0)
        lw   t1, 4(a0)
  loop: lw   t2, 0(t0)
        addi t2, t2, 1
        sw   t2, 0(t0)
        addi t0, t0, 4
        addi t1, t1, -1
        bnez t1, loop
        ret
)";
constexpr uint32_t kT1 = 6;

struct Way {
  emu::Timing timing;
  bool parking = true;
  bool caches = false;
};

// BRISC adds, NCRISC waits for the last word and then stores a word of its own.
jobs::RunJob job(const Way& way = {emu::Timing::Relaxed}) {
  jobs::RunJob out;
  out.device.emulator.shards = 1;
  out.device.emulator.timing = way.timing;
  out.device.emulator.parking = way.parking;
  if (way.caches) out.device.emulator.icache = emu::InstructionCaching::Exact;
  out.observing.hash_state = true;
  out.kernels.push_back({.image = jobs::read_code(kAddOne, "add_one.s", 0), .hart = Hart::Brisc});
  out.kernels.back().args = jobs::parse_words("numbers,16");
  out.kernels.push_back(
      {.image = jobs::read_code("lw a1, 0(a0)\npoll: lw t0, 60(a1)\n beqz t0, poll\n li t1, 7\n sw t1, 64(a1)\n ret\n",
                                "wait.s", 0),
       .hart = Hart::Ncrisc});
  out.kernels.back().args = jobs::parse_words("numbers");
  out.buffers.push_back({.name = "numbers", .bytes = 128});
  out.dumps.push_back(jobs::parse_placed_data("numbers:u32"));
  return out;
}

// Where the code of a process lies, as `qXfer:libraries` says.
uint32_t code_of(Client& client) {
  const std::string list = client.ask("qXfer:libraries:read::0,1000");
  const size_t at = list.find("segment address=\"0x");
  EXPECT_NE(at, std::string::npos) << list;
  return at == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(list.substr(at + 17), nullptr, 16));
}

std::string text(const char* format, uint32_t value) {
  char out[64];
  std::snprintf(out, sizeof out, format, value);
  return out;
}

class Debugged : public testing::TestWithParam<Way> {};

TEST_P(Debugged, StopsAtABreakpointEachTimeAndRunsAsWithoutADebugger) {
  const jobs::RunOutcome plain = undebugged(job(GetParam()));
  DebuggedJob debugged(job(GetParam()));
  Client client(debugged.port());
  EXPECT_EQ(client.ask("vAttach;1"), "T05thread:p1.1;");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(text("Z0,%x,4", begin + 8)), "OK");
  for (uint32_t left = 16; left > 0; --left) {
    EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;");
    EXPECT_EQ(client.reg(kPcRegister), begin + 8);
    EXPECT_EQ(client.reg(kT1), left);
    EXPECT_EQ(client.ask("vCont;s:p1.1"), "T05thread:p1.1;");
    EXPECT_EQ(client.reg(kPcRegister), begin + 12);
  }
  EXPECT_EQ(client.ask("vCont;c"), "W00;process:1");
  const jobs::RunOutcome& outcome = debugged.outcome();
  EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished);
  EXPECT_EQ(outcome.state_hash, plain.state_hash);
  EXPECT_EQ(outcome.device_cycles, plain.device_cycles);
  EXPECT_EQ(outcome.dumps.at(0).bytes, plain.dumps.at(0).bytes);
}

TEST_P(Debugged, StopsBehindAWriteOfWhatIsWatchedWhoeverWrites) {
  const jobs::RunOutcome plain = undebugged(job(GetParam()));
  DebuggedJob debugged(job(GetParam()));
  Client client(debugged.port());
  EXPECT_EQ(client.ask("vAttach;2"), "T05thread:p2.1;") << "NCRISC, which only polls the last word";
  const auto numbers = static_cast<uint32_t>(plain.dumps.at(0).address);
  EXPECT_EQ(client.ask(text("Z2,%x,4", numbers + 60)), "OK");
  EXPECT_EQ(client.ask(text("m%x,4", numbers + 60)), "00000000");
  EXPECT_EQ(client.ask("vCont;c"), text("T05thread:p2.1;watch:%x;", numbers + 60));
  EXPECT_EQ(client.ask(text("m%x,4", numbers + 60)), "01000000") << "it has been written";
  EXPECT_EQ(client.ask(text("z2,%x,4", numbers + 60)), "OK");
  EXPECT_EQ(client.ask(text("Z2,%x,4", numbers + 64)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), text("T05thread:p2.1;watch:%x;", numbers + 64));
  EXPECT_EQ(client.reg(kT1), 7u);
  EXPECT_EQ(client.ask("vCont;c"), "W00;process:2");
  EXPECT_EQ(debugged.outcome().state_hash, plain.state_hash);
}

TEST_P(Debugged, StepsThroughEveryInstructionOfAPollThatIsParked) {
  const jobs::RunOutcome plain = undebugged(job(GetParam()));
  DebuggedJob debugged(job(GetParam()));
  Client client(debugged.port());
  EXPECT_EQ(client.ask("vAttach;2"), "T05thread:p2.1;");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(text("Z1,%x,4", begin + 4)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p2.1;hwbreak:;");
  EXPECT_EQ(client.ask(text("z1,%x,4", begin + 4)), "OK");
  for (const uint32_t at : {8u, 4u, 8u, 4u}) {
    EXPECT_EQ(client.ask("vCont;s:p2.1;c"), "T05thread:p2.1;");
    EXPECT_EQ(client.reg(kPcRegister), begin + at);
  }
  EXPECT_EQ(client.ask("D;2"), "OK");
  EXPECT_EQ(debugged.outcome().state_hash, plain.state_hash);
}

INSTANTIATE_TEST_SUITE_P(Ways, Debugged,
                         testing::Values(Way{emu::Timing::Relaxed}, Way{emu::Timing::Exact},
                                         Way{emu::Timing::Relaxed, false}, Way{emu::Timing::Relaxed, true, true}),
                         [](const auto& way) {
                           return std::string(way.param.timing == emu::Timing::Exact ? "Exact" : "Relaxed") +
                                  (way.param.parking ? "" : "WithoutParking") + (way.param.caches ? "WithCaches" : "");
                         });

TEST(Debugger, ChangesWhatItWritesAndNothingElse) {
  const auto numbers = static_cast<uint32_t>(undebugged(job()).dumps.at(0).address);
  DebuggedJob debugged(job());
  Client client(debugged.port());
  client.ask("vAttach;1");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(text("Z0,%x,4", begin + 16)), "OK") << "sw";
  client.ask("vCont;c");
  EXPECT_EQ(client.ask("P7=2a000000"), "OK") << "t2 = 42";
  EXPECT_EQ(client.ask(text("M%x,4:07000000", numbers + 4)), "OK");
  EXPECT_EQ(client.ask(text("z0,%x,4", begin + 16)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "W00;process:1");
  const std::vector<std::byte>& bytes = debugged.outcome().dumps.at(0).bytes;
  EXPECT_EQ(static_cast<int>(bytes[0]), 42);
  EXPECT_EQ(static_cast<int>(bytes[4]), 8) << "7 and 1";
  EXPECT_EQ(static_cast<int>(bytes[8]), 1);
}

TEST(Debugger, ReadsRegistersWithoutSideEffectsAndLocalMemory) {
  DebuggedJob debugged(job());
  Client client(debugged.port());
  client.ask("vAttach;1");
  EXPECT_EQ(client.ask("mffb00000,4").size(), 8u) << "the bottom of BRISC's local memory";
  EXPECT_EQ(client.ask("mffb02000,4"), "E01") << "behind its end";
  EXPECT_EQ(client.ask("m180000,4"), "E01") << "behind L1";
  EXPECT_EQ(client.ask("m17fffe,4").size(), 4u) << "as far as it goes";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(debugged.outcome().end, jobs::RunOutcome::End::Finished);
}

TEST(Debugger, WatchesLocalMemory) {
  jobs::RunJob stores = job();
  stores.kernels.clear();
  stores.kernels.push_back(
      {.image =
           jobs::read_code("addi sp, sp, -16\n li t1, 1\n sw t1, 4(sp)\n nop\n addi sp, sp, 16\n ret\n", "s.s", 0)});
  stores.dumps.clear();
  DebuggedJob debugged(stores);
  Client client(debugged.port());
  client.ask("vAttach;1");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(text("Z0,%x,4", begin + 4)), "OK");
  client.ask("vCont;c");
  const uint32_t sp = client.reg(2);
  EXPECT_EQ(client.ask(text("M%x,4:00000000", sp + 4)), "OK");
  EXPECT_EQ(client.ask(text("Z2,%x,4", sp + 4)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), text("T05thread:p1.1;watch:%x;", sp + 4));
  EXPECT_EQ(client.reg(kPcRegister), begin + 12);
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(debugged.outcome().end, jobs::RunOutcome::End::Finished);
}

TEST(Debugger, InterruptsWhatRunsForEver) {
  jobs::RunJob endless = job();
  endless.kernels.resize(1);
  endless.kernels[0] = {.image = jobs::read_code("loop: addi t0, t0, 1\n j loop\n", "endless.s", 0)};
  endless.cycles = 100'000'000'000;
  DebuggedJob debugged(endless);
  Client client(debugged.port());
  client.ask("vAttach;1");
  const uint32_t begin = code_of(client);
  client.send("vCont;c");
  client.interrupt();
  EXPECT_EQ(client.answer(), "T02thread:p1.1;");
  client.ask(text("Z0,%x,4", begin));
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;");
  EXPECT_EQ(client.ask(text("Pa0=%x", 0)), "E01") << "no such register";
  EXPECT_EQ(client.ask("M" + text("%x,4:", begin + 4) + "67800000"), "OK") << "ret in place of the jump";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(debugged.outcome().end, jobs::RunOutcome::End::Finished);
}

TEST(Debugger, ShowsWhereARunFaultsOrHangs) {
  for (const char* code : {"lw t0, 2(zero)\n ret\n", "ebreak\n"}) {
    jobs::RunJob ends = job();
    ends.kernels.resize(1);
    ends.kernels[0] = {.image = jobs::read_code(code, "ends.s", 0)};
    DebuggedJob debugged(ends);
    Client client(debugged.port());
    client.ask("vAttach;1");
    const uint32_t begin = code_of(client);
    EXPECT_EQ(client.ask("vCont;c"), std::string(code[0] == 'l' ? "T04" : "T05") + "thread:p1.1;");
    EXPECT_EQ(client.reg(kPcRegister), begin);
    client.send("vCont;c");
    std::string last;
    for (std::string reply = client.answer(); reply.front() == 'O'; reply = client.answer()) last = reply;
    EXPECT_NE(last, "") << "the report";
    EXPECT_EQ(client.ask("vCont;c"), "W00;process:1");
    EXPECT_NE(debugged.outcome().end, jobs::RunOutcome::End::Finished);
  }
}

TEST(Debugger, GoesOnWithoutAClientThatHasGone) {
  const jobs::RunOutcome plain = undebugged(job());
  DebuggedJob debugged(job());
  {
    Client client(debugged.port());
    client.ask("vAttach;1");
    client.ask(text("Z0,%x,4", code_of(client) + 8));
    client.ask("vCont;c");
  }
  EXPECT_EQ(debugged.outcome().state_hash, plain.state_hash);
}

TEST(Debugger, LetsARunThatHangsEndWithoutAClientThatHasGone) {
  jobs::RunJob hangs = job();
  hangs.kernels.erase(hangs.kernels.begin());
  DebuggedJob debugged(hangs);
  {
    Client client(debugged.port());
    client.ask("vAttach;2");
    client.send("vCont;c");
  }
  EXPECT_EQ(debugged.outcome().end, jobs::RunOutcome::End::Deadlocked);
}

TEST(Debugger, RefusesWritesToMemoryThatIsNotTheHartsAndLeavesItAlone) {
  const jobs::RunOutcome plain = undebugged(job());
  DebuggedJob debugged(job());
  Client client(debugged.port());
  client.ask("vAttach;1");
  EXPECT_EQ(client.ask("Mffb02000,4:01000000"), "E01") << "behind BRISC's local memory";
  EXPECT_EQ(client.ask("Mffb01ffe,4:01000000"), "E01") << "partly";
  EXPECT_EQ(client.ask("M17fffe,4:01000000"), "E01") << "the end of L1";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(debugged.outcome().state_hash, plain.state_hash);
}

}  // namespace
}  // namespace kerr::debug
