// Tells of accesses that nothing orders, although the run was fine.   docs/architecture.md "Checking"
#pragma once

#include <memory>
#include <vector>

#include "arch/boards.hpp"
#include "check/annotation.hpp"
#include "check/code_library.hpp"
#include "check/finding.hpp"
#include "check/host_stores.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::check {

/// Give it to a machine as Options::observer. It changes nothing that happens, nor when.
///
///     emu::Options options;
///     check::Checker checker(options.boards);
///     options.observer = &checker;
///     host::EmulatedDevice device({.chip = options});
///     ... run programs ...
///     for (const check::Finding& f : checker.findings().all) ...
class Checker final : public emu::Observer, public HostStores {
 public:
  /// `boards`: of the machine. The notes of its host stack name tiles in their coordinates. `annotations`: what is said
  /// of L1. `code`: for programs whose host gives no notes; may be null.
  explicit Checker(const std::vector<arch::Board>& boards, const std::vector<Annotation>& annotations = {},
                   std::shared_ptr<const CodeLibrary> code = nullptr);
  ~Checker() override;

  /// All that was found so far, sorted, with the names that the host stack gave. Between windows only: when no call of
  /// the device is under way.
  Findings findings() const;

  void chip_made(int chip, emu::Cycle now) override;
  void tile_made(const emu::TileView& view) override;
  const bool& wants_all_retired(emu::TileId tile) const override;
  void retired(const emu::Actor& actor, uint32_t pc, uint32_t word) override;
  void pushed(const emu::Actor& actor, int thread, uint32_t word, uint32_t number) override;
  void touched(const emu::Actor& actor, const emu::Footprint& footprint) override;
  void issued(const emu::Actor& actor, uint32_t word) override;
  void accessed(const emu::Actor& actor, emu::AccessKind kind, uint32_t address, uint32_t bytes,
                uint32_t value) override;
  void packet_left(const emu::Actor& actor, const emu::Message& message, int command_buffer) override;
  void packet_arrived(const emu::Message& message) override;
  void served(const emu::Message& request, emu::Cycle cycle) override;
  void host_accessed(const emu::Actor& actor, emu::AccessKind kind, uint64_t address, uint64_t bytes) override;
  void noted(const arch::note::Note& note, emu::Cycle cycle) override;
  void combined(bool on) override;
  void flushed() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kerr::check
