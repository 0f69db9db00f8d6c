// The absolute value of bf16 numbers, 32 at a time, by the vector units of all cores.
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>

#include <cstdio>
#include <exception>
#include <random>
#include <vector>

using namespace kerr;
using namespace kerr::isa::reg;
namespace tx = isa::tensix;

constexpr uint32_t kTiles = 300, kTileBytes = 2048;  // a tile: 32 x 32 numbers
constexpr uint32_t kFloat = 1, kBf16 = 2;            // modes of SFPABS, and of SFPLOAD and SFPSTORE

// TRISC1's code. The unpacker brings each tile to SrcA before, and the packer takes it from Dst behind it.
kernels::Kernel absolute() {
  constexpr kernels::Windows windows{s0, s1, s2};
  constexpr kernels::DstSection dst{windows, s3};
  constexpr isa::Reg tiles = s4, groups = s5;
  kernels::Stream a = kernels::begin_kernel("absolute");
  a.lw(tiles, a0, kernels::elementwise::kArgTiles);  // this core's share
  windows.open(a);
  kernels::configure_copy(a, windows);
  dst.configure(a, false);  // 16 bits a number
  kernels::configure_vector_unit(a);
  a.repeat_argument(tiles, kernels::elementwise::kArgTiles, [&] {
    dst.acquire(a);
    dst.select_tile(a, 0);
    kernels::copy_tile(a);  // SrcA to Dst
    a.ttinsn(isa::assemble_tensix("STALLWAIT stall_res=SFPU, wait_res=MATH"));
    a.repeat(groups, kernels::kGroupsOfTile, [&] {
      a.tensix(tx::SFPLOAD{.sfpu_addr_mode = 7, .instr_mod0 = kBf16, .lreg_ind = 0});
      a.tensix(tx::SFPABS{.instr_mod1 = kFloat, .lreg_dest = 1, .lreg_c = 0});
      a.tensix(tx::SFPSTORE{.sfpu_addr_mode = 7, .instr_mod0 = kBf16, .lreg_ind = 1});
      a.tensix(tx::INCRWC{.rwc_d = 2});  // the next 32 numbers
    });
    a.tensix(tx::SETRWC{.bit_mask = kernels::kDstCounter});
    dst.release(a);
  });
  return kernels::end_kernel(a);
}

// Numbers of either sign with magnitudes around 1, as bits.
std::vector<uint16_t> numbers() {
  std::mt19937 random(1);
  std::vector<uint16_t> all(kTiles * 1024);
  for (uint16_t& bits : all) bits = static_cast<uint16_t>(0x3C00 | (random() & 0x83FF));
  return all;
}

bool run() {
  host::EmulatedDevice device;
  host::Chip chip(device);
  host::CommandQueue queue(chip);
  const host::Buffer x = chip.allocate(host::Memory::Dram, kTiles * kTileBytes, kTileBytes);
  const host::Buffer y = chip.allocate(host::Memory::Dram, kTiles * kTileBytes, kTileBytes);
  const std::vector<uint16_t> in = numbers();
  std::vector<uint16_t> out(in.size());
  queue.write(x, std::as_bytes(std::span(in)));

  const kernels::elementwise::Traffic traffic{.format = kernels::Format::Bf16, .inputs = 1};
  kernels::CheckedProgram checked("abs", chip.layout());
  kernels::elementwise::add_streams(checked, traffic, kernels::elementwise::reader(traffic, chip.layout()), absolute(),
                                    kTiles, chip.workers(), {.inputs = {x.address()}, .output = y.address()});
  queue.enqueue(std::move(checked).finish());
  queue.read(y, std::as_writable_bytes(std::span(out)));

  size_t right = 0;
  for (size_t i = 0; i < in.size(); ++i) right += out[i] == (in[i] & 0x7FFF);
  std::printf("%zu of %zu numbers are right%s\n", right, in.size(), right == in.size() ? ": verified" : "");
  return right == in.size();
}

int main() {
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
