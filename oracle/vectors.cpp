#include "oracle/vectors.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace kerr::oracle {
namespace {

using namespace emu::math;

constexpr size_t kSrcB = 8 * kColumns, kDst = 8 * kColumns, kWhole = 64 * kColumns;
constexpr size_t kLanes = 32, kVectorRegisters = 8;
constexpr size_t kDatums = 32, kExponents = 2, kWholeExponents = 64, kWholeDatums = 1024;

// Rows of SrcA that one step reads.
size_t src_a_cells(FpuOp op) { return (op == FpuOp::Mvmul || op == FpuOp::Gapool ? 16 : 8) * kColumns; }

template <class T>
void write_numbers(std::ostream& out, const char* name, const std::vector<T>& values, int digits) {
  out << name << ' ';
  for (const T v : values) {
    char text[16];
    std::snprintf(text, sizeof text, "%0*X", digits, static_cast<unsigned>(v));
    out << text;
  }
  out << '\n';
}

template <class T>
std::vector<T> read_numbers(std::istream& in, const std::string& name, size_t digits) {
  std::string found, text;
  in >> found >> text;
  if (found != name || text.size() % digits != 0) throw std::runtime_error("vectors: expected a line '" + name + "'");
  std::vector<T> values;
  for (size_t n = 0; n < text.size(); n += digits)
    values.push_back(static_cast<T>(std::stoul(text.substr(n, digits), nullptr, 16)));
  return values;
}

// The header line after its keyword, or false at the end of the file.
bool read_header(std::istream& in, const char* keyword, std::istringstream& header) {
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    header.str(line);
    std::string word;
    header >> word;
    if (word != keyword) throw std::runtime_error("vectors: '" + word + "' instead of '" + keyword + "'");
    return true;
  }
  return false;
}

unsigned next(std::istringstream& header) {
  unsigned value = 0;
  if (!(header >> value)) throw std::runtime_error("vectors: a number is missing in a header");
  return value;
}

void skip_line(std::istream& in) { in.ignore(std::numeric_limits<std::streamsize>::max(), '\n'); }

// Cuts the exponents and datums of the first groups out of a tile, and puts them back.
std::vector<uint8_t> cut(const std::vector<uint8_t>& tile, Format f) {
  const size_t exponents = has_shared_exponent(f) ? kExponents : 0, whole = exponents ? kWholeExponents : 0;
  const size_t data = kDatums * datum_bits(f) / 8;
  std::vector<uint8_t> out(exponents + data);
  std::copy_n(tile.begin(), exponents, out.begin());
  std::copy_n(tile.begin() + static_cast<ptrdiff_t>(whole), data, out.begin() + static_cast<ptrdiff_t>(exponents));
  return out;
}
std::vector<uint8_t> paste(const std::vector<uint8_t>& part, Format f) {
  const size_t exponents = has_shared_exponent(f) ? kExponents : 0, whole = exponents ? kWholeExponents : 0;
  std::vector<uint8_t> out(whole + kWholeDatums * datum_bits(f) / 8);
  if (part.size() != exponents + kDatums * datum_bits(f) / 8)
    throw std::runtime_error("vectors: wrong number of datums");
  std::copy_n(part.begin(), exponents, out.begin());
  std::copy(part.begin() + static_cast<ptrdiff_t>(exponents), part.end(), out.begin() + static_cast<ptrdiff_t>(whole));
  return out;
}

}  // namespace

FpuVector first_step(const FpuBlock& block, const std::vector<uint32_t>& result) {
  FpuVector v{block, result};
  v.block.a.resize(src_a_cells(block.op));
  v.block.b.resize(kSrcB);
  v.block.dst.resize(kDst);
  v.result.resize(kDst);
  return v;
}

ConvertVector first_datums(const ConvertBlock& block, const std::vector<uint8_t>& result) {
  ConvertVector v{block, cut(result, block.pack.out)};
  v.block.input = cut(block.input, block.unpack.in);
  v.block.before = cut(block.before, block.pack.out);
  return v;
}

void write(std::ostream& out, const FpuVector& v) {
  const FpuMode& m = v.block.mode;
  const int digits = m.wide() ? 8 : 4;
  out << "# " << describe(v.block) << "\nfpu " << static_cast<unsigned>(v.block.op) << ' ' << code_of(m.src_a) << ' '
      << code_of(m.src_b) << ' ' << m.fp32_dst << ' ' << m.int8_math << ' ' << m.flush_src << ' ' << unsigned{m.phase}
      << ' ' << v.block.broadcast << ' ' << v.block.accumulate << '\n';
  write_numbers(out, "a", v.block.a, 5);
  write_numbers(out, "b", v.block.b, 5);
  write_numbers(out, "dst", v.block.dst, digits);
  write_numbers(out, "out", v.result, digits);
}

bool read(std::istream& in, FpuVector& v) {
  std::istringstream header;
  if (!read_header(in, "fpu", header)) return false;
  FpuMode& m = v.block.mode;
  v.block.op = static_cast<FpuOp>(next(header));
  m.src_a = format_from_code(next(header));
  m.src_b = format_from_code(next(header));
  m.fp32_dst = next(header);
  m.int8_math = next(header);
  m.flush_src = next(header);
  m.phase = static_cast<uint8_t>(next(header) & 3);
  v.block.broadcast = next(header) & 3;
  v.block.accumulate = next(header);
  const size_t digits = m.wide() ? 8 : 4;
  v.block.a = read_numbers<Cell>(in, "a", 5);
  v.block.b = read_numbers<Cell>(in, "b", 5);
  v.block.dst = read_numbers<uint32_t>(in, "dst", digits);
  v.result = read_numbers<uint32_t>(in, "out", digits);
  skip_line(in);
  if (v.block.a.size() != src_a_cells(v.block.op) || v.block.b.size() != kSrcB || v.block.dst.size() != kDst ||
      v.result.size() != kDst)
    throw std::runtime_error("vectors: wrong number of elements");
  return true;
}

