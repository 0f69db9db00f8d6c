#include "tests/debug/client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <exception>
#include <filesystem>

#include "debug/hex.hpp"
#include "debug/rewinder.hpp"
#include "emu/machine/input_log.hpp"
#include "notes/note_bytes.hpp"

namespace kerr::debug {

Client::Client(uint16_t port) {
  socket_ = socket(AF_INET, SOCK_STREAM, 0);
  const timeval timeout{.tv_sec = 20, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(ask("QStartNoAckMode"), "OK");
}

Client::~Client() { close(socket_); }

void Client::send(std::string_view packet) {
  const std::string bytes = framed(packet);
  EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

std::string Client::answer() {
  for (;;) {
    while (const auto event = reader_.next()) {
      if (event->kind == Event::Kind::Packet) return unescaped(event->payload);
    }
    char bytes[4096];
    const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return count == 0 ? "closed" : "timeout";
    reader_.feed({bytes, static_cast<size_t>(count)});
  }
}

std::string Client::ask(std::string_view packet) {
  send(packet);
  return answer();
}

void Client::interrupt() { EXPECT_EQ(::send(socket_, "\x03", 1, MSG_NOSIGNAL), 1); }

uint32_t Client::reg(uint32_t number) {
  char packet[16];
  std::snprintf(packet, sizeof packet, "p%x", number);
  const auto bytes = bytes_in(ask(packet));
  if (!bytes || bytes->size() != 4) return ~0u;
  return (*bytes)[0] | (*bytes)[1] << 8 | (*bytes)[2] << 16 | static_cast<uint32_t>((*bytes)[3]) << 24;
}

namespace {

std::unique_ptr<prints::Printer> printer_on(GdbServer& server) {
  auto printer = std::make_unique<prints::Printer>(std::vector<arch::Board>{arch::kP100a},
                                                   [&server](std::string_view text) { server.print(text); });
  server.before_stops([printer = printer.get()] { printer->show_now(); });
  return printer;
}

}  // namespace

DebuggedJob::DebuggedJob(jobs::RunJob job, bool prints) : job_(std::move(job)) {
  job_.debugger = &server_;
  if (prints) printer_ = printer_on(server_);
  if (prints) job_.device.emulator.prints = printer_.get();
  thread_ = std::thread([this] {
    try {
      jobs::Listener nobody;
      outcome_ = jobs::run(job_, nobody);
    } catch (const std::exception& error) {
      error_ = error.what();
    }
  });
}

DebuggedJob::~DebuggedJob() {
  if (thread_.joinable()) thread_.join();
}

const jobs::RunOutcome& DebuggedJob::outcome() {
  thread_.join();
  EXPECT_TRUE(outcome_) << error_;
  static const jobs::RunOutcome none;
  return outcome_ ? *outcome_ : none;
}

jobs::RunOutcome undebugged(jobs::RunJob job) {
  jobs::Listener nobody;
  return jobs::run(job, nobody);
}

RecordedJob::RecordedJob(jobs::RunJob job, bool tells, bool prints, std::vector<LooseCode> loose)
    : log_(testing::TempDir() + "kerr_debug_" + std::to_string(::getpid()) + ".log") {
  job.observing.recording.log = log_;
  if (tells) job.program = &program_;
  outcome_ = undebugged(std::move(job));
  if (prints) printer_ = printer_on(server_);
  server_.look_for(std::move(loose));
  thread_ = std::thread([this] {
    try {
      emu::Options options = emu::read_log_info(log_).machine.options();
      options.shards = 1;
      options.prints = printer_.get();
      emu::Machine machine(options);
      notes::ReplayedNotes notes([this](const arch::note::Note& note, emu::Cycle cycle) {
        if (printer_) printer_->noted(note, cycle);
        server_.noted(note, cycle);
      });
      Beside beside;
      if (printer_)
        beside = {[this] { return printer_->memory(); }, [this](const std::any& m) { printer_->recall(m); }};
      Rewinder(machine, log_, false, server_, &notes, beside).run(program_);
      state_hash_ = machine.state_hash();
      server_.end();
    } catch (const std::exception& error) {
      error_ = error.what();
    }
  });
}

RecordedJob::~RecordedJob() {
  if (thread_.joinable()) thread_.join();
  std::filesystem::remove(log_);
}

uint64_t RecordedJob::state_hash() {
  thread_.join();
  EXPECT_EQ(error_, "");
  return state_hash_;
}

}  // namespace kerr::debug
