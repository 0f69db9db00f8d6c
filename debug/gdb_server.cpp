#include "debug/gdb_server.hpp"

#include <utility>

#include "debug/hex.hpp"

namespace kerr::debug {

GdbServer::GdbServer(uint16_t port, std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)), connection_(port) {}

GdbServer::~GdbServer() { end(""); }

void GdbServer::begin(emu::Machine& machine, std::vector<Code> code, bool waits) {
  target_.begin(machine, std::move(code));
  machine.set_debugger(this);
  waits_ = waits;
  serve();
}

void GdbServer::show(std::string_view text) {
  if (!session_ || !session_->runs()) return;
  send("O" + hex_of(text));
  interrupt();
  serve();
}

void GdbServer::end(std::string_view text) {
  if (!target_.has_begun()) return;
  if (session_) {
    if (!text.empty() && session_->runs()) send("O" + hex_of(text));
    for (const std::string& payload : session_->ended()) send(payload);
    session_.reset();
  }
  connection_.close();
  target_.machine()->set_debugger(nullptr);
  target_.end();
}

// --- the machine -----------------------------------------------------------------------------------------------------

void GdbServer::stopped(const emu::Stop& stop) {
  if (!session_ || !session_->has_attached_any()) return;
  target_.set_running(stop.tile);
  const auto hart = static_cast<int>(stop.agent) - static_cast<int>(emu::Agent::Brisc);
  const bool is_hart = hart >= 0 && hart < emu::kHarts;
  const Pid pid = is_hart ? target_.pid_of(stop.tile, static_cast<arch::Hart>(hart)) : 0;
  std::optional<std::string> payload;
  using Why = emu::Stop::Why;
  if (stop.why == Why::Write) {
    const auto of_the_tile = [&](Pid other) { return target_.tile_of(other) == stop.tile; };
    if (const auto watcher = session_->watcher(of_the_tile, stop.address)) {
      target_.set_writer(stop.agent);
      payload = session_->wrote(*watcher, stop.address);
    }
  } else if (session_->has_attached(pid)) {
    const auto signal = stop.why == Why::Fault ? Session::Signal::Illegal : Session::Signal::Trap;
    payload = session_->stopped(pid, signal, stop.why == Why::Breakpoint);
  }
  if (payload) {
    send(*payload);
    serve();
  }
  target_.set_running(std::nullopt);
}

void GdbServer::between_windows(emu::Machine&) {
  constexpr uint32_t kWindowsBetweenLooks = 16;
  if (++windows_ % kWindowsBetweenLooks != 0) return;
  receive(false);
  serve();
}

void GdbServer::chip_made(int) { target_.ask_again(); }

// --- the client ------------------------------------------------------------------------------------------------------

bool GdbServer::stands() const {
  if (session_ && session_->has_attached_any()) return !session_->runs();
  return waits_ && !(session_ && session_->has_begun());
}

// Runs as long as the machine stands.
void GdbServer::serve() {
  while (stands() && !interrupted_()) receive(true);
  if (session_ && session_->has_begun()) waits_ = false;
}

void GdbServer::take_client() {
  session_.emplace(target_);
  reader_ = {};
}

void GdbServer::receive(bool waits) {
  if (!connection_.is_open() && !session_) {
    if (connection_.accept(waits)) take_client();
    return;
  }
  reader_.feed(connection_.receive(waits));
  while (const auto event = reader_.next()) handle(*event);
  if (!connection_.is_open()) let_go();  // now, or since something was sent
}

// The client has gone: the run goes on without it.
void GdbServer::let_go() {
  session_.reset();
  waits_ = false;
}

void GdbServer::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::Interrupt: return interrupt();
    case Event::Kind::Resend: return connection_.send(last_);
    case Event::Kind::Damaged: return connection_.send("-");
    case Event::Kind::Packet: break;
  }
  if (session_->needs_acknowledgements()) connection_.send("+");
  for (const std::string& payload : session_->handle(event.payload)) send(payload);
}

void GdbServer::interrupt() {
  if (!session_->runs()) return;
  if (const auto payload = session_->stopped(session_->current(), Session::Signal::Interrupt)) send(*payload);
}

void GdbServer::send(std::string_view payload) {
  last_ = framed(payload);
  connection_.send(last_);
}

}  // namespace kerr::debug
