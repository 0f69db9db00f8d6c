#include "host/runtime/chip.hpp"
#include "jobs/run/loaded_program.hpp"
#include "jobs/run/ways.hpp"

namespace kerr::jobs {

namespace {

class WithFirmware final : public Way {
 public:
  WithFirmware(const RunJob& job, const OpenDevice& device)
      : job_(job), chip_(*device.device, device.chip_options), program_(job, chip_) {}

  const std::vector<RunCode>& code() const override { return program_.code(); }
  std::span<const arch::NocCoord> workers() const override { return chip_.workers(); }
  RunMemory& memory() override { return program_.memory(); }
  const std::string& board() const override { return chip_.board_name(); }
  const arch::Harvesting& harvesting() const override { return chip_.harvesting(); }
  bool has_left(const RunCode& code) override { return chip_.is_idle(code.core); }

  void go(RunOutcome& out) override {
    try {
      program_.run(job_.cycles.value_or(kMostCycles));
    } catch (const host::DeviceError& error) {
      switch (error.category()) {
        case host::Category::HostError:
        case host::Category::Protocol: throw;
        case host::Category::Deadlock: out.end = RunOutcome::End::Deadlocked; break;
        case host::Category::Timeout: out.end = RunOutcome::End::OutOfCycles; break;
        default: out.end = RunOutcome::End::Faulted; break;
      }
      out.summary = error.summary();
      out.report = error.report();
    }
  }

 private:
  const RunJob& job_;
  host::Chip chip_;
  LoadedProgram program_;
};

}  // namespace

std::unique_ptr<Way> with_firmware(const RunJob& job, const OpenDevice& device) {
  return std::make_unique<WithFirmware>(job, device);
}

}  // namespace kerr::jobs
