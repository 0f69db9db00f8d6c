#include "emu/machine/input.hpp"

#include <fmt/format.h>

#include <utility>

#include "emu/hash.hpp"

namespace kerr::emu {

namespace {

constexpr size_t kMostBytes = size_t{1} << 31;  // the ABI counts in 32 bits

}  // namespace

void Input::serialize(Archive& a) {
  a.below(static_cast<uint64_t>(Kind::End) + 1, kind);
  a.below(static_cast<uint64_t>(Outcome::Threw) + 1, outcome);
  a.below(static_cast<uint64_t>(a.chips), chip);
  a(bar, x, y, length, cycle, address, hash);
  a.blob(bytes, kMostBytes);
}

std::string Input::describe() const {
  const auto event = [&]() -> std::string {
    switch (kind) {
      case Kind::ConfigWrite: return fmt::format("a write of configuration register {:#x}", address);
      case Kind::Read: return fmt::format("a read of {} bytes at {:#x} of BAR{}", length, address, bar);
      case Kind::Write: return fmt::format("a write of {} bytes to {:#x} of BAR{}", bytes.size(), address, bar);
      case Kind::TileRead: return fmt::format("a read of {} bytes at {:#x} of tile ({},{})", length, address, x, y);
      case Kind::TileWrite:
        return fmt::format("a write of {} bytes to {:#x} of tile ({},{})", bytes.size(), address, x, y);
      case Kind::Reset: return fmt::format("a reset of chip {}", chip);
      case Kind::Returned: return fmt::format("a result with hash {:016x}", hash);
      case Kind::HostRead: return fmt::format("a read of {} bytes of host memory at {:#x}", length, address);
      case Kind::HostWrite:
        return fmt::format("a write of {} bytes with hash {:016x} to host memory at {:#x}", length, hash, address);
      case Kind::Note: return fmt::format("a note of {} bytes", bytes.size());
      case Kind::End: break;
    }
    return "the end of the recording";
  };
  const char* how = outcome == Outcome::Done ? "" : outcome == Outcome::Refused ? ", refused" : ", which threw";
  return fmt::format("at cycle {} {}{}", cycle, event(), how);
}

uint64_t fold(uint64_t run, const Input& input) {
  run = mix(run, hash_of(input));
  return run == 0 ? 1 : run;  // 0: nothing was recorded
}

template <class Access>
bool HostPort::told(Input&& input, Access access, std::span<const uint8_t> got) {
  try {
    input.outcome = access() ? Input::Outcome::Done : Input::Outcome::Refused;
  } catch (...) {
    input.outcome = Input::Outcome::Threw;
    tell_(std::move(input));
    throw;
  }
  const bool offered = input.outcome == Input::Outcome::Done;
  if (offered && wanted_()) input.bytes.assign(got.begin(), got.end());
  tell_(std::move(input));
  return offered;
}

bool HostPort::read(uint64_t bus_address, std::span<uint8_t> out) {
  Input input{.kind = Input::Kind::HostRead, .length = static_cast<uint32_t>(out.size()), .address = bus_address};
  return told(
      std::move(input), [&] { return memory_ && memory_->read(bus_address, out); }, out);
}

bool HostPort::write(uint64_t bus_address, std::span<const uint8_t> bytes) {
  Input input{.kind = Input::Kind::HostWrite, .length = static_cast<uint32_t>(bytes.size()), .address = bus_address};
  if (wanted_()) input.hash = mix_bytes(0, bytes);
  return told(std::move(input), [&] { return memory_ && memory_->write(bus_address, bytes); }, {});
}

}  // namespace kerr::emu
