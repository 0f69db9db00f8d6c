// Runs under a debugger, by the protocol and without gdb.
#include <gtest/gtest.h>

#include "jobs/run/code.hpp"
#include "tests/debug/add_one.hpp"

namespace kerr::debug {
namespace {

// NCRISC alone: nobody writes what it waits for.
jobs::RunJob waits_for_ever() {
  jobs::RunJob out = add_one_and_wait();
  out.kernels.erase(out.kernels.begin());
  return out;
}

class Debugged : public testing::TestWithParam<Way> {};

TEST_P(Debugged, StopsAtABreakpointEachTimeAndRunsAsWithoutADebugger) {
  const jobs::RunOutcome plain = undebugged(add_one_and_wait(GetParam()));
  DebuggedJob debugged(add_one_and_wait(GetParam()));
  Client client(debugged.port());
  EXPECT_EQ(client.ask("vAttach;1"), "T05thread:p1.1;");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(packet("Z0,%x,4", begin + 8)), "OK");
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
  const jobs::RunOutcome plain = undebugged(add_one_and_wait(GetParam()));
  DebuggedJob debugged(add_one_and_wait(GetParam()));
  Client client(debugged.port());
  EXPECT_EQ(client.ask("vAttach;2"), "T05thread:p2.1;") << "NCRISC, which only polls the last word";
  const auto numbers = static_cast<uint32_t>(plain.dumps.at(0).address);
  EXPECT_EQ(client.ask(packet("Z2,%x,4", numbers + 60)), "OK");
  EXPECT_EQ(client.ask(packet("m%x,4", numbers + 60)), "00000000");
  EXPECT_EQ(client.ask("vCont;c"), packet("T05thread:p2.1;watch:%x;", numbers + 60));
  EXPECT_EQ(client.ask(packet("m%x,4", numbers + 60)), "01000000") << "it has been written";
  EXPECT_EQ(client.ask(packet("z2,%x,4", numbers + 60)), "OK");
  EXPECT_EQ(client.ask(packet("Z2,%x,4", numbers + 64)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), packet("T05thread:p2.1;watch:%x;", numbers + 64));
  EXPECT_EQ(client.reg(kT1), 7u);
  EXPECT_EQ(client.ask("vCont;c"), "W00;process:2");
  EXPECT_EQ(debugged.outcome().state_hash, plain.state_hash);
}

TEST_P(Debugged, StepsThroughEveryInstructionOfAPollThatIsParked) {
  const jobs::RunOutcome plain = undebugged(add_one_and_wait(GetParam()));
  DebuggedJob debugged(add_one_and_wait(GetParam()));
  Client client(debugged.port());
  EXPECT_EQ(client.ask("vAttach;2"), "T05thread:p2.1;");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(packet("Z1,%x,4", begin + 4)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p2.1;hwbreak:;");
  EXPECT_EQ(client.ask(packet("z1,%x,4", begin + 4)), "OK");
  for (const uint32_t at : {8u, 4u, 8u, 4u}) {
    EXPECT_EQ(client.ask("vCont;s:p2.1;c"), "T05thread:p2.1;");
    EXPECT_EQ(client.reg(kPcRegister), begin + at);
  }
  EXPECT_EQ(client.ask("D;2"), "OK");
  EXPECT_EQ(debugged.outcome().state_hash, plain.state_hash);
}

INSTANTIATE_TEST_SUITE_P(Ways, Debugged, testing::ValuesIn(kWays), [](const auto& way) { return name_of(way.param); });

TEST(Debugger, ChangesWhatItWritesAndNothingElse) {
  const auto numbers = static_cast<uint32_t>(undebugged(add_one_and_wait()).dumps.at(0).address);
  DebuggedJob debugged(add_one_and_wait());
  Client client(debugged.port());
  client.ask("vAttach;1");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(packet("Z0,%x,4", begin + 16)), "OK") << "sw";
  client.ask("vCont;c");
  EXPECT_EQ(client.ask("P7=2a000000"), "OK") << "t2 = 42";
  EXPECT_EQ(client.ask(packet("M%x,4:07000000", numbers + 4)), "OK");
  EXPECT_EQ(client.ask(packet("z0,%x,4", begin + 16)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "W00;process:1");
  const std::vector<std::byte>& bytes = debugged.outcome().dumps.at(0).bytes;
  EXPECT_EQ(static_cast<int>(bytes[0]), 42);
  EXPECT_EQ(static_cast<int>(bytes[4]), 8) << "7 and 1";
  EXPECT_EQ(static_cast<int>(bytes[8]), 1);
}

TEST(Debugger, ReadsRegistersWithoutSideEffectsAndLocalMemory) {
  DebuggedJob debugged(add_one_and_wait());
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
  jobs::RunJob stores = add_one_and_wait();
  stores.kernels.clear();
  stores.kernels.push_back(
      {.image =
           jobs::read_code("addi sp, sp, -16\n li t1, 1\n sw t1, 4(sp)\n nop\n addi sp, sp, 16\n ret\n", "s.s", 0)});
  stores.dumps.clear();
  DebuggedJob debugged(stores);
  Client client(debugged.port());
  client.ask("vAttach;1");
  const uint32_t begin = code_of(client);
  EXPECT_EQ(client.ask(packet("Z0,%x,4", begin + 4)), "OK");
  client.ask("vCont;c");
  const uint32_t sp = client.reg(2);
  EXPECT_EQ(client.ask(packet("M%x,4:00000000", sp + 4)), "OK");
  EXPECT_EQ(client.ask(packet("Z2,%x,4", sp + 4)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), packet("T05thread:p1.1;watch:%x;", sp + 4));
  EXPECT_EQ(client.reg(kPcRegister), begin + 12);
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(debugged.outcome().end, jobs::RunOutcome::End::Finished);
}

TEST(Debugger, InterruptsWhatRunsForEver) {
  jobs::RunJob endless = add_one_and_wait();
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
  client.ask(packet("Z0,%x,4", begin));
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;");
  EXPECT_EQ(client.ask(packet("Pa0=%x", 0)), "E01") << "no such register";
  EXPECT_EQ(client.ask("M" + packet("%x,4:", begin + 4) + "67800000"), "OK") << "ret in place of the jump";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(debugged.outcome().end, jobs::RunOutcome::End::Finished);
}

TEST(Debugger, ShowsWhereARunFaultsOrHangs) {
  for (const char* code : {"lw t0, 2(zero)\n ret\n", "ebreak\n"}) {
    jobs::RunJob ends = add_one_and_wait();
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
    EXPECT_EQ(client.ask("vCont;c"), code[0] == 'l' ? "W01;process:1" : "W03;process:1");
    EXPECT_NE(debugged.outcome().end, jobs::RunOutcome::End::Finished);
  }
}

TEST(Debugger, GoesOnWithoutAClientThatHasGone) {
  const jobs::RunOutcome plain = undebugged(add_one_and_wait());
  DebuggedJob debugged(add_one_and_wait());
  {
    Client client(debugged.port());
    client.ask("vAttach;1");
    client.ask(packet("Z0,%x,4", code_of(client) + 8));
    client.ask("vCont;c");
  }
  EXPECT_EQ(debugged.outcome().state_hash, plain.state_hash);
}

TEST(Debugger, WaitsForTheNextClientWhenOneHasOnlyLooked) {
  DebuggedJob debugged(add_one_and_wait());
  {
    Client client(debugged.port());
    EXPECT_NE(client.ask("qXfer:osdata:read:processes:0,1000").find("(1,2) BRISC"), std::string::npos);
    EXPECT_NE(client.ask("qXfer:osdata:read::0,1000").find("processes"), std::string::npos) << "the tables";
  }
  Client client(debugged.port());
  EXPECT_EQ(client.ask("vAttach;1"), "T05thread:p1.1;");
  EXPECT_EQ(client.ask(packet("Z0,%x,4", code_of(client) + 8)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;");
  EXPECT_EQ(client.ask("D"), "OK");
}

TEST(Debugger, EndsProcessesWithTheStatusOfTheRunAndAnswersThen) {
  DebuggedJob debugged(waits_for_ever());
  Client client(debugged.port());
  client.ask("vAttach;2");
  client.send("vCont;c");
  std::string reply = client.answer();
  while (reply.front() == 'O') reply = client.answer();
  EXPECT_EQ(reply, "T06thread:p2.1;") << "the report has been shown";
  EXPECT_EQ(client.ask("vCont;c"), "W03;process:2");
  EXPECT_EQ(client.ask("qfThreadInfo"), "l");
}

TEST(Debugger, LetsARunThatHangsEndWithoutAClientThatHasGone) {
  DebuggedJob debugged(waits_for_ever());
  {
    Client client(debugged.port());
    client.ask("vAttach;2");
    client.send("vCont;c");
  }
  EXPECT_EQ(debugged.outcome().end, jobs::RunOutcome::End::Deadlocked);
}

TEST(Debugger, RefusesWritesToMemoryThatIsNotTheHartsAndLeavesItAlone) {
  const jobs::RunOutcome plain = undebugged(add_one_and_wait());
  DebuggedJob debugged(add_one_and_wait());
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
