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

  using Read = void(std::uint64_t, void*, std::uint32_t);
  using Write = void(std::uint64_t, const void*, std::uint32_t);
  void (*init)() = nullptr;
  void (*exit)() = nullptr;
  void (*set_dma)(Read*, Write*) = nullptr;
  std::uint32_t (*config_read)(std::uint32_t, std::uint32_t) = nullptr;
  void (*config_write)(std::uint32_t, std::uint32_t, std::uint32_t) = nullptr;
  Read* read = nullptr;
  Write* write = nullptr;
  void (*clock)(std::uint32_t) = nullptr;
  void (*tile_read)(std::uint32_t, std::uint32_t, std::uint64_t, void*, std::uint32_t) = nullptr;
  void (*tile_write)(std::uint32_t, std::uint32_t, std::uint64_t, const void*, std::uint32_t) = nullptr;

  std::uint64_t bar(std::uint32_t offset) const {
    return (config_read(0, offset) & ~0xFull) | (std::uint64_t{config_read(0, offset + 4)} << 32);
  }
  void write32(std::uint64_t paddr, std::uint32_t value) const { write(paddr, &value, 4); }
  std::uint32_t read32(std::uint64_t paddr) const {
    std::uint32_t value = 0;
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

  void point(std::uint32_t x, std::uint32_t y, std::uint64_t address) {
    const std::uint64_t offset = address >> 21;  // 43 bits, then x_end and y_end of 6 bits each
    library.write32(bar0 + 0x1FC00000, static_cast<std::uint32_t>(offset));
    library.write32(bar0 + 0x1FC00004, static_cast<std::uint32_t>(offset >> 32) | (x << 11) | (y << 17));
    library.write32(bar0 + 0x1FC00008, 0);
  }
  void write(std::uint32_t x, std::uint32_t y, std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    point(x, y, address);
    library.write(bar0 + (address & 0x1FFFFF), bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  }
  std::vector<std::uint8_t> read(std::uint32_t x, std::uint32_t y, std::uint64_t address, std::size_t bytes) {
    std::vector<std::uint8_t> out(bytes);
    point(x, y, address);
    library.read(bar0 + (address & 0x1FFFFF), out.data(), static_cast<std::uint32_t>(bytes));
    library.clock(1);
    return out;
  }
  void write32(std::uint32_t x, std::uint32_t y, std::uint64_t address, std::uint32_t value) {
    point(x, y, address);
    library.write32(bar0 + (address & 0x1FFFFF), value);
  }
  std::uint32_t read32(std::uint32_t x, std::uint32_t y, std::uint64_t address) {
    point(x, y, address);
    const std::uint32_t value = library.read32(bar0 + (address & 0x1FFFFF));
    library.clock(1);
    return value;
  }
  /// BRISC of a tile runs `words` from L1 address 0.
  void run(std::uint32_t x, std::uint32_t y, std::initializer_list<std::uint32_t> words) {
    std::uint32_t at = 0;
    for (const std::uint32_t word : words) {
      write32(x, y, at, word);
      at += 4;
    }
    write32(x, y, 0xFFB121B0, 0x47000);
  }

  Library library;
  std::uint64_t bar0 = 0;
};
