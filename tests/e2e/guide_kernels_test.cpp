// The programs of docs/guide/kernels.md.
#include <gtest/gtest.h>

#include "graph/tensor.hpp"
#include "host/chip.hpp"
#include "host/device/emulated_device.hpp"
#include "isa/tensix/instructions.hpp"
#include "kernels/elementwise/streams.hpp"
#include "kernels/emit/dataflow.hpp"
#include "kernels/emit/dst_section.hpp"
#include "kernels/emit/frame.hpp"
#include "kernels/emit/vector_unit.hpp"
#include "kernels/ir/checked_program.hpp"
#include "kernels/ir/registers.hpp"

namespace kerr {
namespace {

using namespace isa::reg;

constexpr uint32_t kTileBytes = 2048, kPages = 2;

kernels::Kernel copy_in(const arch::FirmwareLayout& layout, uint32_t tiles) {
  const kernels::DataflowBuffer buffer{0, kPages, s1, s3, a0};
  const kernels::DramTiles dram{layout, arch::Hart::kNcrisc, 0, kTileBytes, s0, s7, s5};
  kernels::Stream a;
  a.function("copy_in");
  kernels::enter(a);
  a.lw(a4, a1, 0);
  a.mv(a0, a3);
  a.li(a2, 0);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  a.repeat(a5, tiles, [&] {
    buffer.reserve_back(a, 1);
    a.mv(t0, a2);
    dram.read(a, 1, a4, buffer.pointer);
    dram.read_barrier(a);
    buffer.push_back(a, 1);
    a.addi(a2, a2, 1);
  });
  kernels::leave(a);
  return kernels::Kernel::from(a);
}

kernels::Kernel copy_out(const arch::FirmwareLayout& layout, uint32_t tiles) {
  const kernels::DataflowBuffer buffer{0, kPages, s1, s3, a0};
  const kernels::DramTiles dram{layout, arch::Hart::kBrisc, 1, kTileBytes, s0, s7, s5};
  kernels::Stream a;
  a.function("copy_out");
  kernels::enter(a);
  a.lw(a4, a1, 0);
  a.mv(a0, a3);
  a.li(a2, 0);
  buffer.open_for_reading(a);
  dram.open_for_writing(a);
  a.repeat(a5, tiles, [&] {
    buffer.wait_front(a, 1);
    a.mv(t0, a2);
    dram.write(a, 1, a4, buffer.pointer);
    dram.write_barrier(a);
    buffer.pop_front(a, 1);
    a.addi(a2, a2, 1);
  });
  kernels::leave(a);
  return kernels::Kernel::from(a);
}

kernels::Kernel add_one() {
  namespace tx = isa::tensix;
  constexpr kernels::Windows windows{s0, s1, s2};
  constexpr kernels::DstSection dst{windows, s3, s4};
  kernels::Registers registers;
  const isa::Reg tiles = registers.take("tiles"), groups = registers.take("groups");
  kernels::Stream a;
  a.function("add_one");
  kernels::enter(a);
  a.lw(tiles, a0, kernels::elementwise::kArgTiles);
  windows.open(a);
  kernels::configure_copy(a, windows);
  dst.configure(a, false);
  kernels::configure_vector_unit(a);
  a.li(dst.base, 0);
  a.repeat_argument(tiles, kernels::elementwise::kArgTiles, [&] {
    dst.acquire(a);
    dst.select_tile(a, 0);
    kernels::copy_tile(a);
    a.tensix(tx::STALLWAIT{.wait_res = kernels::until::kMath, .stall_res = kernels::stall::kSfpu});
    a.repeat(groups, kernels::kGroupsOfTile, [&] {
      a.tensix(tx::SFPLOAD{.sfpu_addr_mode = 7, .instr_mod0 = 2, .lreg_ind = 0});
      a.tensix(tx::SFPADDI{.lreg_dest = 0, .imm16_math = 0x3F80});
      a.tensix(tx::SFPNOP{});
      a.tensix(tx::SFPSTORE{.sfpu_addr_mode = 7, .instr_mod0 = 2, .lreg_ind = 0});
      a.tensix(tx::INCRWC{.rwc_d = 2});
    });
    a.tensix(tx::SETRWC{.bit_mask = kernels::kDstCounter});
    dst.release(a);
  });
  kernels::leave(a);
  return kernels::Kernel::from(a);
}

class GuideToKernels : public testing::Test {
 protected:
  static constexpr uint32_t kTiles = 5;

