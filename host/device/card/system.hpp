// What the drivers of real cards need of Linux, as one small interface: tests put a machine of their own behind it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/bytes.hpp"

namespace kerr::host {

/// Calls return what the kernel returns: a number of at least 0, or -errno. Nothing here throws.
class System {
 public:
  virtual ~System() = default;

  virtual int open(const std::string& path, int flags) = 0;
  virtual int close(int fd) = 0;
  /// `argument`: a number, or the address of the request's structure.
  virtual int ioctl(int fd, unsigned long request, uintptr_t argument) = 0;
  virtual int64_t pread(int fd, std::span<std::byte> out, uint64_t offset) = 0;
  virtual int64_t pwrite(int fd, std::span<const std::byte> bytes, uint64_t offset) = 0;
  /// Shared, readable and writable. `at` is set when the result is 0.
  virtual int map(int fd, uint64_t bytes, uint64_t offset, std::byte*& at) = 0;
  virtual int unmap(std::byte* at, uint64_t bytes) = 0;

  /// Names in a folder, sorted; nothing if it does not exist.
  virtual std::vector<std::string> list(const std::string& folder) = 0;
  /// The path without symbolic links, or nothing.
  virtual std::optional<std::string> real_path(const std::string& path) = 0;

  /// Accesses to mapped device memory. Aligned words are one access each. A combined store may wait for fence().
  virtual void load(const std::byte* from, std::span<std::byte> out) = 0;
  virtual void store(std::byte* to, std::span<const std::byte> bytes) = 0;
  virtual void fence() = 0;

  /// Time that only goes forward, and a short while of it.
  virtual std::chrono::milliseconds now() = 0;
  virtual void pause() = 0;
};

/// The machine that this process runs on.
System& linux_system();

/// A small text file without the newline at its end, or nothing.
std::optional<std::string> read_text(System& system, const std::string& path);
/// 0 or -errno.
int write_text(System& system, const std::string& path, const std::string& text);
/// The last part of what a symbolic link points to, or nothing.
std::optional<std::string> link_target(System& system, const std::string& path);

/// An open file, closed at the end of its life.
class File {
 public:
  File() = default;
  File(System& system, int fd) : system_(&system), fd_(fd) {}
  File(File&& other) noexcept : system_(other.system_), fd_(std::exchange(other.fd_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(system_, other.system_);
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~File() { close(); }

  void close() {
    if (fd_ >= 0) system_->close(std::exchange(fd_, -1));
  }
  /// -errno if the file could not be opened.
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  template <class Struct>
  int ioctl(unsigned long request, Struct& argument) const {
    return system_->ioctl(fd_, request, reinterpret_cast<uintptr_t>(&argument));
  }
  int ioctl_value(unsigned long request, uintptr_t value = 0) const { return system_->ioctl(fd_, request, value); }
  /// A number at an offset, of an open file: whether all of it could be read; 0 if all could be written, or -errno.
  template <class Number>
  bool read(uint64_t offset, Number& value) const {
    return system_->pread(fd_, arch::bytes_of(value), offset) == sizeof value;
  }
  template <class Number>
  int write(uint64_t offset, const Number& value) const {
    const int64_t count = system_->pwrite(fd_, arch::bytes_of(value), offset);
    return count == sizeof value ? 0 : static_cast<int>(std::min<int64_t>(count, -1));
  }

 private:
  System* system_ = nullptr;
  int fd_ = -1;
};

/// Mapped device memory, unmapped at the end of its life.
class Mapping {
 public:
  Mapping() = default;
  /// What `file` shows at `offset`. Empty if that cannot be mapped; `error` then is -errno.
  Mapping(System& system, const File& file, uint64_t bytes, uint64_t offset, int& error);
  Mapping(Mapping&& other) noexcept
      : system_(other.system_), at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(system_, other.system_);
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() { unmap(); }

  void unmap() {
    if (at_ != nullptr) system_->unmap(std::exchange(at_, nullptr), std::exchange(bytes_, 0));
  }
  std::byte* at() const { return at_; }
  uint64_t bytes() const { return bytes_; }

 private:
  System* system_ = nullptr;
  std::byte* at_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace kerr::host
