#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_writer.hpp"

// Commands that dispatch_d and dispatch_h both execute.                       docs/hardware/fast-dispatch.md 7.4, 11.2
namespace kerr::firmware {

inline uint64_t load64(uint32_t address) { return load(address) | static_cast<uint64_t>(load(address + 4)) << 32; }

// Data to one place, 64-bit address; to a rectangle if the command names receivers. `write_offset(index)` is added.
template <class Report, class Reader, class Writer, class WriteOffset>
inline uint32_t write_linear(uint32_t command, Reader& reader, Writer& writer, WriteOffset write_offset) {
  const uint32_t receivers = load<uint8_t>(command + offsetof(cq::WriteLinear, num_mcast_dests));
  const uint32_t xy = load(command + offsetof(cq::WriteLinear, noc_xy_addr));
  uint64_t address = load64(command + offsetof(cq::WriteLinear, addr)) +
                     write_offset(load<uint8_t>(command + offsetof(cq::WriteLinear, write_offset_index)));
  uint64_t left = load64(command + offsetof(cq::WriteLinear, length));
  Report::require(address % cq::kL1Align == 0, CqError::Misaligned, static_cast<uint32_t>(address));
  Report::require(left != 0, CqError::BadLength, 0);
  Report::require(receivers == 0 || address >> 32 == 0, CqError::BadMulticastGroup, receivers);
  uint32_t data = command + sizeof(cq::WriteLinear);
  while (left != 0) {
    const uint32_t arrived = reader.wait_data(data);
    uint32_t n = left < arrived ? static_cast<uint32_t>(left) : arrived;
    const uint32_t low = static_cast<uint32_t>(address);
    if (low + n < low) n = 0u - low;  // the upper half of the address changes there
    const Destination to = receivers != 0 ? Destination::rectangle(xy, receivers)
                                          : Destination::unicast(xy, static_cast<uint32_t>(address >> 32));
    if (receivers != 0) writer.barrier();
    writer.write(to, low, data, n);
    data += n;
    address += n;
    left -= n;
  }
  return data;
}

template <class Report>
inline uint32_t host_write_length(uint32_t command) {
  const uint64_t length = load64(command + offsetof(cq::WriteLinearHHost, length));
  const uint32_t low = static_cast<uint32_t>(length);
  Report::require(length == low && low >= cq::kCommandBytes, CqError::BadLength, low);
  return low;
}

// Header and data to the completion queue, whole pages at a time.
template <class Report, class Reader, class Completions>
inline uint32_t write_host(uint32_t command, Reader& reader, Completions& completions) {
  uint32_t left = host_write_length<Report>(command);
  uint32_t source = command;
  while (left != 0) {
    const uint32_t n = min(min(reader.wait_data(source), left), completions.bytes());
    completions.push(source, n);
    source += n;
    left -= n;
  }
  return source;
}

}  // namespace kerr::firmware
