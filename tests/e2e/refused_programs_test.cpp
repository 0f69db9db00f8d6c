// Programs that kernels::CheckedProgram refuses, each run all the same on the emulator: what it refuses really hangs or
// corrupts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/multicast.hpp"
#include "kernels/elementwise/streams.hpp"
#include "kernels/stream/checked_program.hpp"

namespace kerr {
namespace {

using namespace isa::reg;
using arch::Hart;
using kernels::CheckedProgram;
using kernels::DataflowBuffer;
using kernels::DramTiles;
using kernels::Stream;

constexpr arch::NocCoord kCore{1, 2};
constexpr uint32_t kTile = 2048;

class RefusedPrograms : public testing::Test {
 protected:
  static constexpr uint32_t kTiles = 4;

  // A program with one circular buffer, 0, and `behind` bytes of L1 that belong to somebody else.
  CheckedProgram program(uint32_t pages, uint32_t page_bytes = kTile, uint32_t behind = 0) {
    CheckedProgram made("bad", chip_.layout());
    made->add_circular_buffer({.id = 0, .pages = pages, .page_bytes = page_bytes});
    if (behind != 0) behind_ = made->add_l1(behind);
    return made;
  }
  static void add(CheckedProgram& to, Hart hart, const char* name, const std::function<void(Stream&)>& body,
                  std::vector<uint32_t> common = {}, std::vector<arch::NocCoord> cores = {kCore}) {
    Stream a;
    a.function(name);
    kernels::enter(a);
    body(a);
    kernels::leave(a);
    const auto id =
        to.add_kernel(hart, kernels::Kernel::from(a), name, cores, {.noc = static_cast<uint8_t>(hart == Hart::Brisc)});
    to->set_common_args(id, std::move(common));
  }
  // Ends of a buffer of `pages`, for NCRISC and BRISC, which walk through it `n` pages at a time.
  static DataflowBuffer buffer(uint32_t pages) { return {0, pages, s3, a6}; }
  static void add_consumer(CheckedProgram& to, uint32_t pages, uint32_t n, uint32_t turns,
                           std::vector<arch::NocCoord> cores = {kCore}) {
    add(
        to, Hart::Brisc, "consume",
        [&](Stream& a) {
          a.mv(a6, a3);
          buffer(pages).open_for_reading(a);
          a.repeat(a5, turns, [&] {
            buffer(pages).wait_front(a, n);
            a.li(t0, n * kTile);
            a.add(s3, s3, t0);
            buffer(pages).pop_front(a, n);
          });
        },
        {}, std::move(cores));
  }
  // NCRISC reads `tiles` tiles of DRAM for each `n` pages.
  void add_producer(CheckedProgram& to, uint32_t pages, uint32_t n, uint32_t turns, uint32_t tiles, uint32_t base) {
    const DramTiles dram{chip_.layout(), Hart::Ncrisc, 0, kTile, s0, s7, s5};
    add(to, Hart::Ncrisc, "produce",
        [&](Stream& a) {
          a.lw(a4, a1, 0);
          a.mv(a6, a3);
          buffer(pages).open_for_writing(a);
          dram.open_for_reading(a);
          a.repeat(a5, turns, [&] {
            buffer(pages).reserve_back(a, n);
            a.li(t0, 0);
            dram.read(a, tiles, a4, s3);
            dram.read_barrier(a);
            buffer(pages).push_back(a, n);
          });
        },
        {base});
  }

