// The shadow of DRAM, and packets to host memory.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "check/finding_log.hpp"
#include "check/shadow.hpp"
#include "check/shared.hpp"
#include "emu/noc/message.hpp"
#include "emu/observe/observer.hpp"

namespace kerr::check {

/// Touched between windows only, by the one thread that serves.
class Servers {
 public:
  Servers(const Directory& directory, Host& host) : directory_(directory), host_(host) {}

  void served(const emu::Message& request, emu::Cycle cycle);
  void host_accessed(const emu::Actor& actor, emu::AccessKind kind, uint64_t address, uint64_t bytes);
  /// The chip begins anew.
  void forget(int chip);

  const FindingLog& log() const { return log_; }
  LostHistory lost() const;

 private:
  void conflict(const Stamp& earlier, bool earlier_writes, const Stamp& later, bool later_writes, emu::TileId tile,
                int bank, uint64_t address, uint64_t bytes, emu::Cycle cycle);
  void check_lifetime(const Stamp& by, const Transfer& transfer, emu::TileId tile, uint64_t address, uint64_t bytes,
                      bool reads, emu::Cycle cycle);
  Site site(const Stamp& stamp, std::string_view op, emu::TileId tile) const;
  Shadow& bank(int chip, int bank);

  const Directory& directory_;
  Host& host_;
  std::map<std::pair<int, int>, std::unique_ptr<Shadow>> banks_;  // by chip and bank
  FindingLog log_;
};

}  // namespace kerr::check
