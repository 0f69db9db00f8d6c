// Dialogues with gdb-multiarch about a recorded run of two chips, whose kernels lie at the same places.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "debug/recorded_code.hpp"
#include "debug/rewinder.hpp"
#include "emu/machine/input_log.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "jobs/run/code.hpp"
#include "notes/note_bytes.hpp"
#include "tests/debug/dialogue.hpp"

namespace kerr::debug {
namespace {

// Stores numbers to two words; that of the second chip then waits for what nobody brings.
constexpr const char* kFirst = R"(
        lw   t0, 0(a0)
        li   t1, 7
  store: sw  t1, 0(t0)
        sw   t1, 4(t0)
        ret
)";
constexpr const char* kSecond = R"(
        lw   t0, 0(a0)
        li   t1, 9
  store: sw  t1, 0(t0)
        sw   t1, 4(t0)
  poll: lw   t2, 8(t0)
        beqz t2, poll
        ret
)";

class GdbOnTwoChips : public Dialogue {
 protected:
  GdbOnTwoChips() {
    host::EmulatedDevice first({.chip = {.boards = {arch::kP100a, arch::kP100a}}}), second(first, 1);
    emu::InputRecorder recorder(first.machine(), log_);
    notes::NoteWriter writer;
    first.hear_notes([&](const arch::note::Note& note) { recorder.note(writer.bytes_of(note)); });
    host::Chip a(first), b(second);
    start(a, "first.s", kFirst);
    EXPECT_THROW(start(b, "second.s", kSecond), host::DeviceError);
    first.hear_notes({});
    recorder.finish();
  }
  ~GdbOnTwoChips() override { std::filesystem::remove(log_); }

  void talk(const std::vector<Line>& lines) {
    GdbServer server(0);
    std::string error;
    std::thread thread([&] {
      try {
        emu::Options options = emu::read_log_info(log_).machine.options();
        options.shards = 1;
        emu::Machine machine(options);
        notes::ReplayedNotes notes([&](const arch::note::Note& note, emu::Cycle cycle) { server.noted(note, cycle); });
        Rewinder(machine, log_, false, server, &notes).run({.code = code_in_log(log_, false, 0), .begin = 0});
        server.end();
      } catch (const std::exception& thrown) {
        error = thrown.what();
      }
    });
    say(server.port(), lines);
    thread.join();
    EXPECT_EQ(error, "");
  }

 private:
  static void start(host::Chip& chip, const std::string& name, const char* text) {
    const arch::NocCoord core{1, 2};
    host::Program program("stores");
    const uint32_t words = program.add_l1(16);
    const auto kernel = program.add_kernel(arch::Hart::Brisc, jobs::read_code(text, name, 0), {&core, 1});
    program.set_args(kernel, core, {words});
    chip.run(program);
  }

  const std::string log_ = testing::TempDir() + "kerr_two_chips_" + std::to_string(::getpid()) + ".log";
};

TEST_F(GdbOnTwoChips, AttachesToAHartOfTheSecondAndWatchesItsMemory) {
  talk({{"info os processes", {"1 chip 0 (1,2) BRISC", "first.s", "961 chip 1 (1,2) BRISC", "second.s"}},
        {"attach 961"},
        {"break store", {"Breakpoint 1"}},
        {"continue", {"Breakpoint 1, store ()", "second.s"}},
        {"print $t1", {"= 9"}},
        {"watch -location *(int*)$t0", {"Hardware watchpoint 2"}},
        {"delete 1"},
        {"reverse-continue", {"No more reverse-execution history"}},
        {"continue", {"Hardware watchpoint 2", "New value = 9"}},
        {"monitor who", {"chip 1 (1,2) BRISC: ", "second.s: store"}},
        {"delete"},
        {"continue", {"No more reverse-execution history"}},
        {"monitor where", {"chip 1 (1,2) BRISC: polling", "second.s: poll"}},
        {"monitor waits", {"chip 1 Tensix tile (1,2), raw (1,2)"}},
        // Its launch has the number of the first chip's, which has ended.
        {"monitor why", {"chip 1 (1,2) BRISC", "second.s"}},
        {"monitor waits all", {"chip 0 Tensix tile (1,2)", "chip 1 Tensix tile (1,2), raw (1,2)", "BRISC polling"}},
        {"reverse-stepi"},
        {"monitor where", {"chip 1 (1,2) BRISC"}}});
}

TEST_F(GdbOnTwoChips, WatchesTheFirstAlone) {
  talk({{"attach 1"},
        {"break store", {"Breakpoint 1"}},
        {"continue", {"Breakpoint 1, store ()", "first.s"}},
        {"watch -location *(int*)$t0"},
        {"delete 1"},
        {"continue", {"Hardware watchpoint 2", "New value = 7"}},
        {"continue", {"No more reverse-execution history"}}});
}

}  // namespace
}  // namespace kerr::debug
