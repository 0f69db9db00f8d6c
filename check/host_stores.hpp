// How the stores of a host reach a device.   docs/hardware/host-pcie.md 1.6
#pragma once

namespace kerr::check {

/// An observer that wants to know it is this too. Told between windows, before the stores; without it all stores are
/// uncached.
class HostStores {
 public:
  /// From now on they are write-combined, or not: of those that are nobody knows that they have arrived before
  /// flushed().
  virtual void combined(bool on) = 0;
  virtual void flushed() = 0;

 protected:
  ~HostStores() = default;
};

}  // namespace kerr::check
