// Output side of the packer: addresses and streams.   docs/hardware/tensix-datapath.md 12.3
#include <fmt/format.h>

#include <cstring>

#include "emu/tensix/pack/packer.hpp"

namespace kerr::emu::tensix {

namespace {

constexpr uint32_t kAddressMask = 0x1FFFF;  // of 16-byte units

[[gnu::noinline]] Issue beyond_l1(const OutputStream& stream, uint64_t bytes, const char* what) {
  return Issue::fault(FaultCategory::OutOfBounds,
                      fmt::format("packer writes {} to {:#x} .. {:#x}; L1 ends at {:#x}", what, stream.address(),
                                  stream.end_after(bytes) - 1, L1::kBytes),
                      "Check THCON_SEC0_REG1_L1_Dest_addr (tile address / 16 - 1) and the packer's counters.",
                      stream.address());
}

bool inside_l1(const OutputStream& stream, uint64_t bytes) {
  const uint64_t end = stream.end_after(bytes);
  return end <= L1::kBytes || end <= stream.address();
}

}  // namespace

// Gives fresh addresses to streams that need them and checks that all bytes will lie inside L1.
Issue Packer::place_streams(const Adc& adc, uint64_t data_bytes, uint64_t exponent_bytes) {
  if (!data_.needs_address() && !exponents_.needs_address()) {
    if (!inside_l1(exponents_, exponent_bytes)) [[unlikely]]
      return beyond_l1(exponents_, exponent_bytes, "exponents");
    if (!inside_l1(data_, data_bytes)) [[unlikely]]
      return beyond_l1(data_, data_bytes, "datums");
    return Issue::done();
  }
  const PackSettings& s = settings_;
  const AdcChannel& out = adc.channel[1];
  uint32_t a = s.l1_dest_16b + (s.skip_header ? 1 : 0);
  a += (s.out_base + out.y.value * s.out_y_stride + out.z.value * s.out_z_stride + out.w.value * s.out_w_stride) >> 4;
  if (s.add_dest_offset) a += signals_.l1_offset;
  // Only the low bits of the address reach L1; LLK sets bit 31 as a mark.
  a &= 0x7FFFFFFF;
  if (a > s.limit_16b) a -= s.fifo_16b;

  OutputStream data = data_, exponents = exponents_;
  if (exponents.needs_address()) exponents.start_at((a & kAddressMask) * OutputStream::kUnitBytes);
  a += s.exp_section_16b;
  if (data.needs_address()) data.start_at((a & kAddressMask) * OutputStream::kUnitBytes);
  if (!inside_l1(exponents, exponent_bytes)) return beyond_l1(exponents, exponent_bytes, "exponents");
  if (!inside_l1(data, data_bytes)) return beyond_l1(data, data_bytes, "datums");
  data_ = data;
  exponents_ = exponents;
  return Issue::done();
}

void Packer::write(const Packed& packed) {
  data_.append({packed.data.data(), packed.data_bytes},
               [&](uint32_t address, std::span<const uint8_t> bytes) { write_data(address, bytes); });
  append_exponents({packed.exponents.data(), packed.exponent_bytes});
}

void Packer::append_exponents(std::span<const uint8_t> bytes) {
  exponents_.append(bytes, [&](uint32_t address, std::span<const uint8_t> unit) { write_exponents(address, unit); });
}

void Packer::write_exponents(uint32_t address, std::span<const uint8_t> bytes) {
  tile_units_ += static_cast<uint32_t>(bytes.size() / OutputStream::kUnitBytes);
  l1_.write(address, bytes);
}

void Packer::write_data(uint32_t address, std::span<const uint8_t> bytes) {
  tile_units_ += static_cast<uint32_t>(bytes.size() / OutputStream::kUnitBytes);
  if (!settings_.l1_accumulate) {
    l1_.write(address, bytes);
    return;
  }
  l1_.will_read(address, static_cast<uint32_t>(bytes.size()));
  std::array<uint8_t, kMostDatums * 4> sums;
  math::l1_accumulate_datums(settings_.format.out, l1_.data() + address, bytes.data(), bytes.size(), sums.data(),
                             fp16_fault_);
  l1_.write(address, {sums.data(), bytes.size()});
}

// Writes what is buffered and tells how large the tile was.
void Packer::end_tile(int thread) {
  data_.flush([&](uint32_t address, std::span<const uint8_t> bytes) { write_data(address, bytes); });
  exponents_.flush([&](uint32_t address, std::span<const uint8_t> bytes) { write_exponents(address, bytes); });
  signals_.last_size = static_cast<uint16_t>(tile_units_);
  signals_.last_thread = static_cast<int8_t>(thread);
  uint16_t& sum = signals_.accumulated_size[static_cast<size_t>(thread)];
  sum = static_cast<uint16_t>(sum + tile_units_);
  tile_units_ = 0;
  padded_ = 0;
}

}  // namespace kerr::emu::tensix