void write(std::ostream& out, const ConvertVector& v) {
  const UnpackFormat& u = v.block.unpack;
  const PackFormat& k = v.block.pack;
  out << "# " << describe(v.block) << "\nconvert " << code_of(u.in) << ' ' << code_of(u.out) << ' ' << u.fp8_e4m3 << ' '
      << v.block.to_dst << ' ' << code_of(k.intermediate) << ' ' << code_of(k.out) << ' ' << k.read_32b << ' '
      << k.read_unsigned << ' ' << k.round_10b_mantissa << ' ' << k.fp8_e4m3 << ' ' << unsigned{k.relu_mode} << ' '
      << k.relu_threshold << ' ' << v.block.accumulate << '\n';
  write_numbers(out, "in", v.block.input, 2);
  write_numbers(out, "before", v.block.before, 2);
  write_numbers(out, "out", v.result, 2);
}

bool read(std::istream& in, ConvertVector& v) {
  std::istringstream header;
  if (!read_header(in, "convert", header)) return false;
  UnpackFormat& u = v.block.unpack;
  PackFormat& k = v.block.pack;
  u.in = format_from_code(next(header));
  u.out = format_from_code(next(header));
  u.fp8_e4m3 = next(header);
  v.block.to_dst = next(header);
  k.intermediate = format_from_code(next(header));
  k.out = format_from_code(next(header));
  k.read_32b = next(header);
  k.read_unsigned = next(header);
  k.round_10b_mantissa = next(header);
  k.fp8_e4m3 = next(header);
  k.relu_mode = static_cast<uint8_t>(next(header));
  k.relu_threshold = static_cast<uint16_t>(next(header));
  v.block.accumulate = next(header);
  v.block.input = read_numbers<uint8_t>(in, "in", 2);
  v.block.before = read_numbers<uint8_t>(in, "before", 2);
  v.result = read_numbers<uint8_t>(in, "out", 2);
  skip_line(in);
  return true;
}

// Only registers that have changed, in order of their numbers; the flags count as the eighth.
void write(std::ostream& out, const SfpuVector& v) {
  const auto before = inputs(v.block);
  std::vector<uint32_t> changed, values;
  for (unsigned r = 0; r < kVectorRegisters; ++r) {
    const auto first = v.result.begin() + static_cast<ptrdiff_t>(r * kLanes);
    if (std::equal(first, first + kLanes, before.begin() + r * kLanes)) continue;
    changed.push_back(r);
    values.insert(values.end(), first, first + kLanes);
  }
  out << "# " << describe(v.block) << "\nsfpu " << v.block.format << ' ' << v.block.seed << ' ' << v.block.words.size();
  for (const uint32_t w : v.block.words) out << ' ' << w;
  out << ' ' << changed.size();
  for (const uint32_t r : changed) out << ' ' << r;
  out << '\n';
  if (!changed.empty()) write_numbers(out, "out", values, 8);
}

bool read(std::istream& in, SfpuVector& v) {
  std::istringstream header;
  if (!read_header(in, "sfpu", header)) return false;
  v.block.format = next(header);
  v.block.seed = next(header);
  if (v.block.format > SfpuBlock::kFp32) throw std::runtime_error("vectors: no such format");
  v.block.words.clear();
  for (unsigned n = next(header); n > 0; --n) v.block.words.push_back(next(header));
  std::vector<unsigned> changed;
  for (unsigned n = next(header); n > 0; --n) changed.push_back(next(header));
  const auto before = inputs(v.block);
  v.result.assign(before.begin(), before.end());
  if (changed.empty()) return true;
  const std::vector<uint32_t> values = read_numbers<uint32_t>(in, "out", 8);
  skip_line(in);
  if (values.size() != changed.size() * kLanes) throw std::runtime_error("vectors: wrong number of elements");
  for (size_t n = 0; n < changed.size(); ++n) {
    if (changed[n] >= kVectorRegisters) throw std::runtime_error("vectors: no such register");
    std::copy_n(values.begin() + static_cast<ptrdiff_t>(n * kLanes), kLanes,
                v.result.begin() + static_cast<ptrdiff_t>(changed[n] * kLanes));
  }
  return true;
}

std::vector<uint32_t> run_on_host(const SfpuVector& v) { return run_on_host(v.block); }

std::vector<uint32_t> run_on_host(const FpuVector& v) {
  FpuBlock whole = v.block;
  whole.a.resize(kWhole);
  whole.b.resize(kWhole);
  whole.dst.resize(kWhole);
  std::vector<uint32_t> result = run_on_host(whole);
  result.resize(kDst);
  return result;
}

std::vector<uint8_t> run_on_host(const ConvertVector& v) {
  ConvertBlock whole = v.block;
  whole.input = paste(v.block.input, v.block.unpack.in);
  whole.before = paste(v.block.before, v.block.pack.out);
  return cut(run_on_host(whole), v.block.pack.out);
}

}  // namespace kerr::oracle
