// An emulated device on which an image is not what the host stack has written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/device/emulated_device.hpp"
#include "host/device/hang_explainer.hpp"
#include "host/device/reset_port.hpp"
#include "tests/check/mutation/mutant.hpp"

namespace kerr::mutation {

/// An image that was loaded: what lies in L1, from an address of the image on.
struct Loaded {
  std::shared_ptr<const image::Image> image;
  uint32_t address = 0;  // of the image
  std::vector<uint8_t> bytes;
  arch::Hart hart{};
  uint32_t at = 0;          // where `address` lies in L1
  bool is_written = false;  // through a BAR: what a command queue brings is not
};

/// Where the text of `target` is written through a BAR, the words of `mutant` are. Collects what is loaded.
class MutatingDevice final : public host::PcieDevice, public host::HangExplainer {
 public:
  MutatingDevice(host::EmulatedDevice& device, const Loaded* target, const Mutant* mutant)
      : device_(device), target_(target), mutant_(mutant) {}

  /// Each once, in the order of their first load.
  const std::vector<Loaded>& loaded() const { return loaded_; }
  bool applied() const { return applied_; }

  std::string name() const override { return device_.name(); }
  uint32_t config_read(uint32_t offset) override { return device_.config_read(offset); }
  void config_write(uint32_t offset, uint32_t value) override { device_.config_write(offset, value); }
  uint64_t bar_bytes(host::Bar bar) const override { return device_.bar_bytes(bar); }
  void read(host::Bar bar, uint64_t offset, std::span<std::byte> out) override { device_.read(bar, offset, out); }
  void write(host::Bar bar, uint64_t offset, std::span<const std::byte> bytes, host::Caching caching) override;
  void flush() override { device_.flush(); }
  uint64_t pin(std::span<std::byte> memory) override { return device_.pin(memory); }
  void unpin(uint64_t address) override { device_.unpin(address); }
  host::WaitResult wait(const std::function<bool()>& condition, host::Deadline deadline) override {
    return device_.wait(condition, deadline);
  }
  host::DeviceStatus status() override { return device_.status(); }
  bool wants_notes() const override { return true; }
  void note(const arch::note::Note& note) override;
  std::unique_ptr<host::ResetPort> reset_port() override { return device_.reset_port(); }
  std::string why_nothing_moves(const arch::HangQuestion& question) override {
    return device_.why_nothing_moves(question);
  }

 private:
  void collect(const arch::note::Code& code, arch::Hart hart);

  host::EmulatedDevice& device_;
  const Loaded* target_;
  const Mutant* mutant_;
  std::vector<Loaded> loaded_;
  bool applied_ = false;
};

}  // namespace kerr::mutation
