// What is kept of a run on the emulator, for 'kerr replay'.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "host/device/emulated_device.hpp"
#include "jobs/listener.hpp"

namespace kerr::emu {
class InputRecorder;
}

namespace kerr::jobs {

struct RecordingSpec {
  std::string log;                                              // a file for all that the device is told; empty: none
  std::string snapshot;                                         // a file; empty: none
  uint64_t snapshot_at = std::numeric_limits<uint64_t>::max();  // the first cycle at which it may be made, else the end
};

/// From when it is made until finish(). Without that, as when the run fails, the log ends where the run did: it is what
/// one wants to replay.
class Recording {
 public:
  /// `device` may be missing if nothing is to be kept.
  Recording(host::EmulatedDevice* device, const RecordingSpec& spec, Listener& listener);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The log up to here is complete, and nothing more is recorded.
  void finish_log();
  /// All of it is.
  void finish();
  /// Whether a snapshot is wanted at some cycle, which has not come yet.
  bool waits_for_snapshot() const;

 private:
  void save();

  host::EmulatedDevice* const device_;
  const RecordingSpec& spec_;
  Listener& listener_;
  std::unique_ptr<emu::InputRecorder> recorder_;
  bool saved_ = false, finished_ = false;
};

}  // namespace kerr::jobs
