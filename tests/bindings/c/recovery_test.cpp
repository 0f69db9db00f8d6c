// After a program that faults, hangs or is interrupted the device has been reset, and buffers are where and what they
// were.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "bindings/c/device.hpp"
#include "host/runtime/program/program.hpp"
#include "isa/assembler.hpp"
#include "loops/definition.hpp"
#include "loops/program.hpp"

namespace kerr::c {
namespace {

using namespace isa::reg;
using namespace std::chrono_literals;

struct Opened {
  explicit Opened(emu::Timing timing = emu::Timing::Relaxed) {
    Device::Settings settings;
    settings.spec.emulator.shards = 1;
    settings.spec.emulator.timing = timing;
    device = std::make_shared<Device>(settings);
  }
  ~Opened() {
    Handles::all().drop_all_of(device.get());
    device->close();
  }

  host::Buffer hold(std::vector<std::byte> bytes) {
    std::shared_ptr<BufferObject> made;
    device->call("alloc", [&] {
      made = std::make_shared<BufferObject>(
          BufferObject{device, device->chip().allocate(host::Memory::Dram, bytes.size(), 4096), bytes.size()});
      device->chip().write(made->buffer, bytes);
    });
    Handles::all().put(Kind::Buffer, made, device.get());
    return made->buffer;
  }
  std::vector<std::byte> read(const host::Buffer& buffer, size_t bytes) {
    std::vector<std::byte> out(bytes);
    device->call("read", [&] { device->chip().read(buffer, out); });
    return out;
  }

  /// Runs a program on one core, to which `make` adds instructions; a word of L1 becomes 1 after them.
  template <class Make>
  kerr_category run(Make make, std::optional<std::chrono::milliseconds> limit = std::nullopt) {
    isa::Assembler a;
    make(a);
    a.lw(t0, a0);
    a.li(t1, 1);
    a.sw(t1, t0);
    a.ret();
    const image::Image image = image::Image::from(a.finish(), "kernel");
    try {
      device->call("run", limit, [&] {
        const arch::NocCoord core{1, 2};
        host::Program program("program");
        const uint32_t word = program.add_l1(16);
        program.set_args(program.add_kernel(arch::Hart::Brisc, image, {&core, 1}), core, {word});
        device->chip().io().write32(core, word, 0);
        device->chip().run(program, {uint64_t{1} << 40, 1h});
        EXPECT_EQ(device->chip().io().read32(core, word), 1u);
      });
      return KERR_OK;
    } catch (...) {
      return describe(std::current_exception()).category;
    }
  }

  std::shared_ptr<Device> device;
};

std::vector<std::byte> pattern(size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 7 + i / 256);
  return out;
}

void nothing(isa::Assembler&) {}
void fault(isa::Assembler& a) {
  a.li(t2, 0x00200000);  // nothing is mapped there
  a.lw(t2, t2);
}
void hang(isa::Assembler& a) {  // until a word that stays 0 is not
  a.lw(t2, a0);
  const auto top = a.here();
  a.lw(t1, t2);
  a.beqz(t1, top);
}
void spin(isa::Assembler& a) {  // counts for ever
  a.li(t2, 0);
  const auto top = a.here();
  a.addi(t2, t2, 1);
  a.j(top);
}

class Recovery : public testing::TestWithParam<emu::Timing> {};
INSTANTIATE_TEST_SUITE_P(BothTimings, Recovery, testing::Values(emu::Timing::Relaxed, emu::Timing::Exact),
                         [](const auto& timing) { return timing.param == emu::Timing::Exact ? "Exact" : "Relaxed"; });

// What must hold after each of them.
void check_recovered(Opened& opened, const std::vector<host::Buffer>& buffers, const std::vector<std::byte>& bytes,
                     uint64_t resets) {
  EXPECT_EQ(opened.device->resets(), resets);
  for (const host::Buffer& buffer : buffers) EXPECT_EQ(opened.read(buffer, bytes.size()), bytes);
  const host::Buffer another = opened.hold(std::vector<std::byte>(100));
  for (const host::Buffer& buffer : buffers) EXPECT_NE(another.address(), buffer.address());
  EXPECT_EQ(opened.run(nothing), KERR_OK);
}

TEST_P(Recovery, ComesAfterFaultDeadlockTimeoutAndInterruptAndKeepsBuffers) {
  Opened opened(GetParam());
  EXPECT_EQ(opened.run(nothing), KERR_OK);
  const std::vector<std::byte> bytes = pattern(200'000);
  const std::vector<host::Buffer> buffers = {opened.hold(bytes), opened.hold(bytes)};
  EXPECT_EQ(opened.run(fault), KERR_FAULT);
  check_recovered(opened, buffers, bytes, 1);
  EXPECT_EQ(opened.run(hang), KERR_DEADLOCK);
  check_recovered(opened, buffers, bytes, 2);
  EXPECT_EQ(opened.run(spin, 100ms), KERR_TIMEOUT);
  check_recovered(opened, buffers, bytes, 3);
  std::thread other([&] {
    std::this_thread::sleep_for(100ms);
    opened.device->interrupt();
  });
  EXPECT_EQ(opened.run(spin), KERR_INTERRUPTED);
  other.join();
  check_recovered(opened, buffers, bytes, 4);
}

TEST(Recovery, IsNotMadeForMistakesOfTheCaller) {
  Opened opened;
  EXPECT_THROW(opened.device->call("x", [&] { opened.device->chip().allocate(host::Memory::Dram, 1, 3); }),
               host::DeviceError);
  EXPECT_THROW(opened.device->call("x", [] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_EQ(opened.device->resets(), 0u);
}

TEST(ComparisonWithTheDefinition, NamesTheFirstDifference) {
  Opened opened;
  const loops::Program program = loops::parse(
      "kernel twice\nparam p0 i32 8\n%1 = loop i32 i32:8 weak\n%2 = load i32 p0[%1]\n%3 = add i32 %2 %2\n"
      "store i32 p0[%1] %3\nend %1\n");
  std::vector<std::byte> bytes(32);
  for (size_t i = 0; i < 8; ++i) bytes[4 * i] = static_cast<std::byte>(i);
  const host::Buffer buffer = opened.hold(bytes);
  const loops::View view{buffer, 0, 32};
  const auto compare = [&](std::vector<std::byte> made) -> std::string {
    host::Chip& chip = opened.device->chip();
    chip.write(buffer, bytes);
    try {
      loops::compare_with_definition(chip, program, {&view, 1}, {}, [&] { chip.write(buffer, made); });
      return "";
    } catch (const std::logic_error& error) {
      return error.what();
    }
  };
  std::vector<std::byte> right(32);
  for (size_t i = 0; i < 8; ++i) right[4 * i] = static_cast<std::byte>(2 * i);
  EXPECT_EQ(compare(right), "");
  right[21] = std::byte{1};
  EXPECT_EQ(compare(right),
            "'twice' differs from its definition: p0, element 5, is 0x10a, and must be 0xa (path scalar)");
}

TEST(Reset, KeepsBuffers) {
  Opened opened;
  const std::vector<std::byte> bytes = pattern(300'000);
  const host::Buffer buffer = opened.hold(bytes);
  opened.device->call("reset", [&] { opened.device->reset(); });
  check_recovered(opened, {buffer}, bytes, 1);
}

}  // namespace
}  // namespace kerr::c
