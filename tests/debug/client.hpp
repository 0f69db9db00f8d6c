// A client of a debugger's port, and a job that runs under it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "debug/gdb_server.hpp"
#include "debug/packets.hpp"
#include "jobs/run/run.hpp"
#include "prints/printer.hpp"

namespace kerr::debug {

class Client {
 public:
  explicit Client(uint16_t port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// The answer; "timeout" after ten seconds.
  std::string ask(std::string_view packet);
  void send(std::string_view packet);
  std::string answer();
  void interrupt();
  /// Register `number` of the process that was chosen last.
  uint32_t reg(uint32_t number);

 private:
  int socket_ = -1;
  PacketReader reader_;
};

/// Runs a job on a thread of its own, which waits for a client first.
class DebuggedJob {
 public:
  /// `prints`: what kernels print comes to the client's console.
  explicit DebuggedJob(jobs::RunJob job, bool prints = false);
  ~DebuggedJob();
  DebuggedJob(const DebuggedJob&) = delete;
  DebuggedJob& operator=(const DebuggedJob&) = delete;

  uint16_t port() const { return server_.port(); }
  /// Waits for the end of the run.
  const jobs::RunOutcome& outcome();

 private:
  std::unique_ptr<prints::Printer> printer_;
  GdbServer server_{0};
  jobs::RunJob job_;
  std::optional<jobs::RunOutcome> outcome_;
  std::string error_;
  std::thread thread_;
};

/// What the job does without a debugger.
jobs::RunOutcome undebugged(jobs::RunJob job);

/// Records a job, and repeats it on a thread of its own under a debugger, which waits for a client first.
class RecordedJob {
 public:
  /// `tells`: it knows the code, and the client comes when the code begins; else at power-on. `prints`: as above.
  /// `loose`: code that is looked for.
  explicit RecordedJob(jobs::RunJob job, bool tells = false, bool prints = false, std::vector<LooseCode> loose = {});
  ~RecordedJob();
  RecordedJob(const RecordedJob&) = delete;
  RecordedJob& operator=(const RecordedJob&) = delete;

  uint16_t port() const { return server_.port(); }
  /// Of the recorded run.
  const jobs::RunOutcome& outcome() const { return outcome_; }
  /// Waits until the client has gone; the hash of the state where the repetition stands then.
  uint64_t state_hash();

 private:
  const std::string log_;
  jobs::RunOutcome outcome_;
  Program program_;
  std::unique_ptr<prints::Printer> printer_;
  GdbServer server_{0};
  std::string error_;
  uint64_t state_hash_ = 0;
  std::thread thread_;
};

}  // namespace kerr::debug
