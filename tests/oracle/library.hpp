// Any library with the libttsim C ABI, loaded at run time: the reference simulator, or our own libttsim_bh.so.
// docs/hardware/host-pcie.md 6.
#pragma once

#include <cstdint>
#include <string>

namespace kerr::oracle {

/// The entry points. One process can hold one initialised library; any call may end the process (see isolate.hpp).
class Library {
 public:
  /// Throws std::runtime_error naming the path or the missing symbol. Does not initialise.
  explicit Library(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void (*init)();
  void (*exit)();
  uint32_t (*config_rd32)(uint32_t bdf, uint32_t offset);
  void (*mem_rd_bytes)(uint64_t address, void* to, uint32_t bytes);
  void (*mem_wr_bytes)(uint64_t address, const void* from, uint32_t bytes);
  void (*clock)(uint32_t cycles);

 private:
  void* handle_;
};

/// The path in the environment variable KERR_ORACLE, or an empty string.
std::string library_from_environment();

}  // namespace kerr::oracle
