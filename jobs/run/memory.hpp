// The memory of a run by its names and addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/harvesting.hpp"
#include "host/driver/noc_io.hpp"
#include "host/runtime/buffer.hpp"
#include "host/runtime/chip.hpp"
#include "jobs/run/places.hpp"
#include "jobs/run/run.hpp"

namespace kerr::jobs {

/// Everything throws std::invalid_argument with a sentence that quotes the place.
class RunMemory {
 public:
  /// `cores`: of the run, sorted. `writable_l1`: what lies below is the firmware's. Both must outlive it.
  RunMemory(host::NocIo& io, const arch::Harvesting& harvesting, std::span<const arch::NocCoord> cores,
            uint32_t writable_l1)
      : io_(io), harvesting_(harvesting), cores_(cores), writable_l1_(writable_l1) {}

  void add_l1(const std::string& name, uint32_t address, uint64_t bytes);
  void add_dram(const std::string& name, host::Chip& chip, const host::Buffer& buffer);
  void set_semaphores(uint32_t address, uint32_t count);

  /// The number that a kernel is given.
  uint32_t resolve(const Word& word) const;
  std::vector<uint32_t> resolve(const std::vector<Word>& words) const;

  uint32_t semaphore_address(uint32_t index) const;
  /// The pages of a buffer of DRAM; null if that is not the name of one.
  const host::Buffer* pages_of(const std::string& name) const;

  /// What check() has let pass: where it begins, how much of it there is, and the cores that have it; of DRAM none.
  struct Extent {
    uint64_t address = 0, bytes = 0;
    std::vector<arch::NocCoord> cores;
  };
  Extent extent(const PlacedData& at) const;

  /// Whether the place is there, and for a load whether so many bytes fit.
  void check(const PlacedData& at, std::optional<uint64_t> bytes_to_write) const;
  void write(const PlacedData& to, std::span<const std::byte> bytes);
  /// One for each core that is meant. `index`: RunDump::index.
  std::vector<RunDump> read(const PlacedData& from, size_t index);

 private:
  struct Region {
    uint64_t address = 0, bytes = 0;
    host::Chip* chip = nullptr;  // of DRAM
    std::optional<host::Buffer> buffer{};
  };
  const Region& named(const std::string& name, const std::string& text) const;
  /// Where it begins, and how much of it there is.
  Region region(const PlacedData& at) const;
  std::vector<arch::NocCoord> cores_of(const PlacedData& at) const;
  arch::NocCoord bank(const PlacedData& at) const;

  host::NocIo& io_;
  const arch::Harvesting& harvesting_;
  const std::span<const arch::NocCoord> cores_;
  const uint32_t writable_l1_;
  std::map<std::string, Region> regions_;
  uint32_t semaphores_at_ = 0, semaphores_ = 0;
};

}  // namespace kerr::jobs
