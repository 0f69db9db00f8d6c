// A port of the loopback and its one client.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kerr::debug {

class Connection {
 public:
  /// Listens on 127.0.0.1, and nowhere else. `port` 0: any that is free. Throws std::runtime_error with a sentence.
  explicit Connection(uint16_t port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  uint16_t port() const { return port_; }
  bool is_open() const { return client_ >= 0; }
  /// Takes a client that wants to connect, or waits for one. Another one waits until this one has gone.
  bool accept(bool waits);
  /// Bytes that have come, or, if `waits`, at least one. Empty: none yet, or the client has gone (is_open()).
  std::string receive(bool waits);
  /// Waits until all are under way.
  void send(std::string_view bytes);
  void close();

 private:
  int listener_ = -1;
  int client_ = -1;
  uint16_t port_ = 0;
};

}  // namespace kerr::debug
