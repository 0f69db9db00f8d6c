// The libttsim C ABI of a shared library (docs/hardware/host-pcie.md 6), loaded at run time.
#pragma once

#include <cstdint>
#include <string>

namespace kerr::host {

/// The entry points. One library is one chip per process, and any call may end the process (6.2).
struct LibraryAbi {
  /// Does not initialise. Throws DeviceError (HostError) naming the path or the missing symbol.
  explicit LibraryAbi(const std::string& path);
  ~LibraryAbi();
  LibraryAbi(const LibraryAbi&) = delete;
  LibraryAbi& operator=(const LibraryAbi&) = delete;

  void (*init)();
  void (*exit)();
  void (*set_dma)(void (*)(uint64_t, void*, uint32_t), void (*)(uint64_t, const void*, uint32_t));
  uint32_t (*config_read)(uint32_t bdf, uint32_t offset);
  void (*config_write)(uint32_t bdf, uint32_t offset, uint32_t value);
  void (*read)(uint64_t address, void* to, uint32_t bytes);
  void (*write)(uint64_t address, const void* from, uint32_t bytes);
  void (*clock)(uint32_t cycles);

 private:
  void* handle_;
};

}  // namespace kerr::host
