// Nodes of which only the NIU is modelled: routers, security, L2CPU, the unused PCIe tile, harvested Tensix tiles.
#pragma once

#include "emu/server/server.hpp"

namespace kerr::emu {

/// One server for all of them: they have no state. Identification registers answer, everything else is refused.
class BareNodes final : public Server {
 public:
  using Server::Server;
  bool read(const ServerAccess& access, std::span<uint8_t> out) override;
  bool write(const ServerAccess& access, std::span<const uint8_t> bytes) override;

 private:
  Cycle ready(Cycle arrival, bool, size_t) override { return arrival + 41; }  // as L1: timing.md 13.5
  bool nothing_here(const ServerAccess& access, const char* verb, size_t bytes);
};

}  // namespace kerr::emu
