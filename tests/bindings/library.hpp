// libttsim_bh.so through dlopen, knowing nothing but the C ABI.   docs/hardware/host-pcie.md 6
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

/// Loads on construction, unloads on destruction; init and exit are the test's business.
class Library {
 public:
  explicit Library(const std::string& path = KERR_TTSIM_LIBRARY)
      : handle_(dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error(dlerror());
    bind(init, "libttsim_init");
    bind(exit, "libttsim_exit");
    bind(set_dma, "libttsim_set_pci_dma_mem_callbacks");
    bind(config_read, "libttsim_pci_config_rd32");
    bind(config_write, "libttsim_pci_config_wr32");
    bind(read, "libttsim_pci_mem_rd_bytes");
    bind(write, "libttsim_pci_mem_wr_bytes");
    bind(clock, "libttsim_clock");
    bind(tile_read, "libttsim_tile_rd_bytes");
    bind(tile_write, "libttsim_tile_wr_bytes");
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  using Read = void(uint64_t, void*, uint32_t);
  using Write = void(uint64_t, const void*, uint32_t);
  void (*init)() = nullptr;
  void (*exit)() = nullptr;
  void (*set_dma)(Read*, Write*) = nullptr;
  uint32_t (*config_read)(uint32_t, uint32_t) = nullptr;
  void (*config_write)(uint32_t, uint32_t, uint32_t) = nullptr;
  Read* read = nullptr;
  Write* write = nullptr;
  void (*clock)(uint32_t) = nullptr;
  void (*tile_read)(uint32_t, uint32_t, uint64_t, void*, uint32_t) = nullptr;
  void (*tile_write)(uint32_t, uint32_t, uint64_t, const void*, uint32_t) = nullptr;

  uint64_t bar(uint32_t offset) const {
    return (config_read(0, offset) & ~0xFull) | (uint64_t{config_read(0, offset + 4)} << 32);
  }
  void write32(uint64_t paddr, uint32_t value) const { write(paddr, &value, 4); }
  uint32_t read32(uint64_t paddr) const {
    uint32_t value = 0;
    read(paddr, &value, 4);
    return value;
  }

 private:
  template <class Function>
  void bind(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(handle_, symbol));
    if (!function) throw std::runtime_error(std::string("no symbol ") + symbol);
  }
  void* handle_;
};

/// A started library with window 0, as tt-umd's simulator back end uses it: three configuration writes before each
/// access.
class Session {
 public:
  explicit Session(const std::string& path = KERR_TTSIM_LIBRARY) : library(path) {
    library.init();
    bar0 = library.bar(0x10);
  }
  ~Session() { library.exit(); }

  void point(uint32_t x, uint32_t y, uint64_t address) {
    const uint64_t offset = address >> 21;  // 43 bits, then x_end and y_end of 6 bits each
    library.write32(bar0 + 0x1FC00000, static_cast<uint32_t>(offset));
    library.write32(bar0 + 0x1FC00004, static_cast<uint32_t>(offset >> 32) | (x << 11) | (y << 17));
    library.write32(bar0 + 0x1FC00008, 0);
  }
  void write(uint32_t x, uint32_t y, uint64_t address, const std::vector<uint8_t>& bytes) {
    point(x, y, address);
    library.write(bar0 + (address & 0x1FFFFF), bytes.data(), static_cast<uint32_t>(bytes.size()));
  }
  std::vector<uint8_t> read(uint32_t x, uint32_t y, uint64_t address, size_t bytes) {
    std::vector<uint8_t> out(bytes);
    point(x, y, address);
    library.read(bar0 + (address & 0x1FFFFF), out.data(), static_cast<uint32_t>(bytes));
    library.clock(1);
    return out;
  }
  void write32(uint32_t x, uint32_t y, uint64_t address, uint32_t value) {
    point(x, y, address);
    library.write32(bar0 + (address & 0x1FFFFF), value);
  }
  uint32_t read32(uint32_t x, uint32_t y, uint64_t address) {
    point(x, y, address);
    const uint32_t value = library.read32(bar0 + (address & 0x1FFFFF));
    library.clock(1);
    return value;
  }
  /// BRISC of a tile runs `words` from L1 address 0.
  void run(uint32_t x, uint32_t y, std::initializer_list<uint32_t> words) {
    uint32_t at = 0;
    for (const uint32_t word : words) {
      write32(x, y, at, word);
      at += 4;
    }
    write32(x, y, 0xFFB121B0, 0x47000);
  }

  Library library;
  uint64_t bar0 = 0;
};
