// Sums of the rows of a matrix. Each of eight cores has eight rows in its own L1, and its BRISC adds them up.
#include <kerr/host.hpp>

#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

using namespace kerr;
using namespace kerr::isa::reg;

constexpr uint32_t kCores = 8, kRowsOfCore = 8, kRows = kCores * kRowsOfCore, kColumns = 24;
constexpr uint32_t kRowBytes = 4 * kColumns, kSumBytes = 4 * kRowsOfCore;

// One hart's code. a1 points to the arguments that all cores share: the address of a core's rows, and that of its sums.
image::Image row_sum() {
  isa::Assembler a;
  a.function("row_sum");
  a.lw(t0, a1, 0);
  a.lw(t1, a1, 4);
  a.li(t2, kRowsOfCore);
  const isa::Label row = a.here("row");
  a.li(t3, kColumns);
  a.li(t4, 0);
  const isa::Label number = a.here("number");
  a.lw(t5, t0);
  a.addi(t0, t0, 4);
  a.add(t4, t4, t5);
  a.addi(t3, t3, -1);
  a.bnez(t3, number);
  a.sw(t4, t1);
  a.addi(t1, t1, 4);
  a.addi(t2, t2, -1);
  a.bnez(t2, row);
  a.ret();
  return image::Image::from(a.finish(), "row_sum");
}

bool run() {
  host::EmulatedDevice device;
  host::Chip chip(device);
  host::CommandQueue queue(chip);
  const auto cores = chip.workers().first(kCores);

  // A page is a row; eight pages, one behind the other, are the shard of a core. The address is the same on all.
  const host::Buffer matrix = chip.allocate_sharded(host::Memory::L1, kRows * kRowBytes, kRowBytes, cores);
  const host::Buffer sums = chip.allocate_sharded(host::Memory::L1, kCores * kSumBytes, kSumBytes, cores);
  std::vector<uint32_t> numbers(kRows * kColumns), result(kRows);
  for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i * i % 1000;
  queue.write(matrix, std::as_bytes(std::span(numbers)));

  host::Program program("row sum");
  const auto kernel = program.add_kernel(arch::Hart::Brisc, row_sum(), cores);
  program.set_common_args(kernel, {matrix.address(), sums.address()});
  queue.enqueue(program);
  queue.read(sums, std::as_writable_bytes(std::span(result)));

  uint32_t right = 0;
  for (uint32_t row = 0; row < kRows; ++row) {
    const auto begin = numbers.begin() + row * kColumns;
    right += result[row] == std::accumulate(begin, begin + kColumns, 0u);
  }
  std::printf("first sums: %u %u %u\n", result[0], result[1], result[2]);
  for (const host::ProgramTime& time : queue.finish()) {
    std::printf("%s: %llu cycles\n", time.name.c_str(),
                static_cast<unsigned long long>(time.end_cycles - time.start_cycles));
  }
  std::printf("%u of %u sums are right%s\n", right, kRows, right == kRows ? ": verified" : "");
  return right == kRows;
}

int main() {
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