  host::Program copy(uint32_t tiles_out) {
    const arch::NocCoord core{1, 2};
    kernels::CheckedProgram program("copy", chip_.layout());
    program->add_circular_buffer({.id = 0, .pages = kPages, .page_bytes = kTileBytes});
    const auto in = program.add_kernel(arch::Hart::kNcrisc, copy_in(chip_.layout(), kTiles), "copy_in", {&core, 1});
    const auto out =
        program.add_kernel(arch::Hart::kBrisc, copy_out(chip_.layout(), tiles_out), "copy_out", {&core, 1}, {.noc = 1});
    program->set_common_args(in, {static_cast<uint32_t>(source_.address())});
    program->set_common_args(out, {static_cast<uint32_t>(target_.address())});
    return std::move(program).finish();
  }
  // A math kernel between the streams that move, unpack and pack tiles.
  host::Program compute(const char* name, const kernels::Kernel& math) {
    kernels::CheckedProgram program(name, chip_.layout());
    kernels::elementwise::add_streams(
        program, traffic_, kernels::elementwise::reader(traffic_, chip_.layout()), math, kTiles, chip_.workers(),
        {.inputs = {static_cast<uint32_t>(source_.address())}, .output = static_cast<uint32_t>(target_.address())});
    return std::move(program).finish();
  }
  graph::Tensor result() {
    std::vector<std::byte> tiles(target_.bytes());
    chip_.read(target_, tiles);
    graph::Tensor out{x_.rows, x_.columns, x_.format, {}};
    graph::from_tiles(tiles, 1, out);
    return out;
  }

  const kernels::elementwise::Traffic traffic_{.format = kernels::Format::Bf16, .inputs = 1};
  host::EmulatedDevice device_;
  host::Chip chip_{device_};
  host::Buffer source_ = chip_.allocate(host::Memory::kDram, kTiles* kTileBytes, kTileBytes);
  host::Buffer target_ = chip_.allocate(host::Memory::kDram, kTiles* kTileBytes, kTileBytes);
  graph::Tensor x_ = graph::random_tensor(32 * kTiles, 32, kernels::Format::Bf16, 1);
};

TEST_F(GuideToKernels, TwoStreamsCopy) {
  chip_.write(source_, graph::to_tiles(x_, kTiles, 1));
  chip_.run(copy(kTiles));
  EXPECT_EQ(result().values, x_.values);
}

TEST_F(GuideToKernels, WhatDoesNotFitTogetherIsRefused) {
  try {
    copy(kTiles - 1);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "program 'copy' would hang or corrupt core (1,2): circular buffer 0 gets 5 pages (copy_in) and loses "
                 "4 (copy_out)");
  }
}

TEST_F(GuideToKernels, OneIsWrittenWordByWord) {
  for (float& value : x_.values) value = static_cast<float>(static_cast<int>(value * 8)) / 4;
  chip_.write(source_, graph::to_tiles(x_, kTiles, 1));
  chip_.run(compute("add_one", add_one()));
  const graph::Tensor out = result();
  for (std::size_t i = 0; i < x_.values.size(); ++i) ASSERT_EQ(out.values[i], x_.values[i] + 1);
}

TEST_F(GuideToKernels, OneComputes) {
  kernels::vector::Code code;
  const auto x = code.load(0);
  const auto other = code.subtract(code.one(), x);
  code.store(0, code.select({kernels::vector::Test::Greater, x, other}, x, other));
  const auto emitted = kernels::vector::emit(code, {.dst32 = false, .first_spill = 1, .tiles = 8});

  // Quarters, so that 1 - x is a bf16 number too.
  for (float& value : x_.values) value = static_cast<float>(static_cast<int>(value * 8)) / 4;
  chip_.write(source_, graph::to_tiles(x_, kTiles, 1));
  chip_.run(compute("larger", kernels::elementwise::math(traffic_, emitted)));
  const graph::Tensor out = result();
  for (std::size_t i = 0; i < x_.values.size(); ++i) ASSERT_EQ(out.values[i], std::max(x_.values[i], 1 - x_.values[i]));
}

}  // namespace
}  // namespace kerr
