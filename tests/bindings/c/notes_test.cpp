// The host stack's notes pass through the device that calls are supervised on.
#include <gtest/gtest.h>

#include <memory>
#include <variant>
#include <vector>

#include "bindings/c/device.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::c {
namespace {

namespace note = arch::note;

struct Notes final : emu::Observer {
  std::vector<note::Note> all;

  void noted(const note::Note& n, emu::Cycle) override { all.push_back(n); }
  template <class Kind>
  size_t count() const {
    size_t n = 0;
    for (const note::Note& one : all) n += std::holds_alternative<Kind>(one);
    return n;
  }
};

TEST(Notes, OfBootsAndBuffersReachTheDevicesObserver) {
  Notes notes;
  Device::Settings settings;
  settings.spec.emulator.shards = 1;
  settings.spec.emulator.observer = &notes;
  const auto device = std::make_shared<Device>(settings);
  EXPECT_EQ(notes.count<note::Booted>(), 1u);
  device->call("alloc", [&] {
    const host::Buffer buffer = device->chip().allocate(host::Memory::Dram, 4096, 4096);
    EXPECT_EQ(notes.count<note::Allocated>(), 1u);
    EXPECT_EQ(notes.count<note::Freed>(), 0u);
  });
  EXPECT_EQ(notes.count<note::Freed>(), 1u);
  device->close();
}

}  // namespace
}  // namespace kerr::c
