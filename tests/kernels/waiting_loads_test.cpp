// Loads that are made to wait and do not.   docs/hardware/tile.md 1.8, 4.3
#include "kernels/stream/waiting_loads.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "arch/boards.hpp"
#include "arch/sync.hpp"
#include "firmware/firmware.hpp"
#include "isa/assembler.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/stream/checked_program.hpp"

namespace kerr::kernels {
namespace {

using namespace isa::reg;

constexpr int32_t kIdle = 4, kMopIdle = 8, kSemaphore = 0x24;

// s0: FFE80000.
template <class Body>
std::vector<UselessWait> found_in(Body body) {
  isa::Assembler a;
  a.li(s0, arch::kPcBufBase);
  body(a);
  a.ret();
  const isa::Code code = a.finish();
  std::vector<uint32_t> words(code.bytes.size() / 4);
  std::memcpy(words.data(), code.bytes.data(), code.bytes.size());
  return useless_waits(words, 0);
}

template <class Body>
std::string first_in(Body body) {
  const std::vector<UselessWait> found = found_in(body);
  return found.empty() ? "nothing" : found.front().what;
}

TEST(UselessWaits, AreNoneWhereStoreLoadAndUseFollowEachOther) {
  for (const int32_t word : {kIdle, kMopIdle}) {
    EXPECT_EQ(first_in([&](isa::Assembler& a) {
                a.sw(zero, s0, word);
                a.lw(t0, s0, word);
                a.andi(t0, t0, 0);
                a.lw(t1, s0, kSemaphore);
                a.sb(t1, a0, 0);
              }),
              "nothing");
  }
}

TEST(UselessWaits, AreLoadsWhoseValueNobodyUses) {
  EXPECT_EQ(first_in([](isa::Assembler& a) {
              a.sw(zero, s0, kIdle);
              a.lw(t0, s0, kIdle);
              a.sb(zero, a1, 105);
            }),
            "lw t0, 4(s0) (0xffe80004) waits for nothing, as no instruction uses the value: put 'andi rd, rd, 0' "
            "behind it");
  EXPECT_NE(first_in([](isa::Assembler& a) {  // of L1 too, and where the register is written again
              a.sw(a2, a1);
              a.lw(t0, a1);
              a.li(t0, 3);
              a.sw(t0, a3);
            })
                .find("lw t0, 0(a1) waits for nothing"),
            std::string::npos);
  EXPECT_NE(first_in([](isa::Assembler& a) { a.sw(a2, a1), a.lw(zero, a1); }).find("waits for nothing"),
            std::string::npos);
}

TEST(UselessWaits, AreNoLoadsThatWaitForNothingAnyway) {
  EXPECT_EQ(first_in([](isa::Assembler& a) { a.lw(t0, a1); }), "nothing");
  EXPECT_EQ(first_in([](isa::Assembler& a) { a.sw(a2, a1, 4), a.lw(t0, a1, 8); }), "nothing");
  EXPECT_EQ(first_in([](isa::Assembler& a) { a.sw(a2, a1), a.addi(a1, a1, 4), a.lw(t0, a1); }), "nothing");
}

TEST(UselessWaits, AreNoneWhereOneOfSeveralWaysUsesTheValue) {
  EXPECT_EQ(first_in([](isa::Assembler& a) {
              const isa::Label skip = a.label();
              a.lw(t0, a1);
              a.beqz(a2, skip);
              a.sw(t0, a3);
              a.bind(skip);
            }),
            "nothing");
  EXPECT_EQ(first_in([](isa::Assembler& a) {  // in the loop's next turn
              const isa::Label top = a.here();
              a.sw(t0, a3);
              a.lw(t0, a1);
              a.bnez(a2, top);
            }),
            "nothing");
  EXPECT_EQ(first_in([](isa::Assembler& a) { a.lw(a0, a1); }), "nothing");  // what the function returns
}

TEST(UselessWaits, AreTwoLoadsOfTheSyncPagesBehindEachOther) {
  const std::string what = first_in([](isa::Assembler& a) {
    a.sw(zero, s0, kIdle);
    a.lw(t0, s0, kIdle);
    a.lw(t1, s0, kSemaphore);  // before t0 has come
    a.add(t0, t0, t1);
    a.sw(t0, a0);
  });
  EXPECT_NE(what.find("may still be under way at the next load or store"), std::string::npos) << what;
}

TEST(UselessWaits, EndWithAFenceAnAtomicOrSevenInstructions) {
  const auto behind = [](auto body) {
    return found_in([&](isa::Assembler& a) {
             a.sw(zero, s0, kIdle);
             a.lw(t0, s0, kIdle);
             body(a);
             a.lw(t1, s0, kSemaphore);
             a.add(a0, t0, t1);
           })
        .size();
  };
  EXPECT_EQ(behind([](isa::Assembler& a) { a.fence(); }), 0u);
  EXPECT_EQ(behind([](isa::Assembler& a) { a.amoadd_w(t2, t2, a1), a.sw(t2, a1); }), 0u);
  for (const size_t nops : {0u, 1u, 6u, 7u, 8u}) {
    EXPECT_EQ(behind([&](isa::Assembler& a) {
                for (size_t i = 0; i < nops; ++i) a.nop();
              }),
              nops < 7 ? 1u : 0u)
        << nops;
  }
}

TEST(UselessWaits, AreSyncLoadsThatNoStoreKeepsBehindThePushes) {
  const auto before = [](auto body) {
    return first_in([&](isa::Assembler& a) {
      body(a);
      a.lw(t0, s0, kMopIdle);
      a.andi(t0, t0, 0);
    });
  };
  EXPECT_NE(before([](isa::Assembler&) {}).find("may overtake what the hart pushed before"), std::string::npos);
  EXPECT_NE(before([](isa::Assembler& a) { a.sw(zero, s0, kIdle); }).find("may overtake"), std::string::npos);
  EXPECT_NE(before([](isa::Assembler& a) { a.sw(zero, s0, kMopIdle), a.ttinsn(0x02000000); }).find("may overtake"),
            std::string::npos);
  EXPECT_EQ(before([](isa::Assembler& a) { a.sw(zero, s0, kMopIdle), a.li(t1, 7); }), "nothing");
}

// --- our own code ----------------------------------------------------------------------------------------------------

TEST(UselessWaits, AreNoneInWhatKernelsAreMadeOf) {
  Stream a;
  const Windows w{.config = s1, .push = s2, .sync = s3};
  w.open(a);
  configure_mop(a, w, {1, 1, 2, 3, 4, 5, 6, 7, 8});
  configure_masked_mop(a, w, 1, 2);
  drain(a, w);
  wait_semaphore_below(a, w, 1, 1);
  drain(a, w);
  a.ret();
  const isa::Code code = a.finish();
  std::vector<uint32_t> words(code.bytes.size() / 4);
  std::memcpy(words.data(), code.bytes.data(), code.bytes.size());
  for (const UselessWait& wait : useless_waits(words, 0)) ADD_FAILURE() << wait.address << ' ' << wait.what;
}

void expect_none(const firmware::Image& image) {
  std::vector<uint32_t> words(image.text.size() / 4);
  std::memcpy(words.data(), image.text.data(), image.text.size());
  for (const UselessWait& wait : useless_waits(words, image.base))
    ADD_FAILURE() << image.name << ' ' << std::hex << wait.address << ' ' << wait.what;
}

TEST(UselessWaits, AreNoneInFirmware) {
  for (const firmware::Image& image : *firmware::base_firmware(arch::kFwB)) expect_none(image);
  const firmware::QueueFirmware& queue = firmware::queue_firmware();
  for (const firmware::Image* image : {&queue.prefetch, &queue.dispatch, &queue.dispatch_s, &queue.prefetch_h,
                                       &queue.prefetch_d, &queue.dispatch_h, &queue.dispatch_d}) {
    expect_none(*image);
  }
}

TEST(CheckedProgram, RefusesAKernelWhoseDoneMayOvertakeItsWork) {
  constexpr arch::NocCoord kOneCore{1, 2};
  CheckedProgram program("hasty", arch::kFwB);
  Stream a;
  a.function("finish");
  a.li(s0, arch::kPcBufBase);
  a.sw(zero, s0, kIdle);
  a.lw(a5, s0, kIdle);
  a.ret();
  program.add_kernel(arch::Hart::Trisc0, Kernel::from(a), "unpack", {&kOneCore, 1});
  try {
    std::move(program).finish();
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("unpack at finish()+0x8"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("waits for nothing"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kerr::kernels
