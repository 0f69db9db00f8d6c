// Dialogues with gdb-multiarch about what the host writes, forwards and backwards.
#include <gtest/gtest.h>

#include "arch/firmware_layout.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/add_one.hpp"
#include "tests/debug/dialogue.hpp"
#include "tests/debug/gdb.hpp"

namespace kerr::debug {
namespace {

constexpr const char* kGo = "*(unsigned*)0x370";  // the message by which the host starts a program
static_assert(arch::kFwB.go_messages == 0x370);

class GdbHost : public Dialogue {
 protected:
  static jobs::RunJob of(emu::Timing timing) {
    jobs::RunJob job = add_one();
    job.device.emulator.timing = timing;
    return job;
  }
  // A buffer in DRAM, which the host fills before the code runs.
  static jobs::RunJob with_dram() {
    jobs::RunJob job = add_one();
    job.buffers.push_back({.name = "data",
                           .memory = host::Memory::Dram,
                           .bytes = 64,
                           .page_bytes = 64,
                           .data = std::vector<std::byte>(64, std::byte{0x2A})});
    return job;
  }
};

TEST_F(GdbHost, StopsARunWhereTheHostWrites) {
  for (const emu::Timing timing : {emu::Timing::Relaxed, emu::Timing::Exact}) {
    const jobs::RunJob job = of(timing);
    const jobs::RunOutcome outcome = talk(job, {{"attach 1"},
                                                {std::string("watch ") + kGo, {"ardware watchpoint 1"}},
                                                {"continue", {"ardware watchpoint 1", "New value = "}},
                                                {"monitor who", {"the host writes, at"}},
                                                {"continue", {"ardware watchpoint 1", "New value = 0"}},
                                                {"monitor who", {"(1,2) BRISC"}},
                                                {"continue", {"exited normally"}}});
    EXPECT_EQ(outcome.state_hash, undebugged(job).state_hash) << "standing in the host's call changes nothing";
  }
}

TEST_F(GdbHost, GoesBackOverTheHostsWriteAndForwardsAgain) {
  for (const emu::Timing timing : {emu::Timing::Relaxed, emu::Timing::Exact}) {
    RecordedJob recorded(of(timing), true);
    say(recorded.port(), {{"attach 1"},
                          {"continue", {"No more reverse-execution history"}},
                          {std::string("watch ") + kGo, {"ardware watchpoint 1"}},
                          {"reverse-continue", {"ardware watchpoint 1", "Old value = 0"}},
                          {"monitor who", {"(1,2) BRISC"}},
                          {"reverse-continue", {"ardware watchpoint 1", "Old value = "}},
                          {"monitor who", {"the host writes, at"}},
                          {"continue", {"ardware watchpoint 1", "New value = "}},
                          {"monitor who", {"the host writes, at"}},
                          {"reverse-continue", {"ardware watchpoint 1"}},
                          {"monitor who", {"the host writes, at"}},
                          {"continue"},
                          {"continue", {"ardware watchpoint 1", "New value = 0"}},
                          {"monitor who", {"(1,2) BRISC"}}});
    recorded.state_hash();
  }
}

// The firmware of BRISC lets the other harts go, by the register by which the host has let it go.
TEST_F(GdbHost, FindsWhatTheHostWroteToDramAndToARegister) {
  jobs::RunJob job = with_dram();
  job.dumps.push_back(jobs::parse_placed_data("data:u32"));
  const std::string dram = std::to_string(0x8000'0000 + undebugged(job).dumps.back().address);
  RecordedJob recorded(job, true);
  say(recorded.port(), {{"attach 1"},
                        {"continue", {"No more reverse-execution history"}},
                        {"print/x *(unsigned*)" + dram, {"0x2a2a2a2a"}},
                        {"watch *(unsigned*)" + dram, {"ardware watchpoint 1"}},
                        {"reverse-continue", {"ardware watchpoint 1", "Old value = 707406378", "New value = 0"}},
                        {"monitor who", {"the host writes, at"}},
                        {"delete"},
                        {"watch *(unsigned*)0xffb121b0", {"ardware watchpoint 2"}},
                        {"reverse-continue", {"ardware watchpoint 2"}},
                        {"monitor who", {"(1,2) BRISC"}},
                        {"reverse-continue", {"ardware watchpoint 2"}},
                        {"monitor who", {"the host writes, at"}}});
  recorded.state_hash();
}

}  // namespace
}  // namespace kerr::debug
