// Where the time of one's own program goes: exact timing, an observer, a table, and a file for trace viewers.
#include <kerr/host.hpp>
#include <kerr/kernels.hpp>
#include <kerr/report.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace kerr;

constexpr uint32_t kTiles = 32, kTileBytes = 2048, kCores = 2;

// The program: y = x / (1 + x * x), written as values of 32 lanes. docs/guide/kernels.md goes through its parts.
host::Program quotient(const host::Chip& chip, const host::Buffer& x, const host::Buffer& y) {
  const kernels::elementwise::Traffic traffic{.format = kernels::Format::Bf16, .inputs = 1};
  kernels::vector::Code code;
  const auto value = code.load(0);
  code.store(0, code.round_to_bf16(kernels::vector::divide(code, value, code.mad(value, value, code.one()))));
  const kernels::Kernel math =
      kernels::elementwise::math(traffic, kernels::vector::emit(code, {.dst32 = false, .first_spill = 1, .tiles = 8}));
  kernels::CheckedProgram program("quotient", chip.layout());
  kernels::elementwise::add_streams(program, traffic, kernels::elementwise::reader(traffic, chip.layout()), math,
                                    kTiles, chip.workers().first(kCores),
                                    {.inputs = {x.address()}, .output = y.address()});
  return std::move(program).finish();
}

float of_bits(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

int main() try {
  report::Timeline timeline;  // lives longer than the device, which tells it of everything
  host::EmulatedDevice device({.chip = {.timing = emu::Timing::Exact, .observer = &timeline}});
  host::Chip chip(device);
  host::CommandQueue queue(chip);
  const host::Buffer x = chip.allocate(host::Memory::Dram, kTiles * kTileBytes, kTileBytes);
  const host::Buffer y = chip.allocate(host::Memory::Dram, kTiles * kTileBytes, kTileBytes);
  std::vector<uint16_t> in(kTiles * 1024), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(0x3F00 | (i & 0xFF));  // from 0.5 to 2
  queue.write(x, std::as_bytes(std::span(in)));
  queue.finish();
  queue.enqueue(quotient(chip, x, y));
  const host::ProgramTime time = queue.finish().back();
  queue.read(y, std::as_writable_bytes(std::span(out)));

  double worst = 0;  // relative; half a step of bf16 is 1/256
  for (size_t i = 0; i < in.size(); ++i) {
    const double exact = of_bits(in[i]) / (1.0 + double{of_bits(in[i])} * of_bits(in[i]));
    worst = std::max(worst, std::abs(of_bits(out[i]) - exact) / std::abs(exact));
  }
  std::printf("%s\n%s", report::text(report::utilisation(timeline, time.start_cycles, time.end_cycles), "").c_str(),
              report::text(report::critical_path(timeline, time.start_cycles, time.end_cycles), "").c_str());
  const char* const name = "quotient.json";
  std::FILE* file = std::fopen(name, "w");
  if (file == nullptr) throw std::runtime_error("quotient.json cannot be written");
  report::write_trace([&](std::string_view part) { std::fwrite(part.data(), 1, part.size(), file); }, timeline,
                      time.start_cycles, time.end_cycles, 1350);  // cycles of a microsecond
  std::printf("%s: %ld KB\n", name, std::ftell(file) / 1000);
  std::fclose(file);
  const bool right = worst <= 1.0 / 256;
  std::printf("relative error of %zu numbers: at most 2^%.1f%s\n", in.size(), std::log2(worst),
              right ? ": verified" : "");
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("%s\n", error.what());
  return 1;
}
