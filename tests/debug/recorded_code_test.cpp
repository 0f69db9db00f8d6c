#include "debug/recorded_code.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "emu/machine/input_log.hpp"
#include "emu/snapshot/archive.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "isa/assembler.hpp"
#include "notes/note_bytes.hpp"
#include "tests/debug/add_one.hpp"

namespace kerr::debug {
namespace {

class RecordedCode : public testing::Test {
 protected:
  RecordedCode() {
    jobs::RunJob job = add_one_and_wait();
    job.observing.recording.log = log_;
    undebugged(std::move(job));
  }
  ~RecordedCode() override { std::filesystem::remove(log_); }

  const std::string log_ = testing::TempDir() + "kerr_recorded_code_" + std::to_string(::getpid()) + ".log";
};

TEST_F(RecordedCode, IsThatOfTheLaunchWhereItLies) {
  const std::vector<Code> code = code_in_log(log_, false, 0);
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].hart, arch::Hart::Brisc);
  EXPECT_EQ(code[1].hart, arch::Hart::Ncrisc);
  EXPECT_EQ(code[0].image->name, "add_one.s");
  const CodePlaces places = code_places();
  ASSERT_NE(code[0].image->symbol("loop"), nullptr);
  EXPECT_EQ(code[0].image->symbol("loop")->address, places.brisc + 8);
  ASSERT_NE(code[1].image->symbol("poll"), nullptr);
  EXPECT_EQ(code[1].image->symbol("poll")->address, places.ncrisc + 4);
  ASSERT_NE(code[0].image->line_at(places.brisc + 8), nullptr);
  EXPECT_EQ(code[0].image->line_at(places.brisc + 8)->line, 5u);
}

TEST_F(RecordedCode, IsThatOfItsChip) {
  host::EmulatedDevice first({.chip = {.boards = {arch::kP100a, arch::kP150}}});
  host::EmulatedDevice second(first, 1);
  emu::InputRecorder recorder(first.machine(), log_);
  notes::NoteWriter writer;
  first.hear_notes([&](const arch::note::Note& note) { recorder.note(writer.bytes_of(note)); });
  int number = 0;
  for (host::PcieDevice* const device : {&first, &second}) {
    host::Chip chip(*device);
    isa::Assembler a;
    a.ret();
    const arch::NocCoord core{12, 2};
    host::Program program("returns");
    program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "code " + std::to_string(number++)),
                       {&core, 1});
    chip.run(program);
  }
  first.hear_notes({});
  recorder.finish();
  const std::vector<Code> code = code_in_log(log_, false, 0);
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].tile.chip, 0);
  EXPECT_EQ(code[0].image->name, "code 0");
  EXPECT_EQ(code[1].tile, emu::TileId::at(1, 12, 2));
  EXPECT_EQ(code[1].image->name, "code 1");
}

TEST_F(RecordedCode, ADamagedLogIsRefused) {
  std::filesystem::resize_file(log_, std::filesystem::file_size(log_) / 2);
  EXPECT_THROW(code_in_log(log_, false, 0), emu::SnapshotError);
}

}  // namespace
}  // namespace kerr::debug
