// Packets of a session about registers, memory, files and monitor commands.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "debug/condition.hpp"
#include "debug/hex.hpp"
#include "debug/packets.hpp"
#include "debug/session.hpp"

namespace kerr::debug {

namespace {

constexpr size_t kMostRead = 0x1800;
const std::string kError = "E01";

// The CRC of the remote serial protocol: polynomial 0x04C11DB7, highest bit first, from all ones, not inverted.
uint32_t crc32(uint32_t crc, std::span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes) {
    crc ^= static_cast<uint32_t>(byte) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc >> 31 ? 0x04C11DB7u : 0);
  }
  return crc;
}

// ADDRESS,LENGTH
struct Range {
  uint32_t address = 0, bytes = 0;
};
std::optional<Range> range_in(std::string_view text) {
  const auto address = number_in(take_until(text, ','));
  const auto bytes = word_in(text);
  if (!address || !bytes) return std::nullopt;
  return Range{static_cast<uint32_t>(*address), *bytes};  // some clients extend the sign
}

}  // namespace

std::string Session::registers() {
  if (current() == 0) return kError;
  std::string out;
  for (const uint32_t value : target_.registers(current())) out += hex_of_word(value);
  return out;
}

std::string Session::write_registers(std::string_view digits) {
  const auto bytes = bytes_in(digits);
  if (current() == 0 || !bytes || bytes->size() != 4 * kRegisters) return kError;
  const std::vector<uint32_t> before = target_.registers(current());
  for (uint32_t i = 0; i < kRegisters; ++i) {
    const uint32_t value = (*bytes)[4 * i] | (*bytes)[4 * i + 1] << 8 | (*bytes)[4 * i + 2] << 16 |
                           static_cast<uint32_t>((*bytes)[4 * i + 3]) << 24;
    if (value == before[i]) continue;
    if (const std::string why = target_.write_register(current(), i, {&value, 1}); !why.empty()) return "E." + why;
  }
  return "OK";
}

std::string Session::one_register(std::string_view number) {
  const auto n = word_in(number);
  if (current() == 0 || !n) return kError;
  std::string out;
  for (const uint32_t word : target_.one_register(current(), *n)) out += hex_of_word(word);
  return out.empty() ? kError : out;
}

std::string Session::write_one_register(std::string_view rest) {
  const auto n = word_in(take_until(rest, '='));
  const auto bytes = bytes_in(rest);
  if (current() == 0 || !n || !bytes || bytes->empty() || bytes->size() % 4 != 0) return kError;
  std::vector<uint32_t> words(bytes->size() / 4);
  for (size_t i = 0; i < bytes->size(); ++i) words[i / 4] |= uint32_t{(*bytes)[i]} << 8 * (i % 4);
  const std::string why = target_.write_register(current(), *n, words);
  return why.empty() ? "OK" : "E." + why;
}

std::string Session::read_memory(std::string_view rest) {
  const auto range = range_in(rest);
  if (current() == 0 || !range) return kError;
  std::vector<uint8_t> bytes(std::min<size_t>(range->bytes, kMostRead));
  bytes.resize(target_.read(current(), range->address, bytes));
  return bytes.empty() && range->bytes != 0 ? kError : hex_of(bytes);
}

std::string Session::write_memory(std::string_view rest, bool binary) {
  const auto range = range_in(take_until(rest, ':'));
  if (current() == 0 || !range) return kError;
  std::vector<uint8_t> bytes;
  if (binary) {
    const std::string raw = unescaped(rest);
    bytes.assign(raw.begin(), raw.end());
  } else if (auto digits = bytes_in(rest)) {
    bytes = std::move(*digits);
  }
  if (bytes.size() != range->bytes) return kError;
  return bytes.empty() || target_.write(current(), range->address, bytes) ? "OK" : kError;
}

std::string Session::checksum(std::string_view rest) {
  const auto range = range_in(rest);
  constexpr uint32_t kMost = 2u << 20;  // more than L1
  if (current() == 0 || !range || range->bytes > kMost) return kError;
  uint32_t crc = ~0u;
  std::array<uint8_t, 4096> piece;
  for (uint32_t done = 0; done < range->bytes;) {
    const auto size = std::min<uint32_t>(piece.size(), range->bytes - done);
    if (target_.read(current(), range->address + done, {piece.data(), size}) != size) return kError;
    crc = crc32(crc, {piece.data(), size});
    done += size;
  }
  return fmt::format("C{:x}", crc);
}

Session::Replies Session::monitor(std::string_view digits) {
  const auto bytes = bytes_in(digits);
  if (!bytes) return {kError};
  const std::string command(bytes->begin(), bytes->end());
  const std::string text = target_.monitor(current(), command);
  Replies replies = console_payloads(text);
  replies.push_back("OK");
  return replies;
}

// A name that libraries() gives is a file that only this can open.
std::string Session::files(std::string_view rest) {
  constexpr std::string_view kNoSuchFile = "F-1,2", kBadDescriptor = "F-1,9";
  constexpr size_t kMostOpened = 64;
  const std::string_view call = take_until(rest, ':');
  if (call == "setfs") return "F0";
  if (call == "open") {
    const auto name = bytes_in(take_until(rest, ','));
    const auto flags = word_in(take_until(rest, ','));
    if (!name || !flags) return kError;
    std::string path(name->begin(), name->end());
    if (*flags != 0 || target_.file(path) == nullptr) return std::string(kNoSuchFile);
    if (opened_.size() >= kMostOpened) return "F-1,18";  // too many
    opened_[next_descriptor_] = std::move(path);
    return fmt::format("F{:x}", next_descriptor_++);
  }
  if (call != "pread" && call != "fstat" && call != "close") return "";
  const auto descriptor = word_in(take_until(rest, ','));
  const auto found = descriptor ? opened_.find(*descriptor) : opened_.end();
  if (found == opened_.end()) return std::string(kBadDescriptor);
  if (call == "close") return opened_.erase(found), "F0";
  const std::string* const contents = target_.file(found->second);
  if (contents == nullptr) return std::string(kBadDescriptor);
  if (call == "fstat") {
    // struct stat of the protocol: 64 bytes, big-endian: mode at 8, size at 28.
    std::string stat(64, '\0');
    const auto put = [&](size_t at, uint32_t value) {
      for (size_t i = 0; i < 4; ++i) stat[at + i] = static_cast<char>(value >> (24 - 8 * i));
    };
    put(8, 0100444);
    put(32, static_cast<uint32_t>(contents->size()));
    return "F40;" + stat;
  }
  const auto count = number_in(take_until(rest, ','));
  const auto offset = number_in(rest);
  if (!count || !offset) return kError;
  if (*offset >= contents->size()) return "F0;";
  const std::string part = contents->substr(*offset, std::min<uint64_t>(*count, kMostRead));
  return fmt::format("F{:x};", part.size()) + part;
}

bool Session::condition_holds(Pid pid, const Breakpoint& breakpoint) {
  return breakpoint.conditions.empty() || std::ranges::any_of(breakpoint.conditions, [&](const std::string& code) {
           return evaluate(code, target_, pid).value_or(1) != 0;  // what cannot be told is the client's to judge
         });
}

}  // namespace kerr::debug
