// A Linux machine with one Blackhole card, for the drivers of real cards: sysfs, VFIO, tt-kmd and an IOMMU that check
// every call and its order, and an emulated chip behind the BARs. Time passes only in pause().
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emu/machine/machine.hpp"
#include "host/device/card/kmd_abi.hpp"
#include "host/device/card/system.hpp"
#include "host/device/card/vfio_abi.hpp"

namespace kerr::host {

class FakeLinux final : public System {
 public:
  static constexpr const char* kBdf = "0000:01:00.0";
  static constexpr const char* kPath = "/sys/bus/pci/devices/0000:01:00.0";
  static constexpr const char* kRealPath = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0";
  static constexpr const char* kBridge = "/sys/devices/pci0000:00/0000:00:01.0";

  /// A machine whose card is bound to `driver` ("vfio-pci" or "tenstorrent").
  explicit FakeLinux(const std::string& driver);
  ~FakeLinux() override;

  // What a test may change.
  std::map<std::string, std::string> files;       // of sysfs, by path
  std::map<std::string, std::string> links;       // path -> real path
  std::map<std::string, int> open_errors;         // path -> -errno
  std::map<std::string, int> call_errors;         // "GET_DEVICE_FD", "map BAR0", ... -> -errno
  std::map<std::string, int> calls_before_error;  // how many of those go well before
  bool gone = false;                              // the card answers nothing but ones
  bool viable = true, container_taken = false, type1v2 = true;
  int vfio_version = 0;
  std::vector<vfio::IovaRange> iova_ranges{{0, 0xFEDF'FFFF}, {0xFEF0'0000, (1ull << 39) - 1}};
  uint64_t bar_bytes[3] = {arch::pcie::kBar0Bytes, arch::pcie::kBar2Bytes, arch::pcie::kBar4Bytes};
  uint32_t config_bytes = 4096;  // that this process may see
  bool asic_reset_works = true;
  uint32_t kmd_interface = kmd::kInterfaceVersion;
  uint64_t next_pin = 0;        // where tt-kmd puts the next buffer
  std::set<int> other_windows;  // that other processes hold

  // What happened.
  std::vector<std::string> calls;     // "open /dev/vfio/vfio", "SET_IOMMU", "map BAR0", "close group", ...
  std::vector<std::string> mistakes;  // that a real kernel would punish, or not forgive
  uint64_t combined_stores = 0, fences = 0;
  std::string all_calls() const;
  bool nothing_is_open() const { return open_.empty() && mappings_.empty(); }
  size_t pinned_buffers() const { return iommu_.size(); }
  uint16_t command() { return static_cast<uint16_t>(machine_.config_read(0, 4)); }
  int windows_claimed() const { return static_cast<int>(windows_.size()); }
  uint16_t power_flags = 0;
  int resets = 0, bus_resets = 0, function_resets = 0;
  emu::Machine& machine() { return machine_; }

  int open(const std::string& path, int flags) override;
  int close(int fd) override;
  int ioctl(int fd, unsigned long request, uintptr_t argument) override;
  int64_t pread(int fd, std::span<std::byte> out, uint64_t offset) override;
  int64_t pwrite(int fd, std::span<const std::byte> bytes, uint64_t offset) override;
  int map(int fd, uint64_t bytes, uint64_t offset, std::byte*& at) override;
  int unmap(std::byte* at, uint64_t bytes) override;
  std::vector<std::string> list(const std::string& folder) override;
  std::optional<std::string> real_path(const std::string& path) override;
  void load(const std::byte* from, std::span<std::byte> out) override;
  void store(std::byte* to, std::span<const std::byte> bytes) override;
  void fence() override;
  std::chrono::milliseconds now() override;
  void pause() override;

 private:
  enum class Kind { File, Config, BridgeConfig, Resource, Container, Group, Device, Kmd };
  struct Open {
    Kind kind;
    std::string path;
  };
  struct BarMapping {
    int bar;
    bool combined;
    uint64_t bytes;
  };
  struct Buffer {
    std::byte* at;
    uint64_t bytes;
    int region;  // of the iATU, for tt-kmd
    uint64_t noc_address;
  };
  struct Iommu final : emu::HostMemory {
    explicit Iommu(FakeLinux& owner) : linux_(owner) {}
    bool read(uint64_t bus_address, std::span<uint8_t> out) override;
    bool write(uint64_t bus_address, std::span<const uint8_t> bytes) override;
    std::byte* find(uint64_t bus_address, uint64_t bytes);
    FakeLinux& linux_;
  };

  int done(const std::string& call);
  void mistake(const std::string& text) { mistakes.push_back(text); }
  int new_fd(Kind kind, const std::string& path);
  int vfio_call(const Open& file, unsigned long request, uintptr_t argument);
  int kmd_call(unsigned long request, uintptr_t argument);
  int kmd_reset(kmd::ResetDevice& reset);
  int map_dma(const vfio::DmaMap& map);
  int unmap_dma(vfio::DmaUnmap& unmap);
  int iommu_info(uintptr_t argument);
  void config_get(uint64_t offset, std::span<std::byte> out);
  void config_set(uint64_t offset, std::span<const std::byte> bytes);
  void clear_function();
  bool memory_enabled() { return !gone && !held_in_reset_ && (command() & 2) != 0; }
  const BarMapping* mapping_of(const std::byte* at, uint64_t bytes, uint64_t& offset) const;
  void write_bar2(uint32_t offset, uint32_t value);

  Iommu host_memory_{*this};
  emu::Machine machine_;
  std::map<int, Open> open_;
  int next_fd_ = 100;
  std::map<std::byte*, BarMapping> mappings_;
  std::map<uint64_t, Buffer> iommu_;                                       // by IOVA
  std::vector<std::pair<const std::byte*, std::vector<std::byte>>> late_;  // combined stores under way
  std::set<int> windows_;
  bool container_set_ = false, iommu_set_ = false, device_open_ = false;
  bool held_in_reset_ = false, reset_asked_ = false;
  uint16_t device_control_ = kDeviceControl, bridge_control_ = 0;
  uint64_t milliseconds_ = 0;

 public:
  static constexpr uint16_t kDeviceControl = 0x2050;  // MPS 512, MRRS 512, relaxed ordering
};

}  // namespace kerr::host
