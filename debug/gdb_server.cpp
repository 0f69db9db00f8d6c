#include "debug/gdb_server.hpp"

#include <utility>

#include "debug/hex.hpp"

namespace kerr::debug {

GdbServer::GdbServer(uint16_t port, std::function<bool()> interrupted)
    : interrupted_(std::move(interrupted)), connection_(port) {}

GdbServer::~GdbServer() { end(); }

void GdbServer::begin(emu::Machine& machine, std::vector<Code> code, bool waits) {
  target_.begin(machine, std::move(code), false);
  machine.set_debugger(this);
  waits_ = waits;
  serve();
}

void GdbServer::begin_recorded(emu::Machine& machine, std::vector<Code> code) {
  target_.begin(machine, std::move(code), true);
  machine.set_debugger(this);
  waits_ = stays_ = true;
  serve();
}

bool GdbServer::print(std::string_view text) {
  if (goes_away() || search_) return true;
  if (!session_ || !session_->has_attached_any() || !session_->has_begun()) return false;
  for (const std::string& payload : console_payloads(text)) send(payload);
  return true;
}

void GdbServer::stand(std::string_view payload, bool keeps_access) {
  if (before_stops_) before_stops_();
  search_ = nullptr;
  if (!session_) return;
  if (!stop_ && !keeps_access) target_.set_access(std::nullopt);
  send(payload);
  serve();
}

void GdbServer::show(std::string_view text) {
  if (!session_ || !session_->runs()) return;
  if (before_stops_) before_stops_();
  for (const std::string& payload : console_payloads(text)) send(payload);
  interrupt(Session::Signal::Abort);
  serve();
}

void GdbServer::end(unsigned status) {
  if (!target_.has_begun()) return;
  if (session_) {
    for (const std::string& payload : session_->ended(status)) send(payload);
    // What the client asks then is answered, so that it does not find a broken connection.
    constexpr int kMostTimes = 100;
    for (int times = 0; times < kMostTimes && connection_.is_open(); ++times) {
      const std::string bytes = connection_.receive(true);
      if (bytes.empty()) break;
      reader_.feed(bytes);
      while (const auto event = reader_.next()) handle(*event);
    }
    session_.reset();
  }
  connection_.close();
  target_.machine()->set_debugger(nullptr);
  target_.end();
}

// --- the machine -----------------------------------------------------------------------------------------------------

void GdbServer::stopped(const emu::Stop& stop) {
  if (is_outside(stop)) ++outside_[stop.agent == emu::Agent::Host];
  if (!session_ || !session_->has_attached_any() || (goes_away() && !search_)) return;
  if (!is_outside(stop)) target_.set_running(stop.tile);
  if (const std::optional<std::string> payload = search_ ? search_(stop) : payload_of(stop)) {
    stop_ = stop;
    using Why = emu::Stop::Why;
    if (stop.why != Why::Step) target_.set_access(stop.is_access() ? stop_ : std::nullopt);
    stand(*payload);
    stop_.reset();
  }
  target_.set_running(std::nullopt);
}

std::optional<std::string> GdbServer::payload_of(const emu::Stop& stop) {
  using Why = emu::Stop::Why;
  if (stop.is_access()) {
    const auto watcher = watcher_of(stop);
    if (!watcher) return std::nullopt;
    return session_->touched(*watcher, stop.address, stop.why == Why::Read);
  }
  const Pid pid = target_.pid_of(stop);
  if (!session_->has_attached(pid)) return std::nullopt;
  const auto signal = stop.why == Why::Fault ? Session::Signal::Illegal : Session::Signal::Trap;
  return session_->stopped(pid, signal, stop.why == Why::Breakpoint);
}

std::optional<Pid> GdbServer::watcher_of(const emu::Stop& stop) const {
  return session_->watcher([&](Pid pid) { return target_.can_see(pid, stop); }, stop.address,
                           stop.why == emu::Stop::Why::Read);
}

void GdbServer::served(const emu::Message& request) {
  const auto stop = target_.dram_access(request);
  if (stop) stopped(*stop);
}

void GdbServer::host_wrote(emu::TileId tile, uint64_t address, uint64_t bytes) {
  if (const auto stop = target_.dram_write(tile, address, bytes)) stopped(*stop);
}

emu::Cycle GdbServer::window_of(const emu::Stop& stop) const {
  const emu::Cycle now = target_.machine()->now();
  return is_served(stop) ? now - target_.machine()->options().window() : now;
}

bool GdbServer::is_served(const emu::Stop& stop) const {
  return stop.agent != emu::Agent::Host && target_.pid_of(stop.tile, arch::Hart::Brisc) == 0;
}

void GdbServer::between_windows(emu::Machine&) {
  forget_window();
  if (goes_away() && !search_) return;
  constexpr uint32_t kWindowsBetweenLooks = 16;
  if (++windows_ % kWindowsBetweenLooks != 0) return;
  receive(false);
  if (!session_ || !session_->runs()) search_ = nullptr;  // interrupted
  serve();
}

void GdbServer::chip_made(int) { target_.ask_again(); }

void GdbServer::noted(const arch::note::Note& note, emu::Cycle cycle) { target_.launches().noted(note, cycle); }

// --- the client ------------------------------------------------------------------------------------------------------

bool GdbServer::stands() const {
  if (session_ && session_->has_attached_any()) return !session_->runs();
  return waits_ && (stays_ || !(session_ && session_->has_begun()));
}

// Runs as long as the machine stands.
void GdbServer::serve() {
  const bool stood = stands();
  while (stands() && !interrupted_()) receive(true);
  if (!session_) return;
  if (session_->has_begun() && !stays_) waits_ = false;
  if (const Pid pid = session_->current(); stood && pid != 0)
    standing_ = {stop_ ? window_of(*stop_) : target_.machine()->now(),
                 stop_,
                 stop_ && is_outside(*stop_) ? outside_in_window(*stop_) : 0,
                 session_->has_passed_touch(),
                 pid,
                 target_.instructions(pid)};
}

void GdbServer::take_client() {
  target_.set_goes_to(std::nullopt);
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

// The client has gone: the run goes on without it, unless it has only looked.
void GdbServer::let_go() {
  if (session_ && (session_->has_begun() || session_->has_attached_any())) waits_ = false;
  session_.reset();
}

void GdbServer::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::Interrupt: return interrupt(Session::Signal::Interrupt);
    case Event::Kind::Resend: return connection_.send(last_);
    case Event::Kind::Damaged: return connection_.send("-");
    case Event::Kind::Packet: break;
  }
  if (session_->needs_acknowledgements()) connection_.send("+");
  for (const std::string& payload : session_->handle(event.payload)) send(payload);
}

void GdbServer::interrupt(Session::Signal signal) {
  if (!session_->runs()) return;
  if (const auto payload = session_->stopped(session_->current(), signal)) send(*payload);
}

void GdbServer::send(std::string_view payload) {
  last_ = framed(payload);
  connection_.send(last_);
}

}  // namespace kerr::debug
