#include "oracle/fma_block.hpp"

#include <cstring>
#include <stdexcept>

#include "arch/bytes.hpp"
#include "emu/math/fma.hpp"
#include "oracle/run.hpp"

namespace kerr::oracle {
namespace {

constexpr size_t kCases = 4096;
constexpr uint32_t kIn = 0x20000, kOut = 0x40000;

// for (p = kIn, q = kOut; p != end; p += 12, q += 4) *q = fmadd(p[0], p[1], p[2])
Program program_of(size_t cases) {
  Program p;
  const auto li = [&](uint32_t rd, uint32_t value) {
    const uint32_t upper = (value + 0x800) & 0xFFFFF000;
    p.raw(upper | rd << 7 | 0x37).raw((value - upper) << 20 | rd << 15 | rd << 7 | 0x13);
  };
  const uint32_t in = 10, out = 11, end = 12;  // a0, a1, a2
  li(in, kIn);
  li(out, kOut);
  li(end, kIn + 12 * static_cast<uint32_t>(cases));
  for (uint32_t n = 0; n < 3; ++n) p.raw(4 * n << 20 | in << 15 | 2 << 12 | (1 + n) << 7 | 0x07);  // flw f1..f3
  p.raw(3u << 27 | 2 << 20 | 1 << 15 | 7 << 12 | 4 << 7 | 0x43);  // fmadd.s f4, f1, f2, f3
  p.raw(4 << 20 | out << 15 | 2 << 12 | 0x27);                    // fsw f4, 0(a1)
  p.raw(12 << 20 | in << 15 | in << 7 | 0x13).raw(4 << 20 | out << 15 | out << 7 | 0x13);
  const uint32_t back = static_cast<uint32_t>(-28);  // bne a0, a2, to the first flw
  p.raw((back >> 12 & 1) << 31 | (back >> 5 & 0x3F) << 25 | end << 20 | in << 15 | 1 << 12 | (back >> 1 & 15) << 8 |
        (back >> 11 & 1) << 7 | 0x63);
  return p;
}

}  // namespace

std::string describe(const FmaBlock&) { return "fmadd.s"; }

void randomise(FmaBlock& block, std::mt19937& random) {
  block.operands.resize(3 * kCases);
  for (size_t n = 0; n < kCases; ++n) {
    uint32_t* v = &block.operands[3 * n];
    for (int k = 0; k < 3; ++k) v[k] = static_cast<uint32_t>(random());
    const unsigned kind = random() % 4;
    if (kind == 0) continue;
    const unsigned centre = kind == 1 ? 127 : random() % 256;
    const auto exponent = [&](unsigned e) { return (e + random() % 3) % 256 << 23; };
    v[0] = (v[0] & 0x807FFFFF) | exponent(centre);
    v[1] = (v[1] & 0x807FFFFF) | exponent(126);
    v[2] = (v[2] & 0x807FFFFF) | exponent(centre + (kind == 3 ? random() % 60 - 30 : 0));
    if (kind == 2) {  // near-total cancellation
      uint32_t product = emu::math::fma(v[0], v[1], 0);
      v[2] = (product ^ 0x80000000) + random() % 5 - 2;
    }
    if (random() % 16 == 0) v[random() % 3] &= 0xFF800000;
  }
}

std::vector<uint32_t> run_on_device(Device& device, const FmaBlock& block) {
  const TileXy tile;
  const size_t cases = block.operands.size() / 3;
  device.write(tile, kIn, arch::as_uint8(block.operands));
  if (!run_harts(device, tile, {{Hart::Brisc, program_of(cases)}}, {}, 200000).empty())
    throw std::runtime_error("the loop of fmadd.s did not finish");
  const std::vector<uint8_t> bytes = device.read(tile, kOut, 4 * cases);
  std::vector<uint32_t> out(cases);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::vector<uint32_t> run_on_host(const FmaBlock& block) {
  std::vector<uint32_t> out;
  for (size_t n = 0; n + 2 < block.operands.size(); n += 3)
    out.push_back(emu::math::fma(block.operands[n], block.operands[n + 1], block.operands[n + 2]));
  return out;
}

}  // namespace kerr::oracle
