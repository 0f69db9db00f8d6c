// The System of a Linux host.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "host/device/card/system.hpp"

namespace kerr::host {
namespace {

template <class Result>
Result or_errno(Result result) {
  return result < 0 ? static_cast<Result>(-errno) : result;
}

// Device memory sees each aligned word as one access: the compiler may neither split nor merge them.
size_t widest_access(const void* device, size_t bytes) {
  for (size_t n : {8, 4, 2}) {
    if (bytes >= n && reinterpret_cast<uintptr_t>(device) % n == 0) return n;
  }
  return 1;
}

// Calls access(word, device, host) for every access; `word`: any number of its size.
template <class Device, class Host, class Access>
void by_words(Device* device, std::span<Host> host, Access&& access) {
  while (!host.empty()) {
    const size_t n = widest_access(device, host.size());
    switch (n) {
      case 8: access(uint64_t{}, device, host.data()); break;
      case 4: access(uint32_t{}, device, host.data()); break;
      case 2: access(uint16_t{}, device, host.data()); break;
      default: access(uint8_t{}, device, host.data());
    }
    device += n;
    host = host.subspan(n);
  }
}

class LinuxSystem final : public System {
 public:
  int open(const std::string& path, int flags) override { return or_errno(::open(path.c_str(), flags)); }
  int close(int fd) override { return or_errno(::close(fd)); }
  int ioctl(int fd, unsigned long request, uintptr_t argument) override {
    return or_errno(::ioctl(fd, request, argument));
  }
  int64_t pread(int fd, std::span<std::byte> out, uint64_t offset) override {
    return or_errno(::pread(fd, out.data(), out.size(), static_cast<off_t>(offset)));
  }
  int64_t pwrite(int fd, std::span<const std::byte> bytes, uint64_t offset) override {
    return or_errno(::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset)));
  }
  int map(int fd, uint64_t bytes, uint64_t offset, std::byte*& at) override {
    void* result = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
    if (result == MAP_FAILED) return -errno;
    at = static_cast<std::byte*>(result);
    return 0;
  }
  int unmap(std::byte* at, uint64_t bytes) override { return or_errno(::munmap(at, bytes)); }

  std::vector<std::string> list(const std::string& folder) override {
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::optional<std::string> real_path(const std::string& path) override {
    const std::unique_ptr<char, decltype(&std::free)> result(::realpath(path.c_str(), nullptr), &std::free);
    if (result == nullptr) return std::nullopt;
    return std::string(result.get());
  }

  void load(const std::byte* from, std::span<std::byte> out) override {
    by_words(from, out, [](auto word, const std::byte* device, std::byte* host) {
      word = *reinterpret_cast<const volatile decltype(word)*>(device);
      std::memcpy(host, &word, sizeof word);
    });
  }
  void store(std::byte* to, std::span<const std::byte> bytes) override {
    by_words(to, bytes, [](auto word, std::byte* device, const std::byte* host) {
      std::memcpy(&word, host, sizeof word);
      *reinterpret_cast<volatile decltype(word)*>(device) = word;
    });
  }
  // On x86 this is mfence or a locked instruction, and both drain the write-combining buffers.
  void fence() override { std::atomic_thread_fence(std::memory_order_seq_cst); }

  std::chrono::milliseconds now() override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
  }
  void pause() override { std::this_thread::yield(); }
};

}  // namespace

System& linux_system() {
  static LinuxSystem system;
  return system;
}

}  // namespace kerr::host
