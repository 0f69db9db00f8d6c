#include "prints/device_print.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "emu/machine/machine.hpp"
#include "image/elf/reader.hpp"
#include "image/error.hpp"
#include "isa/assembler.hpp"
#include "prints/printer.hpp"
#include "tests/prints/elf_bytes.hpp"

namespace kerr::prints {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes bytes_of(std::initializer_list<uint32_t> words) {
  Bytes out;
  for (const uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<uint8_t>(word >> 8 * i));
  return out;
}
std::string text(std::string_view format, const Bytes& values) {
  return text_of_device_print(format, values, [](uint32_t address) { return "<" + std::to_string(address) + ">"; });
}

// --- text ---

TEST(DevicePrintText, TakesValuesByTypeInTheOrderOfTheirNumbers) {
  EXPECT_EQ(text("block {0,I} of {1,i}", bytes_of({3, ~0u})), "block 3 of -1");
  EXPECT_EQ(text("{1,B} {0,I:#x} {1,B:3}", Bytes{0x10, 0, 0, 0, 7, 0, 0, 0}), "7 0x10   7");
  EXPECT_EQ(
      text("{0,q} {1,f} {2,h}", Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0xC0, 0x3F, 0xFE, 0xFF}),
      "-1 1.5 -2");
  EXPECT_EQ(text("{0,?}{1,?:>6}", Bytes{1, 0}), "true false");
  EXPECT_EQ(text("{0,w} {1,e} {2,E}", Bytes{0x80, 0x3F, 0x34, 0x12, 2, 1}), "1 bf4(0x1234) bf8(0x0102)");
  EXPECT_EQ(text("{0,s}: {1,p}", bytes_of({9, 0x1234})), "<9>: 0x1234");
  EXPECT_EQ(text("{0,f:.3f}", bytes_of({std::bit_cast<uint32_t>(2.0f)})), "2.000");
}

TEST(DevicePrintText, ShowsEnumerationsWordsAndSlices) {
  EXPECT_EQ(text("{0,/e_I_ns::Color} {1,/E_B_Flags:#}", Bytes{2, 0, 0, 0, 5}), "(ns::Color)2 (Flags)5");
  EXPECT_EQ(text("{0,A}", bytes_of({2u << 16 | 9, 0x10, 0x20})), "0x10 0x20");
  // A row of two bf16 of CB 1: as stock_test.cpp's, and at its end how long the data may be.
  Bytes slice(16 + 4);
  slice[5] = 1, slice[6] = 1, slice[8] = 2, slice[9] = 1, slice[10] = 1, slice[11] = 5, slice[12] = 2, slice[14] = 2;
  slice[15] = 4;
  slice[16] = 0x80, slice[17] = 0x3F, slice[18] = 0x00, slice[19] = 0x40;
  EXPECT_EQ(text("{0,t}|", slice), "1 2|");
}

TEST(DevicePrintText, IsSomeTextForAnyFormatAndValues) {
  EXPECT_EQ(text("{{{0,I}}}", bytes_of({4})), "{4}");
  EXPECT_EQ(text("{0,I} {1,I}", bytes_of({4})), "4 ?");
  EXPECT_EQ(text("{0,Z} {1,I}", bytes_of({4, 5})), "(a value of unknown type 'Z') ?");
  EXPECT_EQ(text("{0,I:q}", bytes_of({4})), "4");
  EXPECT_EQ(text("{0,I:99999999}", bytes_of({4})), "4");
  EXPECT_EQ(text("{0 {,I} {0,", bytes_of({4})), "{0 {,I} {0,");
  std::mt19937 random(3);
  constexpr std::string_view kCharacters = "{}0123456789,:/eE_BIiqQfd?wpstA#<> .x";
  for (int n = 0; n < 20'000; ++n) {
    std::string format;
    for (size_t i = random() % 40; i > 0; --i) format += kCharacters[random() % kCharacters.size()];
    Bytes values(random() % 48);
    for (uint8_t& value : values) value = static_cast<uint8_t>(random());
    text(format, values);
  }
}

// --- files ---

TEST(PrintElfFile, SaysWhatTheOtherReaderSaysOfPrints) {
  const ElfFile file = ElfFile::read(KERR_KERNEL_prints_values);
  const image::Image image = image::read_elf(KERR_KERNEL_prints_values);
  ASSERT_FALSE(image.comments.empty());
  ASSERT_EQ(file.image->comments.size(), image.comments.size());
  for (size_t i = 0; i < image.comments.size(); ++i) {
    EXPECT_EQ(file.image->comments[i].address, image.comments[i].address);
    EXPECT_EQ(file.image->comments[i].text, image.comments[i].text);
    EXPECT_EQ(file.image->word_at(image.comments[i].address), image.word_at(image.comments[i].address));
  }
  EXPECT_TRUE(file.device.empty());
}

