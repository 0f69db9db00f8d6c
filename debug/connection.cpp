#include "debug/connection.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace kerr::debug {

namespace {

// Whether there is something to read within the time; a signal counts as nothing.
bool readable(int descriptor, bool waits) {
  constexpr int kMilliseconds = 200;  // then a caller looks whether it was interrupted
  pollfd asked{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&asked, 1, waits ? kMilliseconds : 0) > 0;
}

}  // namespace

Connection::Connection(uint16_t port) {
  const auto fail = [port](const char* what) {
    throw std::runtime_error(fmt::format("cannot {} port {} of this machine: {}", what, port, std::strerror(errno)));
  };
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0) fail("open");
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t length = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(listener_, 1) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    const int error = errno;
    ::close(listener_);
    errno = error;
    fail("listen on");
  }
  port_ = ntohs(address.sin_port);
}

Connection::~Connection() {
  close();
  ::close(listener_);
}

bool Connection::accept(bool waits) {
  if (is_open()) return true;
  if (!readable(listener_, waits)) return false;
  client_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client_ < 0) return false;
  const int on = 1;
  setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return true;
}

std::string Connection::receive(bool waits) {
  if (!is_open() || !readable(client_, waits)) return {};
  char bytes[4096];
  const ssize_t count = recv(client_, bytes, sizeof bytes, 0);
  if (count > 0) return {bytes, static_cast<size_t>(count)};
  if (count == 0 || (errno != EINTR && errno != EAGAIN)) close();
  return {};
}

void Connection::send(std::string_view bytes) {
  while (is_open() && !bytes.empty()) {
    const ssize_t count = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR) {
      close();
    }
  }
}

void Connection::close() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

}  // namespace kerr::debug
