#include "oracle/fpu_block.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "emu/math/accumulate.hpp"
#include "emu/math/dot_product.hpp"
#include "emu/math/elementwise.hpp"
#include "emu/math/unpack_convert.hpp"
#include "oracle/run.hpp"

namespace kerr::oracle {
namespace {

using namespace emu::math;

// What an unpacker can leave in a cell of this format. The reference simulator that was recorded drops the rest, too,
// which silicon does not (docs/hardware/tensix-math.md 3.2).
Cell unpacked(Cell c, Format f) {
  if (f == Format::Fp16 || f == Format::Fp8) return c & 0x47FFF;
  return f == Format::Tf32 ? c : c & 0x7FFF8;
}

constexpr unsigned kRows = 64, kElements = kRows * kColumns;

bool is_fp16(const FpuBlock& block) { return !block.mode.int8_math && !block.mode.wide_exponent(); }

// ---------------------------------------------------------------- on a device
constexpr uint32_t kA = 0x20000, kB = 0x22000, kDst = 0x24000, kOut = 0x40000;
constexpr uint32_t base_of(uint32_t address) { return address / 16 - 1; }

// L1 datums that unpack to these cells.
std::vector<uint8_t> image_of(const std::vector<Cell>& cells, Format f) {
  std::vector<uint8_t> out;
  const auto put = [&](uint32_t v, unsigned bytes) {
    for (unsigned n = 0; n < bytes; ++n) out.push_back(static_cast<uint8_t>(v >> 8 * n));
  };
  for (const Cell c : cells) {
    if (f == Format::Tf32)
      put(fp32_from_cell(c), 4);
    else if (f == Format::Bf16)
      put(bf16_from_cell(c), 2);
    else if (f == Format::Fp16)
      put(fp16_from_cell(c), 2);
    else if (f == Format::Int8)
      put((cell_negative(c) ? 0x80 : 0) | cell_mantissa(c), 1);
    else
      throw std::runtime_error("no image for this format");
  }
  return out;
}

std::vector<uint8_t> image_of(const std::vector<uint32_t>& values, unsigned bytes) {
  std::vector<uint8_t> out;
  for (const uint32_t v : values)
    for (unsigned n = 0; n < bytes; ++n) out.push_back(static_cast<uint8_t>(v >> 8 * n));
  return out;
}

// In L1, TF32 is stored as FP32.
unsigned l1_code(Format f) { return f == Format::Tf32 ? 0 : code_of(f); }

uint32_t instruction(const FpuBlock& block) {
  const uint32_t elw = block.broadcast << 19;
  const uint32_t accumulate = block.accumulate ? 1u << 21 : 0;
  switch (block.op) {
    case FpuOp::Mvmul: return 0x26000000;
    case FpuOp::Gapool: return 0x34000000 | 1u << 19;
    case FpuOp::Elwmul: return 0x27000000 | elw;
    case FpuOp::Elwadd: return 0x28000000 | elw | accumulate;
    case FpuOp::Elwsub: return 0x30000000 | elw | accumulate;
  }
  return 0;
}

Program program_of(const FpuBlock& block) {
  const FpuMode& mode = block.mode;
  const bool wide = mode.wide();
  const unsigned dst_format = mode.int8_math ? 8 : wide ? 0 : is_fp16(block) ? 1 : 5;
  const unsigned pack_format = mode.int8_math ? 8 : wide ? 0 : 9;
  const uint32_t alu = code_of(mode.src_a) << 17 | code_of(mode.src_b) << 21 | pack_format << 25 |
                       (mode.fp32_dst ? 1u << 29 : 0) | (mode.int8_math ? 1u << 31 : 0);
  Program p;
  p.config(0, 0).config(1, alu).config(2, mode.flush_src ? 0 : 1).config(220, 0);
  // Unpackers: 1024 datums, base and formats set per use below; both plain.
  for (const unsigned n : {64u, 112u}) p.config(n + 1, 0x00040001);
  p.config(84, 0x00400040).config(86, 0x01000100).config(92, 0);
  p.config(50, 0).config(56, 0).config(57, 0).config(71, 0);
  // Packer: rows of 16 datums of Dst in order.
  p.config(12, wide ? 0x00400004 : 0x00200002).config(13, wide ? 0x10000400 : 0x08000200);
  p.config(14, 0).config(15, 0).config(17, 0).config(18, wide).config(20, 0).config(24, 0xFFFF).config(28, 0x1000);
  p.config(68, 0).config(69, base_of(kOut)).config(70, pack_format << 8 | pack_format << 4 | 1).config(180, 0);
  for (const unsigned t : {0u, 1u, 2u, 3u, 7u, 41u, 47u, 48u, 49u}) p.thread_config(t, 0);
  p.thread_config(37, 4).thread_config(38, 0x20);
  const unsigned a_step = block.op == FpuOp::Mvmul || block.op == FpuOp::Gapool ? 16 : 8;
  p.thread_config(12, a_step | 8 << 8).thread_config(28, 8);  // modifier 0: A += step, B += 8, Dst += 8
  p.thread_config(13, 8).thread_config(29, 8);                // modifier 1: A += 8, Dst += 8
  p.thread_config(14, 0).thread_config(30, 0x2000);           // modifier 2: phase += 1
  p.push(0xA2FF8400).push(0x5E6FFC00).push(0x5E803C00).push(0x51E0000A).push(0x54E0000F);
  p.push(0x3700000F).push(0x10180000).drain();

  // Dst: 32 bits wide straight from L1, 16 bits by way of SrcA.
  p.config(64, 0x01000010 | dst_format).config(72, 0x20 | dst_format).config(73, wide ? 0x1F : 0xF);
  p.config(76, base_of(kDst)).thread_config(5, wide ? 0 : 4).push(0xA2FF8400);
  if (wide) {
    p.push(0x42000081).push(0xA2020002);
  } else {
    p.push(0x420000C1);
    for (unsigned n = 0; n < 8; ++n) p.push(0x12002000 | 1 << 14);
    p.push(0x3740000F);
  }
  p.drain();

  p.config(64, 0x01000010 | l1_code(mode.src_a)).config(72, 0x20 | code_of(mode.src_a)).config(73, 0xF);
  p.config(76, base_of(kA)).thread_config(5, 4);
  p.config(112, 0x01000010 | l1_code(mode.src_b)).config(120, 0x20 | code_of(mode.src_b)).config(121, 0xF);
  p.config(124, base_of(kB)).push(0xA2FF8400);
  p.push(0x428000C1).push(0x420000C1).push(0x3700000F);
  // ZEROACC of rows that nobody uses, for the sake of its address modifier.
  for (unsigned n = 0; n < mode.phase; ++n) p.push(0x10080028 | 2 << 14);
  for (unsigned n = 0; n < 8; ++n) p.push(instruction(block));
  p.push(0x37C0000F).push(0xA2020010);
  for (unsigned n = 0; n < 15; ++n) p.push(0x41000000);
  p.push(0x41008001).push(0xA2010008).drain();
  return p;
}

}  // namespace

std::string describe(const FpuBlock& block) {
  const char* names[] = {"MVMUL", "GAPOOL", "ELWMUL", "ELWADD", "ELWSUB"};
  std::string text = names[static_cast<unsigned>(block.op)];
  text += " phase " + std::to_string(block.mode.phase) + ", SrcA " + name_of(block.mode.src_a) + ", SrcB " +
          name_of(block.mode.src_b);
  text += block.mode.int8_math ? ", integer" : block.mode.fp32_dst ? ", FP32 Dst" : ", 16-bit Dst";
  if (!block.mode.flush_src) text += ", no flush";
  if (block.broadcast) text += ", broadcast " + std::to_string(block.broadcast);
  if (!block.accumulate) text += ", no accumulation";
  return text;
}

std::vector<uint32_t> run_on_device(Device& device, const FpuBlock& block) {
  const TileXy tile;
  const unsigned dst_bytes = block.mode.wide() ? 4 : 2;
  device.write(tile, kA, image_of(block.a, block.mode.src_a));
  device.write(tile, kB, image_of(block.b, block.mode.src_b));
  device.write(tile, kDst, image_of(block.dst, dst_bytes));
  const std::string waiting = run_harts(device, tile, {{Hart::Trisc1, program_of(block)}}, {}, 200000);
  if (!waiting.empty()) throw std::runtime_error("the program did not finish: " + describe(block));
  const std::vector<uint8_t> bytes = device.read(tile, kOut, kElements * dst_bytes);
  std::vector<uint32_t> out;
  for (unsigned n = 0; n < kElements; ++n) {
    uint32_t v = 0;
    for (unsigned k = 0; k < dst_bytes; ++k) v |= static_cast<uint32_t>(bytes[dst_bytes * n + k]) << 8 * k;
    // A 16-bit Dst was packed as opaque bits.
    if (dst_bytes == 2)
      v = is_fp16(block) ? decode_fp16(static_cast<uint16_t>(v)) : decode_bf16(static_cast<uint16_t>(v));
    out.push_back(v);
  }
  return out;
}

std::vector<uint32_t> run_on_host(const FpuBlock& block) {
  const FpuMode& mode = block.mode;
  auto a = std::make_unique<SrcBank>(), b = std::make_unique<SrcBank>();
  std::vector<uint16_t> high(kElements), low(kElements);
  const DstRows all{high.data(), mode.wide() ? low.data() : nullptr};
  const auto shift = [&](uint32_t v) { return is_fp16(block) ? (v & 0x8000) << 16 | (v & 0x7FFF) << 13 : v << 16; };
  for (unsigned n = 0; n < kElements; ++n) {
    a->cells[n / kColumns][n % kColumns] = block.a[n];
    b->cells[n / kColumns][n % kColumns] = block.b[n];
    write_dst(mode, all, n / kColumns, n % kColumns, mode.wide() ? block.dst[n] : shift(block.dst[n]));
  }
  const Broadcast broadcast{(block.broadcast & 1) != 0, (block.broadcast & 2) != 0};
  for (unsigned n = 0; n < 8; ++n) {
    const DstRows rows{high.data() + 128 * n, mode.wide() ? low.data() + 128 * n : nullptr};
    switch (block.op) {
      case FpuOp::Mvmul: dot_product(mode, *a, 16 * n % 64, *b, 8 * n, rows, 8); break;
      case FpuOp::Gapool: dot_product(mode, *a, 16 * n % 64, *b, 8 * n, rows, 4); break;
      case FpuOp::Elwmul: elementwise_multiply(mode, *a, 8 * n, *b, 8 * n, broadcast, rows); break;
      case FpuOp::Elwadd: elementwise_add(mode, *a, 8 * n, *b, 8 * n, broadcast, false, block.accumulate, rows); break;
      case FpuOp::Elwsub: elementwise_add(mode, *a, 8 * n, *b, 8 * n, broadcast, true, block.accumulate, rows); break;
    }
  }
  std::vector<uint32_t> out;
  for (unsigned n = 0; n < kElements; ++n) {
    const uint32_t v = read_dst(mode, all, n / kColumns, n % kColumns);
    out.push_back(mode.wide() ? v : is_fp16(block) ? (v >> 16 & 0x8000) | (v >> 13 & 0x7FFF) : v >> 16);
  }
  return out;
}

void randomise(FpuBlock& block, std::mt19937& random) {
  const FpuMode& mode = block.mode;
  const bool fp16 = is_fp16(block);
  const unsigned top = fp16 ? 31 : 255, centre = fp16 ? 15 : 127;
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  // An exponent of the kind that this block draws from.
  const unsigned kind = pick(5), spread = 1 + pick(fp16 ? 10 : 40);
  const auto exponent = [&]() -> unsigned {
    switch (kind) {
      case 0: return pick(top + 1);
      case 1: return centre - spread / 2 + pick(spread);
      case 2: return pick(4) ? 0 : centre - 2 + pick(4);
      case 3: return pick(2) ? pick(spread) : top - pick(spread);
      default: return centre / 2 - spread / 2 + pick(spread);
    }
  };
  const auto cell = [&](Format f) {
    if (mode.int8_math) return cell_from_int8(random() & 0xFF, false);
    const unsigned mantissa = pick(3) ? random() & 0x3FF : pick(2) ? 0 : 0x3FF;
    return unpacked(make_cell(random() & 1, exponent(), mantissa), f);
  };
  block.a.resize(kElements);
  block.b.resize(kElements);
  block.dst.resize(kElements);
  for (Cell& c : block.a) c = cell(mode.src_a);
  for (Cell& c : block.b) c = cell(mode.src_b);
  // 0 - 0 without flushing is the one corner where the reference simulator is known to be off (tensix-math.md 5.2).
  if (!mode.flush_src && (block.op == FpuOp::Elwadd || block.op == FpuOp::Elwsub))
    for (Cell& c : block.b) c |= (c & ~kCellSign) == 0 ? 8 : 0;
  for (uint32_t& v : block.dst) {
    const uint32_t sign = random() & 1, m = random() & (pick(2) ? 0x7FFFFF : 0x7FE000);
    if (mode.int8_math)
      v = sign << 31 | (random() >> (1 + pick(31)));
    else if (mode.wide())
      v = sign << 31 | (fp16 ? exponent() * 3 + 80 : exponent()) << 23 | m;
    else if (fp16)
      v = sign << 15 | (1 + pick(31)) << 10 | m >> 13;
    else
      v = sign << 15 | std::max(1u, exponent()) << 7 | m >> 16;
  }
}

}  // namespace kerr::oracle