TEST(PrintElfFile, HasFormatsOfDevicePrint) {
  const ElfFile file =
      ElfFile::of(elf_bytes(0x8000, Bytes(64), device_sections({{"a {0,I}", "x/reader.cpp", 7}})), "f");
  const auto info = file.device.at(0);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->format, "a {0,I}");
  EXPECT_EQ(info->file, "x/reader.cpp");
  EXPECT_EQ(info->line, 7u);
  EXPECT_FALSE(file.device.at(1));
  EXPECT_FALSE(file.device.string_at(0));
}

TEST(PrintElfFile, IsRefusedWithItsNameIfItIsDamaged) {
  const auto why = [](const std::function<void()>& act) -> std::string {
    try {
      act();
    } catch (const image::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why([] { ElfFile::read("/no/such/file"); }), "/no/such/file: cannot be read: No such file or directory");
  EXPECT_EQ(why([] { ElfFile::read("/"); }), "/: cannot be read: Is a directory");
  EXPECT_EQ(why([] { ElfFile::of(Bytes(100), "text"); }), "text: it is no ELF file");
  const Bytes good = elf_bytes(0x8000, Bytes(64), device_sections({{"a {0,I}", "x/reader.cpp", 7}}));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(why([&] { ElfFile::of(std::span(good).first(size), "cut"); }), "") << size;
  std::mt19937 random(5);
  for (int n = 0; n < 20'000; ++n) {
    Bytes damaged = good;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    why([&] { ElfFile::of(damaged, "damaged").device.at(0); });
  }
}

// --- records ---

constexpr uint32_t header(bool is_kernel, uint32_t hart, uint32_t payload, uint32_t id) {
  return uint32_t{is_kernel} | hart << 1 | payload << 6 | id << 16;
}

class DeviceRecordsOf : public testing::Test {
 protected:
  void add(const std::string& path, const Bytes& code, const std::vector<DeviceFormat>& formats) {
    files_.add(ElfFile::of(elf_bytes(0x8000, code, device_sections(formats)), path));
  }
  void put(size_t at, uint32_t word) { std::memcpy(data_.data() + at, &word, 4); }
  std::vector<std::string> written(uint32_t wpos) {
    std::vector<std::string> out;
    records_.written(
        wpos, data_, l1_, files_,
        [](size_t hart, uint32_t at) { return std::to_string(hart) + "@" + std::to_string(at); },
        [&](const DeviceRecords::Said& said) {
          out.push_back(std::to_string(said.hart) + " " + said.source + ": " + said.text);
        });
    return out;
  }
  using Lines = std::vector<std::string>;
  DeviceFiles files_;
  DeviceRecords records_;
  Bytes data_ = Bytes(device_print::kDataBytes), l1_ = Bytes(0x20000);
};

TEST_F(DeviceRecordsOf, AreShownAsTheyAreWritten) {
  add("k/1/brisc/brisc.elf", Bytes(64), {{"n = {0,I}\n", "reader.cpp", 3}, {"at {0,s}", "reader.cpp", 4}});
  add("k/2/trisc0/trisc0.elf", Bytes(64), {{"unpack", "compute.cpp", 9}});
  EXPECT_EQ(written(0), Lines{}) << "the host has not said that it reads";
  written(stock::kStarting);
  put(0, header(true, 0, 0x3FF, 12));
  put(4, header(true, 0, 4, 0));
  put(8, 42);
  EXPECT_EQ(written(0), Lines{});
  EXPECT_EQ(written(4), Lines{});
  EXPECT_EQ(written(12), Lines{"0 reader.cpp:3: n = 42\n"});
  put(12, header(true, 2, 0, 0));
  put(16, header(true, 0, 4, 1));
  put(20, 0x100);
  EXPECT_EQ(written(24 | device_print::kStalled), (Lines{"2 compute.cpp:9: unpack", "0 reader.cpp:4: at 0@256"}));
  EXPECT_EQ(written(24), Lines{}) << "the host has taken it";
  put(0, header(true, 0, 4, 0));
  put(4, 43);
  EXPECT_EQ(written(0), Lines{}) << "from the front again";
  EXPECT_EQ(written(8), Lines{"0 reader.cpp:3: n = 43\n"});
}

TEST_F(DeviceRecordsOf, SayWhatIsNotKnown) {
  add("k/1/brisc/brisc.elf", Bytes(64), {{"known", "reader.cpp", 3}});
  written(stock::kStarting);
  put(0, header(true, 1, 0x3FF, 12));
  put(4, header(true, 1, 4, 7));
  put(8, 0xAB);
  put(12, header(true, 0, 0, 5));
  put(16, header(false, 0, 0, 0));
  put(20, header(true, 30, 0, 0));
  put(24, header(true, 30, 400, 0));
  EXPECT_EQ(written(28), (Lines{"1 : print 7 of kernel 12: 0xab", "0 : print 5 of kernel 0:",
                                "0 : print 0 of firmware:", "0 : (a print of hart 30, which there is not)",
                                "0 : (the print buffer is damaged: a record does not end in it)"}));
  EXPECT_EQ(written(0x7FFF'FFFF), Lines{});
}

TEST_F(DeviceRecordsOf, TellKernelsOfOneHartByTheirCode) {
  std::mt19937 random(7);
  Bytes one(512), two(512);
  for (size_t i = 0; i < one.size(); ++i)
    one[i] = static_cast<uint8_t>(random()), two[i] = static_cast<uint8_t>(random());
  add("my_firmware/a/brisc.elf", one, {{"one", "one.cpp", 1}});
  add("b/brisc.elf", two, {{"two", "two.cpp", 2}});
  add("firmware/brisc.elf", Bytes(64), {{"firmware", "brisc.cc", 3}});
  std::copy(two.begin(), two.end(), l1_.begin() + 0x9000);
  l1_[0x9004] ^= 1;  // a word that the loader has changed
  written(stock::kStarting);
  put(0, header(true, 0, 0x3FF, 1));
  put(4, header(true, 0, 0, 0));
  put(8, header(false, 0, 0, 0));
  EXPECT_EQ(written(12), (Lines{"0 two.cpp:2: two", "0 brisc.cc:3: firmware"}));
  std::copy(one.begin(), one.end(), l1_.begin() + 0x9000);
  put(12, header(true, 0, 0x3FF, 2));
  put(16, header(true, 0, 0, 0));
  EXPECT_EQ(written(20), Lines{"0 one.cpp:1: one"});
}

TEST_F(DeviceRecordsOf, AreSomeTextForAnyBytes) {
  add("brisc.elf", Bytes(64), {{"{0,I} {1,t} {2,A}", "a", 1}});
  std::mt19937 random(9);
  for (int n = 0; n < 2000; ++n) {
    for (uint8_t& byte : data_) byte = static_cast<uint8_t>(random() % (n % 2 != 0 ? 256 : 4));
    written(stock::kStarting);
    written(0);
    for (int i = 0; i < 4; ++i) written(static_cast<uint32_t>(random() % 1200));
  }
}

// A hart writes a record as tt-metal's kernels do.
TEST(DevicePrints, AreShownWithFileAndLine) {
  isa::Assembler a;
  using namespace isa::reg;
  a.li(t0, stock::kUsualAddress);
  a.sw(zero, t0);
  a.sw(zero, t0, 4);
  for (uint32_t n = 0; n < 3; ++n) {
    a.li(t1, header(true, 0, 4, n % 2));
    a.sw(t1, t0, static_cast<int32_t>(device_print::kData + 8 * n));
    a.li(t1, 100 + n);
    a.sw(t1, t0, static_cast<int32_t>(device_print::kData + 8 * n + 4));
    a.li(t1, 8 * (n + 1));
    a.sw(t1, t0);
  }
  a.j(a.here());
  const isa::Code code = a.finish(0x1'0000);
  std::string shown;
  Printer printer({arch::kP100a}, [&](std::string_view text) { shown += text; });
  printer.add(
      ElfFile::of(elf_bytes(0x1'0000, code.bytes,
                            device_sections({{"even {0,I}", "src/k.cpp", 5}, {"odd {0,I:#x}", "src/k.cpp", 6}})),
                  "brisc.elf"));
  emu::Machine machine({.prints = &printer});
  const auto write = [&](uint32_t address, uint32_t value) {
    uint8_t bytes[4];
    std::memcpy(bytes, &value, 4);
    machine.write_coordinate(0, 1, 2, address, bytes);
  };
  machine.write_coordinate(0, 1, 2, 0x1'0000, code.bytes);
  isa::Assembler jump;
  jump.j(jump.absolute(0x1'0000));
  machine.write_coordinate(0, 1, 2, 0, jump.finish(0).bytes);
  write(stock::kUsualAddress, stock::kStarting);
  write(0xFFB1'21B0, 0x47000);  // BRISC leaves reset
  machine.advance(4096);
  printer.finish();
  std::string without_cycles;
  for (size_t begin = 0, end; (end = shown.find('\n', begin)) != shown.npos; begin = end + 1)
    without_cycles += shown.substr(shown.find(' ', begin) + 1, end - shown.find(' ', begin));
  EXPECT_EQ(without_cycles,
            "(1,2) BRISC k.cpp:5: even 100\n(1,2) BRISC k.cpp:6: odd 0x65\n(1,2) BRISC k.cpp:5: even 102\n");
}

}  // namespace
}  // namespace kerr::prints
