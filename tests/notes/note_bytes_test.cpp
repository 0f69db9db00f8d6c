#include "notes/note_bytes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "emu/snapshot/archive.hpp"
#include "image/image.hpp"

namespace kerr::notes {
namespace {

using namespace arch::note;

std::shared_ptr<const image::Image> some_image() {
  image::Image image{.name = "reader", .entry = 0x40};
  image.segments.push_back({.address = 0x40, .load_address = 0x40, .bytes = {1, 2, 3, 4}, .memory_bytes = 8});
  image.segments.back().executable = true;
  image.symbols.push_back({"loop", 0x44, 4, image::Symbol::Kind::Function});
  image.lines.push_back({0x40, "reader.cpp", 7, "main", "tiles.hpp", 9});
  image.comments.push_back({0x44, "waits"});
  image.uses.push_back({image::UseKind::Semaphore, 1});
  return std::make_shared<const image::Image>(std::move(image));
}

Launched some_launch(const std::shared_ptr<const image::Image>& image) {
  Launched out{.id = 5, .program = "sum", .config_begin = 0x8000, .config_end = 0x9000};
  Launched::Kernel kernel{.hart = arch::Hart::Ncrisc, .args_address = 0x8010, .args_words = {3, 4}};
  kernel.code = {.name = "reader", .address = 0x8100, .bytes = 4, .image = image, .image_address = 0x40};
  out.groups.push_back({.cores = {{1, 2}, {2, 2}}, .slots = {0, 1}, .kernels = {kernel}});
  out.circular_buffers.push_back({.id = 2, .address = 0x20000, .bytes = 4096, .pages = 2, .page_bytes = 2048});
  out.semaphores.push_back({0x8400, 1});
  return out;
}

TEST(NoteBytes, EachKeepsItsChip) {
  NoteWriter writer;
  NoteReader reader;
  for (Note note : {Note(Booted{}), Note(Allocated{}), Note(Named{}), Note(Freed{}), Note(Launched{}), Note(Ended{})}) {
    std::visit([](auto& n) { n.chip = 3; }, note);
    EXPECT_EQ(chip_of(reader.note_of(writer.bytes_of(note))), 3) << note.index();
  }
}

TEST(NoteBytes, ALaunchComesBackWithItsImage) {
  NoteWriter writer;
  NoteReader reader;
  const auto image = some_image();
  const Note note = reader.note_of(writer.bytes_of(some_launch(image)));
  const Launched& launch = std::get<Launched>(note);
  EXPECT_EQ(launch.id, 5u);
  EXPECT_EQ(launch.program, "sum");
  ASSERT_EQ(launch.groups.size(), 1u);
  EXPECT_EQ(launch.groups[0].cores, (std::vector<arch::NocCoord>{{1, 2}, {2, 2}}));
  EXPECT_EQ(launch.groups[0].slots, (std::vector<uint32_t>{0, 1}));
  const Launched::Kernel& kernel = launch.groups[0].kernels.at(0);
  EXPECT_EQ(kernel.hart, arch::Hart::Ncrisc);
  EXPECT_EQ(kernel.args_words, (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(kernel.code.address, 0x8100u);
  ASSERT_NE(kernel.code.image, nullptr);
  EXPECT_EQ(kernel.code.image->symbols, image->symbols);
  EXPECT_EQ(kernel.code.image->lines, image->lines);
  EXPECT_EQ(kernel.code.image->comments, image->comments);
  EXPECT_EQ(kernel.code.image->uses, image->uses);
  EXPECT_EQ(kernel.code.image->segments.at(0).bytes, image->segments[0].bytes);
  EXPECT_EQ(launch.circular_buffers.at(0).page_bytes, 2048u);
  EXPECT_EQ(launch.semaphores.at(0).initial, 1u);
  EXPECT_EQ(launch.config_end, 0x9000u);
}

TEST(NoteBytes, AnImageIsWrittenOnceAndReadAsOne) {
  NoteWriter writer;
  NoteReader reader;
  const auto image = some_image();
  const std::vector<uint8_t> first = writer.bytes_of(some_launch(image)), second = writer.bytes_of(some_launch(image));
  EXPECT_LT(second.size() + 100, first.size());
  const auto image_in = [](const Note& note) { return std::get<Launched>(note).groups[0].kernels[0].code.image; };
  const Note a = reader.note_of(first), b = reader.note_of(second);
  EXPECT_EQ(image_in(a), image_in(b));
  NoteReader late;
  EXPECT_THROW(late.note_of(second), emu::SnapshotError) << "it was not there when the image came";
}

TEST(NoteBytes, AllOtherKindsComeBack) {
  NoteWriter writer;
  NoteReader reader;
  const auto again = [&](const Note& note) { return reader.note_of(writer.bytes_of(note)); };
  Booted boot{.tiles = {{1, 2}}};
  boot.firmware[3] = {.name = "trisc1", .address = 0x5A40, .bytes = 64};
  EXPECT_EQ(std::get<Booted>(again(boot)).firmware[3].name, "trisc1");
  const Allocated memory{.id = 1, .space = Allocated::Space::L1, .address = 64, .per_bank = 128, .banks = {{0, 1}}};
  EXPECT_EQ(std::get<Allocated>(again(memory)).per_bank, 128u);
  EXPECT_EQ(std::get<Allocated>(again(memory)).space, Allocated::Space::L1);
  EXPECT_EQ(std::get<Named>(again(Named{1, "weights"})).name, "weights");
  EXPECT_EQ(std::get<Freed>(again(Freed{7})).id, 7u);
  EXPECT_EQ(std::get<Ended>(again(Ended{8})).id, 8u);
}

TEST(NoteBytes, DamagedNotesAreRefusedOrReadAndNothingElseHappens) {
  const auto image = some_image();
  NoteWriter writer;
  const std::vector<uint8_t> good = writer.bytes_of(some_launch(image));
  for (size_t n = 0; n < good.size(); ++n) {
    NoteReader reader;
    EXPECT_THROW(reader.note_of(std::span(good).first(n)), emu::SnapshotError) << n;
  }
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  NoteReader reader;
  EXPECT_THROW(reader.note_of(longer), emu::SnapshotError);
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bad = good;
    for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<uint8_t>(random());
    NoteReader other;
    try {
      static_cast<void>(other.note_of(bad));
    } catch (const emu::SnapshotError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace kerr::notes