  static std::string refusal(CheckedProgram program) {
    try {
      std::move(program).finish();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  }
  // What the emulator says of the program, which nobody has checked.
  host::Category run(CheckedProgram& program) {
    try {
      chip_.run(*program);
    } catch (const host::DeviceError& error) {
      return error.category();
    }
    return host::Category::HostError;  // of which a run makes none
  }
  void expect(CheckedProgram& program, host::Category category, const std::string& sentence) {
    EXPECT_EQ(run(program), category);
    const std::string said = refusal(std::move(program));
    EXPECT_NE(said.find(sentence), std::string::npos) << said;
  }
  // Somebody's L1 behind the buffer does not survive the run.
  void expect_overwritten(CheckedProgram& program, arch::NocCoord core, const std::string& sentence) {
    constexpr uint32_t kMark = 0x5AFE5AFE;
    chip_.io().write32(core, behind_, kMark);
    chip_.run(*program);
    EXPECT_NE(chip_.io().read32(core, behind_), kMark);
    const std::string said = refusal(std::move(program));
    EXPECT_NE(said.find(sentence), std::string::npos) << said;
  }
  // The same program but for what is wrong with it.
  void expect_fine(CheckedProgram program) {
    EXPECT_EQ(run(program), host::Category::HostError);
    EXPECT_EQ(refusal(std::move(program)), "accepted");
  }

  host::EmulatedDevice device_;
  host::Chip chip_{device_};
  host::Buffer source_ = chip_.allocate(host::Memory::Dram, kTiles* kTile, kTile);
  host::Buffer target_ = chip_.allocate(host::Memory::Dram, kTiles* kTile, kTile);
  graph::Tensor x_ = graph::random_tensor(32 * kTiles, 32, kernels::Format::Bf16, 1);
  uint32_t behind_ = 0;
};

TEST_F(RefusedPrograms, PagesThatNeverCome) {
  const auto made = [&](uint32_t turns) {
    CheckedProgram p = program(2);
    add_producer(p, 2, 1, 4, 1, source_.address());
    add_consumer(p, 2, 1, turns);
    return p;
  };
  expect_fine(made(4));
  CheckedProgram bad = made(5);
  expect(bad, host::Category::Deadlock, "circular buffer 0 gets 4 pages (produce) and loses 5 (consume)");
}

TEST_F(RefusedPrograms, PagesThatNobodyPops) {
  CheckedProgram bad = program(2);
  add_producer(bad, 2, 1, 5, 1, source_.address());
  add_consumer(bad, 2, 1, 2);
  expect(bad, host::Category::Deadlock, "circular buffer 0 gets 5 pages (produce) and loses 2 (consume)");
}

TEST_F(RefusedPrograms, ASemaphoreOfTheCoprocessorThatNobodyTakes) {
  constexpr kernels::Windows windows{s0, s1, s2};
  constexpr kernels::DstSection dst{windows, s3};
  CheckedProgram bad = program(2);
  add(bad, Hart::Trisc1, "math", [&](Stream& a) {
    windows.open(a);
    dst.configure(a, false);
    a.repeat(a5, 3, [&] {  // Dst has two halves
      dst.acquire(a);
      dst.release(a);
    });
    kernels::drain(a, windows);
  });
  expect(bad, host::Category::Deadlock, "semaphore 1 is posted 3 times (math) and got 0 times (by nobody)");
}

TEST_F(RefusedPrograms, ASemaphoreOfTheProgramThatNobodyRaises) {
  CheckedProgram bad = program(2);
  bad->add_semaphore();
  add(bad, Hart::Brisc, "receive", [](Stream& a) {
    a.li(a4, 1);
    kernels::await_semaphore(a, a2, 0, a4, 1);
  });
  expect(bad, host::Category::Deadlock,
         "semaphore 0 of the program is raised 0 times (by nobody) and waited for 1 times (receive)");
}

TEST_F(RefusedPrograms, ATileOutsideASectionOfDst) {
  const auto made = [&](uint32_t tile) {
    constexpr kernels::Windows windows{s0, s1, s2};
    constexpr kernels::DstSection dst{windows, s3};
    Stream a;
    a.function("math");
    kernels::enter(a);
    a.lw(a5, a0, kernels::elementwise::kArgTiles);
    windows.open(a);
    kernels::configure_copy(a, windows);
    dst.configure(a, false);
    a.repeat_argument(a5, kernels::elementwise::kArgTiles, [&] {
      dst.acquire(a);
      dst.select_tile(a, tile);
      kernels::copy_tile(a);
      dst.release(a);
    });
    kernels::leave(a);
    const kernels::elementwise::Traffic traffic{.format = kernels::Format::Bf16, .inputs = 1};
    CheckedProgram program("bad", chip_.layout());
    kernels::elementwise::add_streams(program, traffic, kernels::elementwise::reader(traffic, chip_.layout()),
                                      kernels::Kernel::from(a), kTiles, {&kCore, 1},
                                      {.inputs = {source_.address()}, .output = target_.address()});
    return program;
  };
  const std::vector<std::byte> tiles = graph::to_tiles(x_, kTiles, 1);
  const auto copied = [&](CheckedProgram& program) {
    std::vector<std::byte> bytes(tiles.size());
    chip_.write(target_, bytes);
    chip_.write(source_, tiles);
    chip_.run(*program);
    chip_.read(target_, bytes);
    return bytes == tiles;
  };
  CheckedProgram good = made(0), bad = made(8);
  EXPECT_TRUE(copied(good));
  EXPECT_EQ(refusal(std::move(good)), "accepted");
  EXPECT_FALSE(copied(bad));  // the packer has taken the half that it was given
  EXPECT_NE(refusal(std::move(bad)).find("uses tile 8 of a section of Dst, which has 8"), std::string::npos);
}

TEST_F(RefusedPrograms, ATransferThatIsLongerThanItsPages) {
  const auto made = [&](uint32_t tiles) {
    CheckedProgram p = program(2, kTile, kTile);
    add_producer(p, 2, 2, 1, tiles, source_.address());
    add_consumer(p, 2, 2, 1);
    return p;
  };
  chip_.write(source_, graph::to_tiles(x_, kTiles, 1));
  expect_fine(made(2));
  CheckedProgram bad = made(3);
  expect_overwritten(bad, kCore,
                     "produce moves 6144 bytes through pages of circular buffer 0 that have 4096: the rest lies in "
                     "others' L1");
}

TEST_F(RefusedPrograms, AStoreBehindItsPages) {
  constexpr uint32_t kPage = 64;
  const auto made = [&](int32_t offset) {
    CheckedProgram p = program(1, kPage, kPage);
    add(p, Hart::Ncrisc, "store", [&](Stream& a) {
      a.mv(a6, a3);
      buffer(1).open_for_writing(a);
      buffer(1).reserve_back(a, 1);
      a.mv(a4, s3);
      a.sw(zero, a4, offset);
      a.fence();
      a.addi(s3, s3, kPage);
      buffer(1).push_back(a, 1);
    });
    add(p, Hart::Brisc, "consume", [&](Stream& a) {
      a.mv(a6, a3);
      buffer(1).open_for_reading(a);
      buffer(1).wait_front(a, 1);
      a.addi(s3, s3, kPage);
      buffer(1).pop_front(a, 1);
    });
    return p;
  };
  expect_fine(made(kPage - 4));
  CheckedProgram bad = made(kPage);
  expect_overwritten(bad, kCore,
                     "store stores 68 bytes from its place in circular buffer 0, of which it holds 64 at once");
}

TEST_F(RefusedPrograms, ATransferWhoseEndsAreNotAlignedAlike) {
  const auto made = [&](uint32_t base) {
    CheckedProgram p = program(2);
    add_producer(p, 2, 1, 2, 1, base);
    add_consumer(p, 2, 1, 2);
    return p;
  };
  expect_fine(made(source_.address()));
  CheckedProgram bad = made(source_.address() + 16);
  expect(bad, host::Category::Misaligned, "the NoC wants both ends equal modulo 64");
}

class RefusedMulticasts : public RefusedPrograms {
 protected:
  const std::vector<arch::NocCoord> receivers_{{2, 2}, {3, 2}};

