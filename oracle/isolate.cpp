#include "oracle/isolate.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace kerr::oracle {
namespace {

void write_all(int fd, const uint8_t* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = ::write(fd, data, bytes);
    if (n <= 0) _exit(3);
    data += n;
    bytes -= static_cast<size_t>(n);
  }
}

[[noreturn]] void run_child(const std::function<std::vector<uint8_t>()>& work, int result, int text) {
  dup2(text, STDOUT_FILENO);
  dup2(text, STDERR_FILENO);
  try {
    const std::vector<uint8_t> bytes = work();
    write_all(result, bytes.data(), bytes.size());
    _exit(0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::fflush(nullptr);
    _exit(2);
  }
}

}  // namespace

Outcome isolate(const std::function<std::vector<uint8_t>()>& work, unsigned seconds) {
  std::fflush(nullptr);
  int result[2], text[2];
  if (pipe2(result, O_CLOEXEC) != 0 || pipe2(text, O_CLOEXEC) != 0) throw std::runtime_error("cannot create a pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) run_child(work, result[1], text[1]);
  close(result[1]);
  close(text[1]);

  Outcome outcome;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  pollfd fds[2] = {{result[0], POLLIN, 0}, {text[0], POLLIN, 0}};
  bool killed = false;
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (!killed && left.count() <= 0) {
      kill(child, SIGKILL);
      killed = true;
    }
    poll(fds, 2, killed ? -1 : static_cast<int>(left.count()) + 1);
    for (int n = 0; n < 2; ++n) {
      if (fds[n].fd < 0 || fds[n].revents == 0) continue;
      uint8_t buffer[1 << 16];
      const ssize_t got = ::read(fds[n].fd, buffer, sizeof buffer);
      if (got <= 0) {
        fds[n].fd = -1;
      } else if (n == 0) {
        outcome.bytes.insert(outcome.bytes.end(), buffer, buffer + got);
      } else {
        outcome.message.append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(got));
        if (outcome.message.size() > 4096) outcome.message.erase(0, outcome.message.size() - 2048);
      }
    }
  }
  close(result[0]);
  close(text[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (killed) outcome.message += "\nkilled after " + std::to_string(seconds) + " s";
  return outcome;
}

}  // namespace kerr::oracle
