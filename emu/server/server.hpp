// What answers on the NoC without having harts: it is no tile of the window loop, but is served after each window.
// docs/architecture.md "Time"
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/noc/geometry.hpp"
#include "emu/noc/inbox.hpp"
#include "emu/observe/fault.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// One access to a server: over the NoC (agent Units of the source tile) or by the host through a window (agent Host).
struct ServerAccess {
  FaultLog& faults;  // where a refusal goes
  TileId target;
  int noc = 0;
  uint64_t address = 0;
  Cycle cycle = 0;
  TileId source;
  Agent agent = Agent::Host;
};

class Server {
 public:
  explicit Server(const NocGeometry& geometry) : geometry_(geometry) {}
  virtual ~Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Both return false after having reported a fault that names both ends; a read then delivers nothing, a write
  /// changes nothing.
  virtual bool read(const ServerAccess& access, std::span<uint8_t> out) = 0;
  virtual bool write(const ServerAccess& access, std::span<const uint8_t> bytes) = 0;
  /// What the response to a read request carries.
  virtual bool read_payload(const ServerAccess& access, size_t bytes, Payload& out) {
    out = Payload(bytes);
    return read(access, {out.data(), bytes});
  }

  // --- the NoC side ------------------------------------------------------------------------------------------------

  void receive(Message&& request) { inbox_.push(std::move(request)); }
  Cycle next_arrival() const { return inbox_.next_arrival(); }
  const Inbox& inbox() const { return inbox_; }

  /// Serves all requests that arrive before `horizon`, in the order of earlier(). The caller knows that none of them
  /// can still be preceded by one that is not here yet. Responses come with `sent`; `arrival` is the fabric's business.
  /// `tell`: arrived(request) is called before each, served(request) behind each that was not refused.
  template <class Tell>
  void serve(Cycle horizon, std::vector<Message>& responses, FaultLog& faults, const Tell& tell) {
    while (inbox_.next_arrival() < horizon) {
      const Message request = inbox_.pop();
      tell.arrived(request);
      if (answer(request, responses, faults)) tell.served(request);
    }
  }

  virtual void serialize(Archive& archive);

 protected:
  /// When the result of an access that arrived at `arrival` can leave.
  virtual Cycle ready(Cycle arrival, bool is_write, size_t bytes) = 0;
  /// Distinguishes the NIUs of one server: 0, 1 or 2.
  virtual int port(TileId) const { return 0; }

  /// Reports a fault of the requester. Always false, so that `return refuse(...)` reads well.
  bool refuse(const ServerAccess& access, FaultCategory category, const std::string& verb, size_t bytes,
              const std::string& why, const std::string& advice = {});
  /// Registers that every node has, of whatever kind. False if `access` is to none of them.
  bool read_id_register(const ServerAccess& access, std::span<uint8_t> out);

  const NocGeometry& geometry_;

  /// What becomes of a request: read() or write(), and a response. False if it was refused.
  virtual bool answer(const Message& request, std::vector<Message>& responses, FaultLog& faults);

 private:
  void respond(Message&& response, Cycle ready, std::vector<Message>& responses);

  Inbox inbox_;
  uint64_t sequence_ = 0;
  std::array<std::array<Cycle, 2>, 3> niu_free_{};  // per port and NoC: when its NIU can inject again
};

}  // namespace kerr::emu
