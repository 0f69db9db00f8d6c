#include "host/device/card/system.hpp"

#include <fcntl.h>

namespace kerr::host {

std::optional<std::string> read_text(System& system, const std::string& path) {
  const File file(system, system.open(path, O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::byte bytes[4096];
  const int64_t count = system.pread(file.fd(), bytes, 0);
  if (count < 0) return std::nullopt;
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<size_t>(count));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

int write_text(System& system, const std::string& path, const std::string& text) {
  const File file(system, system.open(path, O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return file.fd();
  const int64_t count = system.pwrite(file.fd(), std::as_bytes(std::span(text)), 0);
  return count < 0 ? static_cast<int>(count) : 0;
}

std::optional<std::string> link_target(System& system, const std::string& path) {
  const std::optional<std::string> target = system.real_path(path);
  if (!target) return std::nullopt;
  return target->substr(target->rfind('/') + 1);
}

Mapping::Mapping(System& system, const File& file, uint64_t bytes, uint64_t offset, int& error) : system_(&system) {
  error = system.map(file.fd(), bytes, offset, at_);
  if (error < 0) {
    at_ = nullptr;
  } else {
    bytes_ = bytes;
  }
}

}  // namespace kerr::host
