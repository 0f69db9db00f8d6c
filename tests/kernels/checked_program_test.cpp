// What would hang or corrupt is refused before it runs, with the numbers that do not fit.
#include "kernels/stream/checked_program.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/dataflow.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/blocks/multicast.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/reduce/reduce.hpp"

namespace kerr::kernels {
namespace {

using namespace isa::reg;

constexpr arch::NocCoord kCore{1, 2};

std::string verdict(CheckedProgram program) {
  try {
    std::move(program).finish();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

// Who writes a circular buffer and who reads it, on one core.
std::string verdict(CheckedProgram program, const Stream& in, const Stream& out) {
  program.add_kernel(arch::Hart::Ncrisc, Kernel::from(in), "in", {&kCore, 1});
  program.add_kernel(arch::Hart::Brisc, Kernel::from(out), "out", {&kCore, 1});
  return verdict(std::move(program));
}

// A buffer of 8 pages, of which `pushed` and `popped` are what each turn moves.
struct Pair {
  uint32_t reserved = 2, pushed = 2, waited = 2, popped = 2, turns_pushing = 3, turns_popping = 3;
};

std::string refusal(const Pair& p, uint8_t id = 0) {
  CheckedProgram program("pair", arch::kFwB);
  program->add_circular_buffer({.id = 0, .pages = 8, .page_bytes = 2048});
  const DataflowBuffer buffer{id, 8, s1, s2};
  Stream writer, reader;
  writer.repeat(s4, p.turns_pushing, [&] {
    buffer.reserve_back(writer, p.reserved);
    buffer.push_back(writer, p.pushed);
  });
  reader.repeat(s4, p.turns_popping, [&] {
    buffer.wait_front(reader, p.waited);
    buffer.pop_front(reader, p.popped);
  });
  return verdict(std::move(program), writer, reader);
}

TEST(CheckedProgram, AcceptsWhatComesOutEven) {
  EXPECT_EQ(refusal({}), "accepted");
  EXPECT_EQ(refusal({.reserved = 4, .pushed = 4, .waited = 1, .popped = 1, .turns_pushing = 1, .turns_popping = 4}),
            "accepted");
}

TEST(CheckedProgram, RefusesAKernelThatReadsTheTablesOfAnotherHart) {
  const auto on = [](arch::Hart hart) {
    Stream a;
    DramTiles{arch::kFwB, arch::Hart::Ncrisc, 0, 2048, s0, s7, s5}.open_for_reading(a);
    CheckedProgram program("copy", arch::kFwB);
    program.add_kernel(hart, Kernel::from(a), "copy_in", {&kCore, 1});
    return verdict(std::move(program));
  };
  EXPECT_EQ(on(arch::Hart::Ncrisc), "accepted");
  EXPECT_EQ(on(arch::Hart::Brisc),
            "program 'copy' would hang or corrupt core (1,2): copy_in reads the DRAM tables of NCRISC (the hart of its "
            "DramTiles) and runs on BRISC");
}

TEST(CheckedProgram, RefusesPagesThatNobodyPopsAndPagesThatNeverCome) {
  EXPECT_EQ(refusal({.turns_pushing = 4}),
            "program 'pair' would hang or corrupt core (1,2): circular buffer 0 gets 8 pages (in) and loses 6 (out)");
  EXPECT_NE(refusal({.turns_popping = 5}).find("gets 6 pages (in) and loses 10 (out)"), std::string::npos);
}

TEST(CheckedProgram, RefusesBlocksThatDoNotFitTheBuffer) {
  EXPECT_NE(refusal({.reserved = 16, .pushed = 16}).find("wants 16 pages of circular buffer 0 at once, which has 8"),
            std::string::npos);
  EXPECT_NE(refusal({.reserved = 3, .pushed = 3}).find("a block would wrap inside"), std::string::npos);
  EXPECT_NE(refusal({}, 5).find("uses circular buffer 5, which there is not"), std::string::npos);
}

TEST(CheckedProgram, RefusesToGoBeyondTheEndOfABufferThatNobodyGoesRound) {
  const auto refused = [](uint32_t turns) -> std::string {
    CheckedProgram program("straight", arch::kFwB);
    program->add_circular_buffer({.id = 0, .pages = 8, .page_bytes = 2048});
    const DataflowBuffer in{0, 8, s1, a3, Flow::Straight}, out{0, 8, s1, a3};
    Stream writer, reader;
    in.open_for_writing(writer);
    writer.repeat(s4, turns, [&] {
      in.reserve_back(writer, 2);
      in.push_back(writer, 2);
    });
    reader.repeat(s4, turns, [&] {
      out.wait_front(reader, 2);
      out.pop_front(reader, 2);
    });
    return verdict(std::move(program), writer, reader);
  };
  EXPECT_EQ(refused(4), "accepted");
  EXPECT_EQ(
      refused(5),
      "program 'straight' would hang or corrupt core (1,2): in moves 10 pages through circular buffer 0 of 8, and "
      "does not go round");
}

TEST(Multicast, GoesToOneRectangleOrToTwoDifferentOnes) {
  const Multicast multicast{0, s1, s2, s3, a0};
  const Receivers one[] = {{.argument = 0, .count = 2}},
                  two[] = {{.argument = 0, .count = 2}, {.argument = 4, .count = 3}};
  const Receivers same[] = {{.argument = 4, .count = 2}, {.argument = 4, .count = 3}};
  Stream a, b;
  multicast.send(a, s4, 40000, one, 0);
  EXPECT_EQ(a.effects().size(), 1u);
  multicast.send(b, s4, 40000, two, 0);
  ASSERT_EQ(b.effects().size(), 2u);
  EXPECT_EQ(b.effects()[1].receivers, 3u);
  EXPECT_LE(b.size_bytes(), a.size_bytes() + 12);  // the same packets, to the other rectangle
  EXPECT_THROW(multicast.send(b, s4, 64, same, 0), std::logic_error);
  EXPECT_THROW(multicast.send(b, s4, 64, {}, 0), std::logic_error);
}

TEST(ComputeBuffer, ThatIsUsedOnceCannotBeUsedTwice) {
  constexpr Windows kWindows{a0, a1, a2};
  const ComputeBuffer once{0, 8, s1, s2, a3, Flow::Once};
  Stream a, in_a_loop;
  once.open_for_reading(a);
  once.pop_front(a, kWindows, 4, 128, 4);
  EXPECT_THROW(once.pop_front(a, kWindows, 4, 128, 4), std::logic_error);
  EXPECT_THROW(in_a_loop.repeat(s4, 2, [&] { once.pop_front(in_a_loop, kWindows, 4, 128, 4); }), std::logic_error);
}

TEST(CheckedProgram, RefusesWhatIsNotWaitedFor) {
  EXPECT_NE(refusal({.reserved = 1}).find("in pushes 6 pages to circular buffer 0, but reserves 3"), std::string::npos);
  EXPECT_NE(refusal({.waited = 1}).find("out pops 6 pages from circular buffer 0, but waits for 3"), std::string::npos);
}

TEST(CheckedProgram, CountsLoopsOverArgumentsCoreByCore) {
  CheckedProgram program("arguments", arch::kFwB);
  program->add_circular_buffer({.id = 0, .pages = 8, .page_bytes = 2048});
  const DataflowBuffer buffer{0, 8, s1, s2};
  const arch::NocCoord cores[] = {{1, 2}, {2, 2}};
  Stream writer, reader;
  writer.repeat_argument(s4, 4, [&] {
    buffer.reserve_back(writer, 1);
    buffer.push_back(writer, 1);
  });
  reader.repeat(s4, 7, [&] {
    buffer.wait_front(reader, 1);
    buffer.pop_front(reader, 1);
  });
  const auto in = program.add_kernel(arch::Hart::Ncrisc, Kernel::from(writer), "in", cores);
  program.add_kernel(arch::Hart::Brisc, Kernel::from(reader), "out", cores);
  program->set_args(in, cores[0], {0, 7});
  program->set_args(in, cores[1], {0, 6});
  EXPECT_NE(verdict(std::move(program)).find("core (2,2): circular buffer 0 gets 6 pages (in) and loses 7 (out)"),
            std::string::npos);
}

TEST(CheckedProgram, RefusesUnbalancedSemaphoresAndTilesOutsideDst) {
  const auto refused = [](const auto& emit) -> std::string {
    CheckedProgram program("math", arch::kFwB);
    Stream a;
    emit(a);
    program.add_kernel(arch::Hart::Trisc1, Kernel::from(a), "math", {&kCore, 1});
    return verdict(std::move(program));
  };
  constexpr Windows kWindows{s0, s1, s2};
  const DstSection dst{kWindows, s3};
  EXPECT_NE(refused([&](Stream& a) {
              dst.release(a);
            }).find("semaphore 1 is posted 1 times (math) and got 0 times (by nobody)"),
            std::string::npos);
  EXPECT_EQ(refused([&](Stream& a) { dst.select_tile(a, 7); }), "accepted");
  EXPECT_NE(refused([&](Stream& a) { dst.select_tile(a, 8); }).find("uses tile 8 of a section of Dst, which has 8"),
            std::string::npos);
  EXPECT_NE(refused([&](Stream& a) {
              dst.configure(a, true);
              dst.select_tile(a, 4);
            }).find("which has 4"),
            std::string::npos);
}

// One sender raises a flag of three receivers, each of which answers, four times.
struct Handshake {
  uint32_t receivers = 3, flags = 4, answers = 4, awaited = 3, semaphores = 2;
  arch::NocCoord last{4, 2};
};

std::string refusal(const Handshake& h) {
  CheckedProgram program("handshake", arch::kFwB);
  for (uint32_t i = 0; i < h.semaphores; ++i) program->add_semaphore();
  const arch::NocCoord sender{1, 2}, receivers[] = {{2, 2}, {3, 2}, {4, 2}};
  Stream send, receive;
  const Multicast multicast{0, s1, s2, s3, a0};
  const Receivers to[] = {{.argument = 0, .count = h.receivers}};
  send.repeat(s4, h.flags, [&] {
    await_semaphore(send, s5, 0, s6, h.awaited);
    multicast.send_semaphore(send, s7, to, 1);
  });
  const RemoteIncrement increment{0, s1, s2, s3};
  receive.repeat(s4, h.answers, [&] {
    increment.issue(receive, s5, s6, {0, 4});
    await_semaphore(receive, s5, 1, s6, 1);
  });
  const auto sends = program.add_kernel(arch::Hart::Brisc, Kernel::from(send), "send", {&sender, 1});
  const auto receives = program.add_kernel(arch::Hart::Brisc, Kernel::from(receive), "receive", receivers);
  program->set_args(sends, sender, {multicast_rectangle(0, receivers[0], h.last)});
  for (const arch::NocCoord core : receivers) program->set_args(receives, core, {0, sender.packed()});
  return verdict(std::move(program));
}

TEST(CheckedProgram, CountsWhoRaisesTheSemaphoresOfOtherTiles) {
  EXPECT_EQ(refusal(Handshake{}), "accepted");
  EXPECT_NE(
      refusal(Handshake{.flags = 5}).find("core (1,2): semaphore 0 of the program is raised 12 times (receive on "),
      std::string::npos);
  EXPECT_NE(refusal(Handshake{.awaited = 2}).find("waited for 8 times (send)"), std::string::npos);
  EXPECT_NE(refusal(Handshake{.answers = 3}).find("is raised 9 times"), std::string::npos);
  EXPECT_NE(
      refusal(Handshake{.receivers = 2, .last = {3, 2}})
          .find(
              "core (4,2): semaphore 1 of the program is raised 0 times (by nobody) and waited for 4 times (receive)"),
      std::string::npos);
  EXPECT_NE(refusal(Handshake{.receivers = 2})
                .find("send waits for 2 tiles to take semaphore 1 of the program, and sends it to 3"),
            std::string::npos);
  EXPECT_NE(refusal(Handshake{.semaphores = 1}).find("uses semaphore 1 of the program, which has 1"),
            std::string::npos);
}

TEST(CheckedProgram, RefusesWhatWouldOverwriteTheL1BehindABuffer) {
  const auto refused = [](uint32_t tile_bytes, uint32_t tiles, uint32_t pages = 8) -> std::string {
    CheckedProgram program("overlap", arch::kFwB);
    program->add_circular_buffer({.id = 0, .pages = 8, .page_bytes = 2048});
    const DataflowBuffer buffer{0, pages, s1, s2};
    const DramTiles dram{arch::kFwB, arch::Hart::Ncrisc, 0, tile_bytes, s4, s5, s6};
    Stream in, out;
    buffer.open_for_writing(in);
    in.repeat(s7, 3, [&] {
      buffer.reserve_back(in, 2);
      dram.read(in, tiles, s8, buffer.pointer);
      buffer.push_back(in, 2);
    });
    out.repeat(s4, 3, [&] {
      buffer.wait_front(out, 2);
      buffer.pop_front(out, 2);
    });
    return verdict(std::move(program), in, out);
  };
  EXPECT_EQ(refused(2048, 2), "accepted");
  EXPECT_NE(refused(4096, 2).find("in moves 24576 bytes through pages of circular buffer 0 that have 12288"),
            std::string::npos);
  EXPECT_NE(refused(2048, 3).find("in moves 18432 bytes"), std::string::npos);
  EXPECT_NE(refused(2048, 2, 16).find("in takes circular buffer 0 for one of 16 pages, and it has 8"),
            std::string::npos);
}

std::vector<arch::NocCoord> workers() {
  std::vector<arch::NocCoord> all;
  for (uint8_t y = 2; y < 12; ++y) {
    for (const uint8_t x : {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13}) all.push_back({x, y});
  }
  return all;
}

// Each of them is verified when it is made.
RC_GTEST_PROP(CheckedProgram, AcceptsEveryMatmul, ()) {
  const auto size = rc::gen::inRange<uint64_t>(1, 3000);
  const uint64_t m = *size, n = *size, k = *size;
  MatmulOptions options{.fp32_accumulate = *rc::gen::arbitrary<bool>()};
  const std::vector<arch::NocCoord> cores = workers();
  matmul_program(plan_matmul_direct({m, n, k}, *rc::gen::inRange<uint32_t>(1, 110), options), arch::kFwB, cores, {});
  matmul_program(plan_matmul_compat({m, n, k}, {cores, 1'300'000}, options), arch::kFwB, cores, {});
  matmul_program(plan_matmul_multicast({m, n, k}, {cores, 1'300'000}, options), arch::kFwB, cores, {});
  auto epilogue = std::make_shared<MatmulEpilogue>();
  epilogue->operands_have_rows = {false, true};
  const Expression::Node both[] = {epilogue->expression.input(1), epilogue->expression.input(2)};
  epilogue->expression.set_result(epilogue->expression.apply(Operation::Multiply, both));
  options.epilogue = epilogue;
  const MatmulBuffers buffers{.operands = {0, 0}};
  matmul_program(plan_matmul_direct({m, n, k}, 50, options), arch::kFwB, cores, buffers);
  matmul_program(plan_matmul_multicast({m, n, k}, {cores, 1'300'000}, options), arch::kFwB, cores, buffers);
}

RC_GTEST_PROP(CheckedProgram, AcceptsEveryElementwiseAndReduction, ()) {
  const std::vector<arch::NocCoord> cores = workers();
  const Format format = *rc::gen::element(Format::Bf16, Format::Fp32);
  Expression sum;
  const auto inputs = *rc::gen::inRange<uint32_t>(1, dst_tiles(format) + 1);
  Expression::Node node = sum.input(0);
  for (uint32_t i = 1; i < inputs; ++i) {
    const Expression::Node both[] = {node, sum.input(i)};
    node = sum.apply(Operation::Add, both);
  }
  sum.set_result(node);
  elementwise_program(sum, format, *rc::gen::inRange<uint32_t>(1, 1000), arch::kFwB, cores,
                      {.inputs = std::vector<uint32_t>(inputs)});
  const ReduceShape shape{*rc::gen::element(Reduction::Sum, Reduction::Maximum),
                          *rc::gen::element(Along::Row, Along::Column), *rc::gen::inRange<uint32_t>(1, 200),
                          *rc::gen::inRange<uint32_t>(1, 200)};
  reduce_program(shape, format, arch::kFwB, cores, 0, 0);
}

}  // namespace
}  // namespace kerr::kernels