  // Sends `bytes` from the first page of the own buffer, which nobody else uses, to the tiles of the rectangle, as many
  // as `wanted`.
  CheckedProgram made(uint32_t bytes, arch::NocCoord last, uint32_t wanted) {
    CheckedProgram p = program(2, kTile, kTile);
    Stream a;
    a.function("send");
    kernels::enter(a);
    const kernels::Multicast multicast{0, s2, s4, a7, a0};
    const kernels::Receivers to[] = {{.argument = 0, .count = wanted}};
    a.mv(a6, a3);
    buffer(2).open_for_writing(a);
    multicast.open(a);
    multicast.send(a, s3, bytes, to, 0);
    multicast.barrier(a);
    kernels::leave(a);
    const auto id = p.add_kernel(Hart::Brisc, kernels::Kernel::from(a), "send", {&kCore, 1});
    p->set_args(id, kCore, {kernels::multicast_rectangle(0, receivers_.front(), last)});
    add(
        p, Hart::Ncrisc, "receive",
        [](Stream& s) {
          s.mv(a6, a3);
          buffer(2).open_for_writing(s);
          buffer(2).reserve_back(s, 1);
          kernels::add_constant(s, s3, kTile);
          buffer(2).push_back(s, 1);
        },
        {}, receivers_);
    add_consumer(p, 2, 1, 1, receivers_);
    return p;
  }
};

TEST_F(RefusedMulticasts, OneThatIsLongerThanWhatReceiversReserve) {
  expect_fine(made(kTile, receivers_.back(), 2));
  CheckedProgram bad = made(3 * kTile, receivers_.back(), 2);
  expect_overwritten(bad, receivers_.back(),
                     "core (2,2): send on (1,2) sends it 6144 bytes at once for circular buffer 0, of which its own "
                     "streams reserve 2048: the rest lies in others' L1");
}

TEST_F(RefusedMulticasts, OneToATileThatDoesNotExpectIt) {
  CheckedProgram bad = made(kTile, {4, 2}, 3);
  const uint32_t pages = bad->circular_buffers().at(0).address;
  constexpr uint32_t kMark = 0x5AFE5AFE;
  chip_.io().write32({4, 2}, pages, kMark);
  chip_.run(*bad);
  EXPECT_NE(chip_.io().read32({4, 2}, pages), kMark);
  const std::string said = refusal(std::move(bad));
  EXPECT_NE(said.find("core (4,2): send on (1,2) sends it 2048 bytes, and it runs nothing of this program"),
            std::string::npos)
      << said;
}

TEST_F(RefusedMulticasts, OneThatWaitsForAnotherNumberOfReceivers) {
  CheckedProgram bad = made(kTile, receivers_.back(), 3);
  expect(bad, host::Category::Deadlock, "send waits for 3 tiles to take pages of circular buffer 0, and sends it to 2");
}

}  // namespace
}  // namespace kerr
