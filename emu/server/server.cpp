#include "emu/server/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/noc_registers.hpp"
#include "emu/noc/id_registers.hpp"

namespace kerr::emu {

bool Server::answer(const Message& request, std::vector<Message>& responses, FaultLog& faults) {
  const ServerAccess access{faults,          request.destination, request.noc, request.address,
                            request.arrival, request.source,      Agent::Units};
  switch (request.kind) {
    case MessageKind::ReadRequest: {
      Message response = request.response(MessageKind::ReadResponse);
      if (!read_payload(access, request.length, response.payload)) return false;
      respond(std::move(response), ready(request.arrival, false, request.length), responses);
      return true;
    }
    case MessageKind::Write: {
      const size_t bytes = request.payload.size();
      const bool written = for_each_enabled_run(request, [&](size_t first, size_t count) {
        ServerAccess part = access;
        part.address += first;
        return write(part, request.payload.bytes().subspan(first, count));
      });
      if (!written) return false;
      const Cycle done = ready(request.arrival, true, bytes);
      if (request.marked) respond(request.response(MessageKind::WriteAck), done, responses);
      return true;
    }
    case MessageKind::InlineWrite:
      return refuse(access, FaultCategory::UndefinedBehavior, "inline write", 4,
                    "inline writes reach registers of Tensix and Ethernet tiles only",
                    "Write the word to L1 and send it with a normal write.");
    case MessageKind::Atomic:
      return refuse(access, FaultCategory::UndefinedBehavior, "atomic", 4,
                    "atomics reach L1 of Tensix and Ethernet tiles only", "Keep semaphores in L1.");
    default:
      // A tile whose return coordinate was never loaded sends its acks to (0,0), a DRAM tile (docs/hardware/noc.md
      // 3.1).
      return refuse(access, FaultCategory::UndefinedBehavior, "response", request.payload.size(),
                    "the response to a request was directed here, where nothing waits for it",
                    "Load the own coordinate into NOC_TARG_ADDR_HI and NOC_RET_ADDR_HI once, as noc_init does.");
  }
}

void Server::respond(Message&& response, Cycle ready, std::vector<Message>& responses) {
  Cycle& free = niu_free_[static_cast<size_t>(port(response.source))][response.noc];
  free = response.sent = std::max(ready, free) + flits(response);
  response.packet = response.sequence = sequence_++;
  responses.push_back(std::move(response));
}

bool Server::refuse(const ServerAccess& access, FaultCategory category, const std::string& verb, size_t bytes,
                    const std::string& why, const std::string& advice) {
  const bool by_host = access.agent == Agent::Host;
  const std::string who = by_host ? "the host" : geometry_.describe(access.source);
  access.faults.report({.category = category,
                        .cycle = access.cycle,
                        .tile = by_host ? access.target : access.source,
                        .agent = access.agent,
                        .address = access.address,
                        .what = fmt::format("{} of {} bytes at {:#x} of {} by {} over NoC {}: {}.", verb, bytes,
                                            access.address, geometry_.describe(access.target), who, access.noc, why),
                        .advice = advice});
  return false;
}

bool Server::read_id_register(const ServerAccess& access, std::span<uint8_t> out) {
  if (out.size() != 4) return false;
  const auto value = id_register(geometry_, NocGeometry::raw_of(access.target.node), access.noc, access.address);
  if (!value) return false;
  std::memcpy(out.data(), &*value, 4);
  return true;
}

void Server::serialize(Archive& a) { a.machinery(inbox_, sequence_, niu_free_); }

}  // namespace kerr::emu
