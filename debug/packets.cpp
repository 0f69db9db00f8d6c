#include "debug/packets.hpp"

#include <fmt/format.h>

#include "debug/hex.hpp"

namespace kerr::debug {

namespace {

constexpr char kInterrupt = 3;
constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;

unsigned sum_of(std::string_view payload) {
  unsigned sum = 0;
  for (const char c : payload) sum += static_cast<unsigned char>(c);
  return sum & 0xFF;
}

}  // namespace

std::optional<Event> PacketReader::next() {
  while (!bytes_.empty()) {
    if (!skips_ && bytes_.front() != '$') {
      const char c = bytes_.front();
      bytes_.erase(0, 1);
      if (c == kInterrupt) return Event{Event::Kind::Interrupt};
      if (c == '-') return Event{Event::Kind::Resend};
      continue;
    }
    const size_t end = bytes_.find('#');
    if (end == std::string::npos) {
      if (bytes_.size() <= kMostBytes + 1) return std::nullopt;
      skips_ = true;
      bytes_.clear();
      return std::nullopt;
    }
    if (bytes_.size() < end + 3) return std::nullopt;
    const std::string payload = bytes_.substr(skips_ ? 0 : 1, skips_ ? 0 : end - 1);
    const auto sum = number_in(std::string_view(bytes_).substr(end + 1, 2));
    const bool whole = !skips_ && payload.size() <= kMostBytes && sum == sum_of(payload);
    bytes_.erase(0, end + 3);
    skips_ = false;
    if (!whole) return Event{Event::Kind::Damaged};
    return Event{Event::Kind::Packet, payload};
  }
  return std::nullopt;
}

std::string framed(std::string_view payload) {
  std::string out = "$";
  for (const char c : payload) {
    if (c == '#' || c == '$' || c == '*' || c == kEscape) {
      out += kEscape;
      out += static_cast<char>(c ^ kEscapeBit);
    } else {
      out += c;
    }
  }
  return out + fmt::format("#{:02x}", sum_of(std::string_view(out).substr(1)));
}

std::string unescaped(std::string_view payload) {
  std::string out;
  for (size_t i = 0; i < payload.size(); ++i) {
    const bool escapes = payload[i] == kEscape && i + 1 < payload.size();
    out += escapes ? static_cast<char>(payload[++i] ^ kEscapeBit) : payload[i];
  }
  return out;
}

std::vector<std::string> console_payloads(std::string_view text) {
  constexpr size_t kMost = 0x1000;  // two digits each
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size(); at += kMost) out.push_back("O" + hex_of(text.substr(at, kMost)));
  return out;
}

}  // namespace kerr::debug
