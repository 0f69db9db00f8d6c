// The frames of the GDB remote serial protocol: $payload#checksum, acknowledgements, and the interrupt byte.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::debug {

/// What a client has sent.
struct Event {
  enum class Kind {
    Packet,     // with its payload, still escaped
    Interrupt,  // Ctrl-C
    Damaged,    // a packet with a wrong checksum or of more than kMostBytes: to be sent again
    Resend,     // the client could not read the last packet
  };
  Kind kind = Kind::Packet;
  std::string payload{};
};

/// Cuts a stream of bytes into events. Takes any bytes; keeps at most kMostBytes of them.
class PacketReader {
 public:
  static constexpr size_t kMostBytes = 0x4000;  // of a payload; what qSupported promises

  void feed(std::string_view bytes) { bytes_ += bytes; }
  /// The next event that is whole; nothing: more bytes are needed.
  std::optional<Event> next();

 private:
  std::string bytes_;
  bool skips_ = false;  // the rest of a packet that is too long
};

/// The frame of a payload. Bytes that mean something to the protocol are escaped.
std::string framed(std::string_view payload);
/// The bytes of a payload that was escaped.
std::string unescaped(std::string_view payload);
/// Payloads that show a text on the client's console, none of them longer than what qSupported promises.
std::vector<std::string> console_payloads(std::string_view text);

}  // namespace kerr::debug
