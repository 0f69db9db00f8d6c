#include "host/driver/arc_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/arc.hpp"

namespace kerr::host {
namespace {

namespace arc = arch::arc;

constexpr uint32_t kQueueReady = 1;  // of the boot status
constexpr uint8_t kFirstProtocolError = 240;
constexpr uint32_t kMessageWords = 8;

[[noreturn]] void bad(const std::string& sentence) { throw DeviceError(Category::Protocol, "ARC: " + sentence); }

uint32_t checked(uint32_t value, const char* what) {
  if (value == kChipGone) bad(fmt::format("{} reads all ones; the chip is hung or has left the bus", what));
  return value;
}

}  // namespace

ArcMessages::ArcMessages(NocIo& io, uint32_t queue, const ArcOptions& options)
    : io_(io), index_(queue), options_(options) {
  if (options_.tries == 0) host_error("ARC messages: no tries");
}

// Read anew each time: a reset moves everything.
ArcMessages::Queue ArcMessages::find_queue() {
  await(
      io_.device(), "the management controller's firmware",
      [&] { return (checked(io_.read32(arch::kArcTile, arc::kBootStatus), "the boot status") & kQueueReady) != 0; },
      options_.boot);
  const uint32_t control = checked(io_.read32(arch::kArcTile, arc::kQueueControlPointer), "the queues' address");
  const auto in_csm = [](uint64_t address, uint64_t bytes) {
    return address % 4 == 0 && address >= arc::kCsmBase && address - arc::kCsmBase <= arc::kCsmBytes &&
           bytes <= arc::kCsmBytes - (address - arc::kCsmBase);
  };
  if (!in_csm(control, 8)) bad(fmt::format("the queues' control block at {:#x} is not in its memory", control));
  const uint32_t base = io_.read32(arch::kArcTile, control);
  const uint32_t info = io_.read32(arch::kArcTile, control + 4);
  const uint32_t entries = info & 0xFF, queues = info >> 8 & 0xFF;
  if (entries == 0 || index_ >= queues) {
    bad(fmt::format("there are {} queues of {} entries; wanted is queue {}", queues, entries, index_));
  }
  const uint64_t bytes = arc::kQueueHeaderBytes + 2 * uint64_t{entries} * arc::kQueueEntryBytes;
  const uint64_t address = base + index_ * bytes;
  if (!in_csm(address, bytes)) bad(fmt::format("queue {} at {:#x} is not in its memory", index_, address));
  return {static_cast<uint32_t>(address), entries};
}

uint32_t ArcMessages::pointer(const Queue& queue, uint32_t word, const char* name) {
  const uint32_t value = checked(io_.read32(arch::kArcTile, queue.address + 4 * word), name);
  if (value >= 2 * queue.entries) bad(fmt::format("{} of queue {} is {}", name, index_, value));
  return value;
}

// Bit 16 only: the firmware clears it, the other bits belong to others.
void ArcMessages::ring() {
  const uint32_t control = io_.read32(arch::kArcTile, arc::kMiscCntl);
  io_.write32(arch::kArcTile, arc::kMiscCntl, control | arc::kMiscCntlFirmwareInterrupt);
}

ArcAnswer ArcMessages::send(ArcCode code, std::span<const uint32_t> arguments) {
  if (arguments.size() >= kMessageWords) host_error("an ARC message has at most 7 arguments");
  std::lock_guard lock(mutex_);
  const Queue queue = find_queue();
  const uint32_t modulus = 2 * queue.entries;
  const std::string what = fmt::format("ARC message {:#x}", static_cast<unsigned>(code));
  const auto at = [&](uint32_t word) { return queue.address + 4 * word; };
  const auto slot = [&](uint32_t index) {
    return queue.address + arc::kQueueHeaderBytes + index * arc::kQueueEntryBytes;
  };

  const uint32_t request = pointer(queue, arc::kQueueRequestWrite, "the request write pointer");
  await(
      io_.device(), what + ": room in the queue",
      [&] {
        const uint32_t read = pointer(queue, arc::kQueueRequestRead, "the request read pointer");
        return (request + modulus - read) % modulus < queue.entries;
      },
      options_.answer);
  // The answer to a request has its index. Those before ours that nobody waits for any more are dropped.
  const uint32_t first = pointer(queue, arc::kQueueResponseWrite, "the response write pointer");
  io_.write32(arch::kArcTile, at(arc::kQueueResponseRead), first);
  const uint32_t before_ours = (request + modulus - first) % modulus;
  if (before_ours >= queue.entries) {
    bad(fmt::format("queue {} has request {} and response {} of {}", index_, request, first, modulus));
  }

  uint32_t message[kMessageWords] = {static_cast<uint32_t>(code)};
  std::copy(arguments.begin(), arguments.end(), message + 1);
  io_.write(arch::kArcTile, slot(request % queue.entries), std::as_bytes(std::span(message)));
  io_.write32(arch::kArcTile, at(arc::kQueueRequestWrite), (request + 1) % modulus);

  for (uint32_t tries = 1;; ++tries) {
    ring();
    try {
      await(
          io_.device(), what + ": an answer",
          [&] {
            const uint32_t written = pointer(queue, arc::kQueueResponseWrite, "the response write pointer");
            return (written + modulus - first) % modulus > before_ours;
          },
          options_.answer);
      break;
    } catch (const DeviceError& error) {
      const bool silent = error.category() == Category::Timeout || error.category() == Category::Deadlock;
      if (!silent || tries == options_.tries) throw;
    }
  }
  uint32_t answer[kMessageWords];
  io_.read(arch::kArcTile, slot(queue.entries + request % queue.entries), std::as_writable_bytes(std::span(answer)));
  io_.write32(arch::kArcTile, at(arc::kQueueResponseRead), (request + 1) % modulus);
  ArcAnswer result{static_cast<uint8_t>(answer[0]), static_cast<uint16_t>(answer[0] >> 16), {}};
  std::copy(answer + 1, answer + kMessageWords, result.words.begin());
  return result;
}

ArcAnswer ArcMessages::require(ArcCode code, std::span<const uint32_t> arguments) {
  const ArcAnswer answer = send(code, arguments);
  if (answer.status == arc::kStatusUnknownMessage) {
    bad(fmt::format("the firmware does not know message {:#x}", static_cast<unsigned>(code)));
  }
  if (answer.status >= kFirstProtocolError) {
    bad(fmt::format("message {:#x} failed with status {:#x}", static_cast<unsigned>(code), answer.status));
  }
  return answer;
}

}  // namespace kerr::host
