#include "oracle/convert_block.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "oracle/run.hpp"

namespace kerr::oracle {
namespace {

using namespace emu::math;

constexpr unsigned kDatums = 1024, kExponents = 64;
constexpr uint32_t kIn = 0x20000, kOut = 0x40000;

size_t tile_bytes(Format f) { return (has_shared_exponent(f) ? kExponents : 0) + kDatums * datum_bits(f) / 8; }

// Where MOVA2D puts a cell of this format.
bool dst_is_wide(const ConvertBlock& b) {
  return b.to_dst ? unpacks_to_wide_dst(b.unpack) : b.unpack.out == Format::Tf32;
}

uint32_t move_to_dst(Format f, Cell c) {
  if (f == Format::Tf32) return encode_32(fp32_from_cell(c));
  return style_of(f) == Style::Fp16 ? encode_fp16(fp16_from_cell(c)) : encode_bf16(bf16_from_cell(c));
}

Program program_of(const ConvertBlock& b) {
  const PackFormat& k = b.pack;
  const unsigned intermediate = code_of(k.intermediate), out = code_of(k.out);
  const unsigned size_class = intermediate & 3;
  const uint32_t xy[] = {0x00400004, 0x00200002, 0x00100001, 0x00100001};
  const uint32_t zw[] = {0x10000400, 0x08000200, 0x04000100, 0x04000100};
  const uint32_t a_format = code_of(b.unpack.out);
  Program p;
  p.config(0, 0).config(1, a_format << 17 | a_format << 21 | intermediate << 25 | (dst_is_wide(b) ? 1u << 29 : 0) |
                               (b.unpack.unsigned_int8 ? 1u << 15 : 0));
  p.config(2, 1 | static_cast<uint32_t>(k.relu_mode) << 2 | static_cast<uint32_t>(k.relu_threshold) << 6);
  p.config(220, 0).config(64, 0x01000010 | code_of(b.unpack.in)).config(65, 0x00040001);
  p.config(72, 0x20 | a_format).config(73, b.to_dst ? 0x1F : 0xF);
  p.config(76, kIn / 16 - 1).config(84, 0x00400040).config(86, 0x01000100).config(92, 0);
  p.config(50, 0).config(56, 0).config(57, 0);
  p.config(71, (b.accumulate ? 1u << 19 : 0) | (b.unpack.fp8_e4m3 ? 1u << 22 : 0) | (k.fp8_e4m3 ? 1u << 23 : 0));
  p.config(12, xy[size_class]).config(13, zw[size_class]).config(14, 0).config(15, 0).config(17, 0);
  p.config(18,
           (k.read_32b ? 1 : 0) | (k.read_unsigned ? 2 : 0) | (k.read_raw ? 4 : 0) | (k.round_10b_mantissa ? 8 : 0));
  p.config(20, 0).config(24, 0xFFFF).config(28, 0x1000);
  p.config(68, has_shared_exponent(k.out) ? kExponents / 16 << 16 : 0).config(69, kOut / 16 - 1);
  p.config(70, intermediate << 8 | out << 4 | 1).config(180, 0);
  for (const unsigned t : {0u, 1u, 2u, 3u, 7u, 41u, 47u}) p.thread_config(t, 0);
  p.thread_config(5, b.to_dst ? 0 : 4).thread_config(12, 8).thread_config(28, 8);
  p.thread_config(37, 4).thread_config(38, 0x20);
  p.push(0xA2FF8400).push(0x5E2FFC00).push(0x5E803C00).push(0x51E0000A).push(0x54E0000F);
  p.push(0x3700000F).push(0x10180000);
  if (b.to_dst) {
    p.push(0x42000081).push(0xA2020002);
  } else {
    p.push(0x420000C1);
    for (unsigned n = 0; n < 8; ++n) p.push(0x12002000);
    p.push(0x37400005).push(0xA2020010);
  }
  for (unsigned n = 0; n < 15; ++n) p.push(0x41000000);
  p.push(0x41008001).push(0xA2010008).drain();
  return p;
}

}  // namespace

std::string describe(const ConvertBlock& b) {
  std::string text = std::string("unpack ") + name_of(b.unpack.in) + " to " + (b.to_dst ? "Dst " : "SrcA ") +
                     name_of(b.unpack.out) + (b.unpack.fp8_e4m3 ? " (e4m3)" : "");
  text += ", pack " + std::string(b.pack.read_32b ? "32-bit" : "16-bit") + " Dst as " + name_of(b.pack.intermediate) +
          " to " + name_of(b.pack.out) + (b.pack.fp8_e4m3 ? " (e4m3)" : "");
  if (b.pack.round_10b_mantissa) text += ", Round_10b_mant";
  if (b.pack.read_unsigned) text += ", unsigned";
  if (b.pack.relu_mode) text += ", ReLU " + std::to_string(b.pack.relu_mode);
  if (b.accumulate) text += ", accumulated";
  return text;
}

std::vector<uint8_t> run_on_device(Device& device, const ConvertBlock& b) {
  const TileXy tile;
  device.write(tile, kIn, b.input);
  device.write(tile, kOut, b.before);
  if (!run_harts(device, tile, {{Hart::Trisc1, program_of(b)}}, {}, 200000).empty())
    throw std::runtime_error("the program did not finish: " + describe(b));
  return device.read(tile, kOut, b.before.size());
}

std::vector<uint8_t> run_on_host(const ConvertBlock& b) {
  const uint8_t* exponents = b.input.data();
  const uint8_t* data = b.input.data() + (has_shared_exponent(b.unpack.in) ? kExponents : 0);
  std::vector<uint32_t> raw(kDatums);
  if (b.to_dst) {
    unpack_to_dst(b.unpack, data, exponents, 0, kDatums, raw.data());
  } else {
    unpack_to_src(b.unpack, data, exponents, 0, kDatums, raw.data());
    for (uint32_t& v : raw) v = move_to_dst(b.unpack.out, v);
  }
  std::vector<uint32_t> packed(kDatums);
  const PackPath path(b.pack);
  for (unsigned n = 0; n < kDatums; ++n) packed[n] = path.late(path.relu(path.early(raw[n])));
  std::vector<uint8_t> out = b.before;
  if (has_shared_exponent(b.pack.out)) {
    for (unsigned group = 0; group < kDatums / 16; ++group)
      out[group] = assemble_bfp(b.pack.out, &packed[16 * group], &out[kExponents + group * 2 * datum_bits(b.pack.out)]);
    return out;
  }
  const unsigned bytes = datum_bits(b.pack.out) / 8;
  for (unsigned n = 0; n < kDatums; ++n) {
    if (b.accumulate) packed[n] = l1_accumulate(b.pack.out, datum_at(b.pack.out, b.before.data(), n), packed[n]);
    std::memcpy(&out[bytes * n], &packed[n], bytes);
  }
  return out;
}

void randomise(ConvertBlock& b, std::mt19937& random) {
  const unsigned kind = random() % 3, centre = kind == 2 ? random() % 256 : 127;
  // Fills with floating-point numbers of a width (exponent bits known), or with any bits.
  const auto fill = [&](std::vector<uint8_t>& bytes, Format f) {
    bytes.resize(tile_bytes(f));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (kind == 0) return;
    const bool fp16 = f == Format::Fp16, fp32 = datum_bits(f) == 32 && f != Format::Int32;
    if (has_shared_exponent(f))
      for (unsigned n = 0; n < kExponents; ++n) bytes[n] = static_cast<uint8_t>(centre + random() % 16);
    const unsigned mantissa_bits = fp32 ? 23 : fp16 ? 10 : 7;
    if (!fp32 && !fp16 && f != Format::Bf16) return;
    for (unsigned n = 0; n < kDatums; ++n) {
      const unsigned e = fp16 ? (centre / 8 + random() % 6) % 32 : (centre - 12 + random() % 28) % 256;
      uint32_t mantissa = random() & ((1u << mantissa_bits) - 1);
      if (fp32 && random() % 2)
        mantissa = (mantissa & 0x7F0000) | 0x8000u >> random() % 4;  // ties and their neighbours
      const uint32_t v = (random() & 1) << (datum_bits(f) - 1) | e << mantissa_bits | mantissa;
      std::memcpy(&bytes[n * datum_bits(f) / 8], &v, datum_bits(f) / 8);
    }
  };
  fill(b.input, b.unpack.in);
  fill(b.before, b.pack.out);
  if (!b.accumulate) std::fill(b.before.begin(), b.before.end(), uint8_t{0});
  if (b.pack.relu_mode > 1)
    b.pack.relu_threshold = static_cast<uint16_t>(random() % 2 ? 0x3C00 + random() % 0x800 : random() & 0x7FFF);
}

std::vector<ConvertBlock> comparable_conversions() {
  std::vector<ConvertBlock> out;
  const auto add = [&](UnpackFormat u, bool to_dst, PackFormat k) {
    ConvertBlock b;
    b.unpack = u;
    b.to_dst = to_dst;
    b.pack = k;
    for (unsigned relu = 0; relu < 4; ++relu) {
      b.pack.relu_mode = static_cast<uint8_t>(relu);
      if (pack_refusal(b.pack) == nullptr) out.push_back(b);
    }
    b.pack.relu_mode = 0;
    b.accumulate = l1_accumulate_refusal(k.out) == nullptr;
    if (b.accumulate) out.push_back(b);
  };
  const auto format = [](unsigned intermediate, unsigned result, bool read_32b, bool round = false) {
    PackFormat k;
    k.intermediate = format_from_code(intermediate);
    k.out = format_from_code(result);
    k.read_32b = read_32b;
    k.round_10b_mantissa = round;
    return k;
  };
  const PackFormat opaque = format(9, 9, false), fp32 = format(0, 0, true);

  // Unpacking, seen through conversions that change nothing.
  add({Format::Fp32, Format::Tf32}, false, fp32);
  for (const Format f : {Format::Bf16, Format::Fp16}) add({Format::Fp32, f}, false, opaque);
  for (const Format f :
       {Format::Bf16, Format::Fp16, Format::Bfp8, Format::Bfp4, Format::Bfp2, Format::Int16, Format::Fp8})
    add({f, f}, false, opaque);
  add({Format::Fp8, Format::Fp8, true}, false, opaque);
  add({Format::Fp32, Format::Fp32}, true, fp32);
  add({Format::Fp32, Format::Tf32}, true, fp32);
  add({Format::Int32, Format::Int32}, true, format(8, 8, true));

  // Packing.
  const UnpackFormat wide{Format::Fp32, Format::Fp32}, bf16{Format::Bf16, Format::Bf16},
      fp16{Format::Fp16, Format::Fp16};
  for (const unsigned result : {0u, 1u, 6u, 7u, 15u}) add(wide, true, format(0, result, true));
  add(wide, true, format(1, 1, true, true));
  PackFormat fp8 = format(1, 10, true, true);
  fp8.fp8_e4m3 = true;
  add(wide, true, fp8);
  add(wide, true, format(5, 5, true));
  add(wide, true, format(6, 6, true));
  add(wide, true, format(6, 7, true));
  add(wide, true, format(9, 9, true));
  for (const bool is_unsigned : {false, true}) {
    PackFormat int8 = format(14, 14, true);
    int8.read_unsigned = is_unsigned;
    add({Format::Int32, Format::Int32}, true, int8);
  }
  for (const unsigned result : {0u, 1u, 5u}) add(fp16, false, format(1, result, false));
  fp8.read_32b = false;
  add(bf16, false, fp8);
  fp8.round_10b_mantissa = false;
  add(fp16, false, fp8);
  add(fp16, false, format(2, 6, false));
  for (const unsigned result : {0u, 5u, 6u, 7u, 15u}) add(bf16, false, format(5, result, false));
  for (const unsigned result : {0u, 5u, 6u, 7u}) add(bf16, false, format(6, result, false));
  return out;
}

}  // namespace kerr::oracle
