// Copies 50 pages from DRAM to DRAM by a kernel in C++ on one core, and compares.
#include <kerr/elf.hpp>
#include <kerr/host.hpp>

#include <cstdio>
#include <vector>

using namespace kerr;

constexpr uint32_t kPages = 50, kPageBytes = 2048;

bool run() {
  host::EmulatedDevice device;
  host::Chip chip(device);
  host::CommandQueue queue(chip);
  const arch::NocCoord core = chip.workers()[0];

  const host::Buffer source = chip.allocate(host::Memory::Dram, kPages * kPageBytes, kPageBytes);
  const host::Buffer target = chip.allocate(host::Memory::Dram, kPages * kPageBytes, kPageBytes);
  std::vector<uint32_t> numbers(kPages * kPageBytes / 4), result(numbers.size());
  for (uint32_t i = 0; i < numbers.size(); ++i) numbers[i] = i * 2654435761u;
  queue.write(source, std::as_bytes(std::span(numbers)));

  host::Program program("loopback", chip.layout());
  const uint32_t l1 = program.add_l1(kPageBytes, 64);
  // The build says where the kernel is (kerr_use_kernels of CMakeLists.txt).
  const auto copy = program.add_kernel(arch::Hart::Brisc, image::read_elf(KERR_KERNEL_loopback_copy), {&core, 1});
  program.set_args(copy, core, {l1, source.address(), target.address(), kPages, kPageBytes});
  queue.enqueue(program);
  queue.read(target, std::as_writable_bytes(std::span(result)));
  for (const host::ProgramTime& time : queue.finish()) {
    std::printf("%s: %u pages of %u bytes, %llu cycles\n", time.name.c_str(), kPages, kPageBytes,
                static_cast<unsigned long long>(time.end_cycles - time.start_cycles));
  }
  std::printf(result == numbers ? "verified\n" : "the copy is wrong\n");
  return result == numbers;
}

int main() {
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
