// Recording what a machine was told, and telling it again without the host.
// docs/architecture.md "All input can be recorded"
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "emu/machine/input.hpp"
#include "emu/machine/machine.hpp"
#include "emu/machine/saved_machine.hpp"
#include "emu/snapshot/chunk_file.hpp"
#include "emu/snapshot/file_sink.hpp"

namespace kerr::emu {

/// Where a log begins: on a machine that has just been made, or on one in the state of a snapshot.
struct LogInfo {
  SavedMachine machine;
  Cycle cycle = 0;
  uint64_t inputs = 0;
  uint64_t run = 0;

  static LogInfo of(Machine& machine);
  void serialize(Archive& a) { a(machine, cycle, inputs, run); }
};

/// Writes every input of a machine to a file until finish() or its end. Costs a copy and a compression of what the host
/// and the device tell each other. A disk that takes no more ends the recording, not the run: finish() says so.
class InputRecorder final : private InputSink {
 public:
  InputRecorder(Machine& machine, const std::string& path);
  ~InputRecorder();  // without finish(), or after an error: there is no file
  InputRecorder(const InputRecorder&) = delete;
  InputRecorder& operator=(const InputRecorder&) = delete;

  /// Keeps a note of the host, which is no input: a replay hands it on and does the same without it.
  void note(std::vector<uint8_t> bytes);
  /// The machine's present time is the end. Throws SnapshotError if the file is not complete; then there is none.
  void finish();
  uint64_t inputs() const { return inputs_; }

 private:
  void record(const Input& input) override;
  void write(const Input& input);

  Machine& machine_;
  FileSink file_;
  ChunkWriter chunks_;
  SaveArchive archive_;
  uint64_t inputs_ = 0;
  uint64_t in_file_ = 0;  // bytes
  bool attached_ = true;
  std::exception_ptr error_;
};

/// Is told the notes of a log, each when the machine's time has come to it.
class NoteListener {
 public:
  virtual void noted(std::span<const uint8_t> bytes, Cycle cycle) = 0;

 protected:
  ~NoteListener() = default;
};

/// Gives a machine the inputs of a log, in place of the host and its memory. The machine is fresh, or in the state of a
/// snapshot that was taken while the log was recorded (or replayed). Everything that the machine does at its border is
/// compared with the log.
class Replay final : private InputSink, private HostMemory {
 public:
  /// Throws SnapshotError if the file is no log, or not one of this machine's run.
  /// `unfinished`: the log of a run that was killed is replayed as far as it goes.
  /// `notes`: is told all notes from the log's begin on, if it is not null; it must outlive this.
  Replay(Machine& machine, std::unique_ptr<StoredBytes> log, bool unfinished = false, NoteListener* notes = nullptr);
  Replay(Machine& machine, const std::string& path, bool unfinished = false, NoteListener* notes = nullptr)
      : Replay(machine, std::make_unique<StoredFile>(path), unfinished, notes) {}
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// Lets time pass up to `until`, or to the end of the log; inputs stamped `until` are left. True if there are more.
  /// Throws SnapshotError naming the first event that differs, or if the log is damaged.
  bool run(Cycle until = kNever);
  uint64_t inputs() const { return inputs_; }  // that were replayed
  bool cut_off() const { return cut_off_; }    // the log has no end

 private:
  struct HostThrew {};
  bool peek();
  void take();
  bool take_note();
  void apply(const Input& input);
  void record(const Input& input) override;
  bool offered(Input::Kind kind, uint64_t bus_address, size_t length);
  bool read(uint64_t bus_address, std::span<uint8_t> out) override;
  bool write(uint64_t bus_address, std::span<const uint8_t> bytes) override;
  [[noreturn]] void differs(const std::string& what);

  Machine& machine_;
  std::unique_ptr<StoredBytes> file_;
  ChunkReader chunks_;
  LoadArchive archive_;
  NoteListener* const notes_;
  Input next_;
  bool have_next_ = false;
  bool ended_ = false;
  bool cut_off_ = false;
  uint64_t inputs_ = 0;
};

/// All that is in a log, in its order, without a machine. Throws SnapshotError if it is damaged.
class LogReader {
 public:
  LogReader(const std::string& path, bool unfinished);
  const LogInfo& info() const { return info_; }
  /// nullptr: the log ends. Valid until the next call.
  const Input* next();

 private:
  StoredFile file_;
  ChunkReader chunks_;
  LoadArchive archive_;
  LogInfo info_;
  Input next_;
  bool ended_ = false;
};

/// Whether its name says that it is what a killed run has left: `unfinished`, as above.
bool is_unfinished_log(const std::string& path);
/// Whether a file says of itself that it is one. False also if it cannot be read.
bool is_input_log(const std::string& path);
/// Reads the beginning only. `unfinished`: as for Replay.
LogInfo read_log_info(const std::string& path, bool unfinished = false);

}  // namespace kerr::emu
