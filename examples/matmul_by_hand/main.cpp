// C = A x B of one tile of C and four tiles of K, on one core, with each instruction of the matrix unit written out.
// The host puts the tiles into the core's L1.   docs/guide/tensix-by-hand.md
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>

#include <bit>
#include <cstdio>
#include <vector>

using namespace kerr;
using namespace kerr::isa::reg;
namespace tx = isa::tensix;

constexpr uint32_t kSteps = 4, kTileBytes = 2048, kResultBytes = 4096;  // tiles of K; bf16 operands, fp32 sums
constexpr arch::NocCoord kCore{1, 2};
// Arguments of all three kernels: addresses in L1 in units of 16 bytes; those of the unpackers minus one.
constexpr int kArgA = 0, kArgB = 4, kArgC = 8;

// TRISC0: each pair of tiles to SrcB and SrcA.
kernels::Kernel unpack() {
  constexpr kernels::Unpackers unpackers{{s0, s1, s2}, s3};
  kernels::Stream a = kernels::begin_kernel("unpack");
  a.lw(s4, a1, kArgA);
  a.lw(s5, a1, kArgB);
  unpackers.windows.open(a);
  unpackers.configure(a, kernels::Format::Bf16, arch::DataFormat::Bf16, 1024);  // 1024 numbers with each UNPACR
  a.repeat(s6, kSteps, [&] {
    unpackers.begin(a, s5, &s4);
    a.tensix(kernels::unpack_datums(kernels::kUnpackerOfSrcA));  // the tile of B
    a.tensix(kernels::unpack_datums(kernels::kUnpackerOfSrcB));  // the tile of A
    unpackers.end(a);
    a.addi(s4, s4, kTileBytes / 16);
    a.addi(s5, s5, kTileBytes / 16);
  });
  return kernels::end_kernel(a);
}

// TRISC1: sixteen MVMULs for each pair. One adds 8 rows of SrcB times 16 rows of SrcA to 8 rows of Dst.
kernels::Kernel multiply() {
  constexpr kernels::DstSection dst{{zero, s0, s1}, s2};
  enum : uint32_t { Eight, TwentyFour, NextFace, NextRow, Release };  // address modifiers: how counters go on
  constexpr kernels::Modifier modifiers[] = {{.index = Eight, .b = {.by = 8}},
                                             {.index = TwentyFour, .b = {.by = 24}},
                                             {.index = NextFace, .a = {.by = 16}, .b = {.by = 24}},
                                             {.index = NextRow, .a = {.by = 16}, .b = {.by = 40}},
                                             {.index = Release, .a = {.clear = true}, .b = {.clear = true}}};
  kernels::Stream a = kernels::begin_kernel("multiply");
  dst.windows.open(a);
  kernels::set_modifiers(a, modifiers);
  dst.configure(a, true);  // 32 bits a number; all counters are 0
  dst.acquire(a);
  dst.select_tile(a, 0);
  a.repeat(s3, kSteps, [&] {
    for (uint32_t face = 0; face < 4; ++face) {  // of B: upper left, upper right, lower left, lower right
      const uint32_t c = 16 * (face % 2);        // where C's faces of these columns begin in Dst: 32 rows apart
      const uint32_t next = face == 3 ? Release : face == 1 ? NextRow : NextFace;
      a.tensix(tx::MVMUL{.dst = c, .addr_mode = Eight});
      a.tensix(tx::MVMUL{.dst = c + 8, .addr_mode = TwentyFour});
      a.tensix(tx::MVMUL{.dst = c + 32, .addr_mode = Eight});
      a.tensix(tx::MVMUL{.dst = c + 40, .addr_mode = next, .clear_dvalid = face == 3 ? 3u : 0});
    }
  });
  dst.release(a);  // to the packer
  return kernels::end_kernel(a);
}

// TRISC2: the sums to L1.
kernels::Kernel pack() {
  constexpr kernels::Packer packer{{s0, s1, s2}, s3, s4, kernels::Format::Fp32, arch::DataFormat::Fp32, true};
  kernels::Stream a = kernels::begin_kernel("pack");
  a.lw(s5, a1, kArgC);
  packer.windows.open(a);
  packer.configure(a);
  packer.acquire(a);
  packer.begin(a, s5);
  packer.pack_tile(a);
  packer.release(a);
  return kernels::end_kernel(a);
}

// Where a number lies in a tile, which is four faces of 16 x 16, each row by row.
uint32_t place(uint32_t row, uint32_t column) {
  return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}
float number(uint32_t row, uint32_t column) { return static_cast<float>((row * 7 + column * 5) % 9) - 4; }
uint16_t bf16(float x) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16); }

int main() try {
  host::EmulatedDevice device;
  host::Chip chip(device);
  std::vector<uint16_t> a(kSteps * 1024), b(kSteps * 1024);
  std::vector<float> c(1024), expected(1024);
  for (uint32_t k = 0; k < 32 * kSteps; ++k) {
    for (uint32_t i = 0; i < 32; ++i) {
      a[k / 32 * 1024 + place(i, k % 32)] = bf16(number(i, k));
      b[k / 32 * 1024 + place(k % 32, i)] = bf16(number(k, i));
      for (uint32_t j = 0; j < 32; ++j) expected[place(i, j)] += number(i, k) * number(k, j);  // whole numbers: exact
    }
  }
  kernels::CheckedProgram program("matmul by hand", chip.layout());
  const uint32_t at_a = program->add_l1(kSteps * kTileBytes), at_b = program->add_l1(kSteps * kTileBytes);
  const uint32_t at_c = program->add_l1(kResultBytes);
  for (const auto id : {program.add_kernel(arch::Hart::Trisc0, unpack(), "unpack", {&kCore, 1}),
                        program.add_kernel(arch::Hart::Trisc1, multiply(), "multiply", {&kCore, 1}),
                        program.add_kernel(arch::Hart::Trisc2, pack(), "pack", {&kCore, 1})})
    program->set_common_args(id, {at_a / 16 - 1, at_b / 16 - 1, at_c / 16});
  chip.io().write(kCore, at_a, std::as_bytes(std::span(a)));
  chip.io().write(kCore, at_b, std::as_bytes(std::span(b)));
  chip.run(std::move(program).finish());
  chip.io().read(kCore, at_c, std::as_writable_bytes(std::span(c)));

  uint32_t right = 0;
  for (uint32_t i = 0; i < 1024; ++i) right += c[i] == expected[i];
  std::printf("%u of 1024 sums are right%s\n", right, right == 1024 ? ": verified" : "");
  return right == 1024 ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 1;
}
