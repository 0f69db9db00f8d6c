#include "emu/machine/input_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "arch/bytes.hpp"
#include "emu/hash.hpp"

namespace kerr::emu {

namespace {

constexpr FileKind kLogFile{"KERR-LOG", 4, "input log"};

constexpr uint64_t kKeptBytes = 1 << 18;  // what a run that is killed may lack of its log

constexpr uint32_t kMostReadBytes = uint32_t{1} << 28;  // a log that asks for more is damaged

bool by_device(const Input& input) {
  return input.kind == Input::Kind::HostRead || input.kind == Input::Kind::HostWrite;
}

}  // namespace

LogInfo LogInfo::of(Machine& machine) {
  LogInfo info;
  info.machine = SavedMachine::of(machine);
  info.cycle = machine.now();
  info.inputs = machine.inputs();
  info.run = machine.run();
  return info;
}

bool is_unfinished_log(const std::string& path) { return path.ends_with(FileSink::part_of("")); }

bool is_input_log(const std::string& path) {
  std::array<char, kLogFile.magic.size()> magic{};
  std::ifstream file(path, std::ios::binary);
  return file.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == kLogFile.magic;
}

LogInfo read_log_info(const std::string& path, bool unfinished) {
  return read_beginning<LogInfo>(path, kLogFile, unfinished);
}

LogReader::LogReader(const std::string& path, bool unfinished)
    : file_(path), chunks_(file_, kLogFile, 1, unfinished), archive_(chunks_) {
  archive_(info_);
  archive_.chips = static_cast<int>(info_.machine.options().boards.size());
}

const Input* LogReader::next() {
  if (ended_) return nullptr;
  try {
    archive_(next_);
  } catch (const CutOff&) {
    ended_ = true;
  }
  ended_ |= next_.kind == Input::Kind::End;
  return ended_ ? nullptr : &next_;
}

// ---------------------------------------------------------------- recording

InputRecorder::InputRecorder(Machine& machine, const std::string& path)
    : machine_(machine), file_(path), chunks_(file_, kLogFile), archive_(chunks_) {
  LogInfo info = LogInfo::of(machine);
  archive_(info);
  machine_.set_input_sink(this);
}

InputRecorder::~InputRecorder() {
  if (attached_) machine_.set_input_sink(nullptr);
}

void InputRecorder::record(const Input& input) {
  ++inputs_;
  write(input);
}

void InputRecorder::note(std::vector<uint8_t> bytes) {
  write({.kind = Input::Kind::Note, .cycle = machine_.now(), .bytes = std::move(bytes)});
}

void InputRecorder::write(const Input& input) {
  if (error_) return;
  try {
    archive_(const_cast<Input&>(input));  // saving changes nothing
    if (chunks_.raw_bytes() - in_file_ >= kKeptBytes) {
      chunks_.flush();
      in_file_ = chunks_.raw_bytes();
    }
  } catch (const SnapshotError&) {
    error_ = std::current_exception();
  }
}

void InputRecorder::finish() {
  machine_.set_input_sink(nullptr);
  attached_ = false;
  if (error_) std::rethrow_exception(error_);
  Input end{.kind = Input::Kind::End, .cycle = machine_.now()};
  archive_(end);
  chunks_.finish();
  file_.finish();
}

// ---------------------------------------------------------------- replay

Replay::Replay(Machine& machine, std::unique_ptr<StoredBytes> log, bool unfinished, NoteListener* notes)
    : machine_(machine),
      file_(std::move(log)),
      chunks_(*file_, kLogFile, 1, unfinished),
      archive_(chunks_),
      notes_(notes) {
  archive_.chips = machine.chips();
  LogInfo info;
  archive_(info);
  const LogInfo own = LogInfo::of(machine);
  info.machine.require_like(machine, kLogFile.what);
  if (own.inputs < info.inputs) {
    throw SnapshotError(fmt::format(
        "the input log begins at cycle {}, after {} inputs, but the machine has seen only {}: give the snapshot from "
        "which it was recorded, or a later one",
        info.cycle, info.inputs, own.inputs));
  }
  uint64_t run = info.run;
  for (uint64_t skipped = info.inputs; skipped < own.inputs; ++skipped) {
    while (take_note()) continue;
    if (!peek()) throw SnapshotError("the input log ends before the snapshot was taken");
    run = fold(run, next_);
    take();
  }
  if (run != own.run || own.cycle < info.cycle)
    throw SnapshotError("the snapshot and the input log are of different runs");
  machine_.set_input_sink(this);
  machine_.set_host_memory(this);
}

Replay::~Replay() {
  machine_.set_input_sink(nullptr);
  machine_.set_host_memory(machine_.options().host_memory);
}

bool Replay::peek() {
  if (have_next_) return next_.kind != Input::Kind::End;
  if (ended_) return false;
  try {
    archive_(next_);
  } catch (const CutOff&) {
    next_ = {};
    ended_ = cut_off_ = true;
    return false;
  }
  have_next_ = true;
  if (next_.kind != Input::Kind::End) return true;
  ended_ = true;
  if (!chunks_.at_end()) throw SnapshotError("the input log is damaged: something follows its end");
  return false;
}

void Replay::take() { have_next_ = false; }

// False: something else comes next.
bool Replay::take_note() {
  if (!peek() || next_.kind != Input::Kind::Note) return false;
  take();
  if (notes_ != nullptr) notes_->noted(next_.bytes, next_.cycle);
  return true;
}

bool Replay::run(Cycle until) {
  while (true) {
    const bool more = peek();
    const Cycle now = machine_.now();
    const Cycle due = have_next_ ? next_.cycle : now;
    if (due >= until && now >= until) return more;
    if (due > now) {
      if (machine_.faulted()) differs("the device has stopped with a fault");
      try {
        machine_.step(std::min(due, until));
      } catch (const HostThrew&) {  // as it did when this was recorded
      }
      continue;
    }
    if (!more) return false;
    if (take_note()) continue;
    if (by_device(next_)) differs("the device did not do that");
    apply(next_);
  }
}

void Replay::apply(const Input& recorded) {
  const Input input = recorded;  // record() moves on while it is carried out
  if (input.length > kMostReadBytes) differs("no host reads so much at once");
  try {
    std::vector<uint8_t> out;
    const int chip = input.chip;
    switch (input.kind) {
      case Input::Kind::ConfigWrite: {
        uint32_t value = 0;
        std::copy_n(input.bytes.begin(), std::min<size_t>(input.bytes.size(), 4), arch::as_uint8(value).begin());
        machine_.config_write(chip, static_cast<uint32_t>(input.address), value);
        return;
      }
      case Input::Kind::Read:
        out.resize(input.length);
        machine_.read(chip, static_cast<Bar>(input.bar), input.address, out);
        return;
      case Input::Kind::Write: machine_.write(chip, static_cast<Bar>(input.bar), input.address, input.bytes); return;
      case Input::Kind::TileRead:
        out.resize(input.length);
        machine_.read_coordinate(chip, input.x, input.y, input.address, out);
        return;
      case Input::Kind::TileWrite:
        machine_.write_coordinate(chip, input.x, input.y, input.address, input.bytes);
        return;
      case Input::Kind::Reset: machine_.reset(chip); return;
      default: differs("there was nothing that it belongs to");
    }
  } catch (const HostThrew&) {
  }
}

// What the machine says about itself must equal what the log says.
void Replay::record(const Input& input) {
  if (!peek()) {
    if (cut_off_) return;
    differs(input.describe() + " came behind it");
  }
  if (!(input == next_)) differs(input.describe() + " came instead");
  ++inputs_;
  take();
}

// Whether the log has this access next, and the host offered the memory.
bool Replay::offered(Input::Kind kind, uint64_t bus_address, size_t length) {
  const bool reads = kind == Input::Kind::HostRead;
  if (!peek() && cut_off_) throw HostThrew{};
  if (!peek() || next_.kind != kind || next_.address != bus_address || (reads && next_.length != length)) {
    differs(fmt::format("a {} of {} bytes {} host memory at {:#x} came instead", reads ? "read" : "write", length,
                        reads ? "of" : "to", bus_address));
  }
  if (next_.outcome == Input::Outcome::Threw) throw HostThrew{};
  return next_.outcome == Input::Outcome::Done;
}

bool Replay::read(uint64_t bus_address, std::span<uint8_t> out) {
  if (!offered(Input::Kind::HostRead, bus_address, out.size())) return false;
  if (next_.bytes.size() != out.size()) differs("it holds the wrong number of bytes");
  std::copy(next_.bytes.begin(), next_.bytes.end(), out.begin());
  return true;
}

bool Replay::write(uint64_t bus_address, std::span<const uint8_t> bytes) {
  return offered(Input::Kind::HostWrite, bus_address, bytes.size());
}

void Replay::differs(const std::string& what) {
  const std::string logged = have_next_ ? next_.describe() : "its end";
  throw SnapshotError(fmt::format("the replay differs from the log at cycle {}, input {}: the log has {}; {}",
                                  machine_.now(), inputs_, logged, what));
}

}  // namespace kerr::emu
