// What the NIUs of a tile have counted, as registers of its harts.
#include <fmt/format.h>

#include "arch/noc_registers.hpp"
#include "debug/own_registers.hpp"

namespace kerr::debug {

std::vector<OwnRegister> noc_registers() {
  namespace niu = arch::niu;
  constexpr std::pair<niu::Counter, const char*> kCounters[] = {{niu::kMstRdRespReceived, "reads_done"},
                                                                {niu::kMstNonpostedWrReqSent, "writes_sent"},
                                                                {niu::kMstWrAckReceived, "writes_acked"},
                                                                {niu::kMstPostedWrReqSent, "posted_sent"},
                                                                {niu::kMstAtomicRespReceived, "atomics_done"}};
  constexpr std::string_view kWhy = "it counts what the NIU does";
  std::vector<OwnRegister> all;
  for (int noc = 0; noc < arch::kNocs; ++noc) {
    for (const auto& [counter, name] : kCounters) {
      all.push_back({.name = fmt::format("noc{}_{}", noc, name),
                     .type = "uint32",
                     .get = [=](emu::Tile& tile, arch::Hart,
                                std::span<uint32_t> out) { out[0] = tile.niu(noc).counter(counter); },
                     .read_only = kWhy});
    }
    all.push_back({.name = fmt::format("noc{}_outstanding", noc),
                   .type = "uint32",
                   .get =
                       [=](emu::Tile& tile, arch::Hart, std::span<uint32_t> out) {
                         constexpr int kIds = 16;
                         out[0] = 0;
                         for (int id = 0; id < kIds; ++id)
                           out[0] += tile.niu(noc).counter(niu::kMstReqsOutstandingId + id) & 0xFF;
                       },
                   .read_only = kWhy});
  }
  return all;
}

}  // namespace kerr::debug
