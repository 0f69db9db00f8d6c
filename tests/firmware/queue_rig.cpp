#include "tests/firmware/queue_rig.hpp"

#include <algorithm>

#include "arch/bytes.hpp"
#include "host/runtime/cq/queue_config.hpp"

namespace kerr::firmware {

std::vector<std::byte> pattern(size_t bytes, uint32_t seed) {
  std::vector<std::byte> out(bytes);
  uint32_t state = seed * 2654435761u + 1;
  for (std::byte& b : out) {
    state = state * 1664525u + 1013904223u;
    b = static_cast<std::byte>(state >> 24);
  }
  return out;
}

void QueueRig::SetUp() {
  std::vector<arch::NocCoord> tiles = kWorkers;
  tiles.push_back(kPrefetch);
  tiles.push_back(kDispatch);
  for (arch::NocCoord tile : more_tiles()) tiles.push_back(tile);
  boot(tiles);
  run(1000);
  memory = std::make_unique<host::PinnedMemory>(*device, region.total_bytes());
  config = host::cq::queue_config({.pair = {kPrefetch, kDispatch},
                                   .region_address = memory->noc_address(),
                                   .region = region,
                                   .harvesting = board().harvesting,
                                   .workers = kWorkers});
}

void QueueRig::write_words(arch::NocCoord tile, uint32_t address, std::initializer_list<uint32_t> words) {
  io.write(tile, address, std::as_bytes(std::span(words.begin(), words.size())));
}

bool QueueRig::start(bool with_s) {
  const QueueFirmware& firmware = queue_firmware();
  config.dispatch_s_enabled = with_s;
  io.write(kDispatch, firmware.dispatch_s.base, firmware.dispatch_s.text);
  return start_kernels({{kDispatch, firmware.dispatch, wire::kDispatchSemInitial, with_s},
                        {kPrefetch, firmware.prefetch, wire::kPrefetchSemInitial, false}});
}

bool QueueRig::start_kernels(const std::vector<Kernel>& kernels) {
  io.write(kPrefetch, wire::kPrefetchQ, std::vector<std::byte>(wire::kPrefetchQBytes));
  write_words(kPrefetch, wire::kPrefetchQRdPtr, {wire::kPrefetchQRdPtrInitial, config.issue_base});
  completion_ = config.completion_base >> 4;
  memory->store(wire::kHostCompletionQWr, completion_);
  write_words(kDispatch, wire::kDevCompletionQWrPtr, {completion_});
  write_words(kDispatch, wire::kDevCompletionQRdPtr, {completion_});
  for (const Kernel& kernel : kernels) {
    io.write(kernel.tile, wire::kConfigBlock, as_bytes(config));
    io.write(kernel.tile, wire::kDispatchSSyncSems, std::vector<std::byte>(wire::kMaxWorkerSems * wire::kSemStride));
    for (uint32_t id = 0; id < wire::kImageSems; ++id)
      write(wire::sem_address(layout, id), kernel.semaphores[id], kernel.tile);
    io.write(kernel.tile, kernel.image.base, kernel.image.text);
  }
  for (const Kernel& kernel : kernels) {
    arch::LaunchMessage m;
    for (int type = 0; type < arch::kProgrammableCoreTypes; ++type) {
      m.kernel_config_base[type] = layout.kernel_config;
      m.sem_offset[type] = wire::kImageSemOffset;
    }
    m.kernel_text_offset[0] = wire::kImageTextOffset;
    m.kernel_text_offset[1] = wire::kImageDispatchSTextOffset;
    m.mode = static_cast<uint8_t>(arch::DispatchMode::Host);
    m.enables = kernel.with_ncrisc ? 3 : 1;
    io.write(kernel.tile, layout.launch_entry(0), as_bytes(m));
    write(layout.go_messages, 0x80000000u, kernel.tile);
  }
  const auto all = [&](auto condition) {
    return std::ranges::all_of(kernels, [&](const Kernel& k) { return condition(diagnostics(k.tile)); });
  };
  run_until([&] { return all([](const auto& d) { return d.ready == wire::kReady || d.error != 0; }); });
  return all([](const auto& d) { return d.ready == wire::kReady; });
}

void QueueRig::push(const Bytes& record, bool stall) {
  if (issue_at_ + record.size() > region.issue_bytes) issue_at_ = 0;
  // One record at a time in flight: the slot before this one is free, so the bytes are.
  const uint32_t previous = wire::kPrefetchQ + 2 * ((slot_ + wire::kPrefetchQEntries - 1) % wire::kPrefetchQEntries);
  run_until(
      [&] {
        uint16_t entry;
        io.read(kPrefetch, previous, std::as_writable_bytes(std::span(&entry, 1)));
        return entry == 0 || error_of(kPrefetch) != wire::CqError::None || error_of(kDispatch) != wire::CqError::None;
      },
      10'000'000);
  std::copy(record.begin(), record.end(), memory->bytes().begin() + region.issue_offset() + issue_at_);
  issue_at_ += static_cast<uint32_t>(record.size());
  io.write16(kPrefetch, wire::kPrefetchQ + 2 * slot_, host::cq::queue_entry(record, stall));
  slot_ = (slot_ + 1) % wire::kPrefetchQEntries;
}

std::optional<std::vector<uint8_t>> QueueRig::pop() {
  std::vector<uint8_t> data;
  uint64_t length = wire::kPageBytes;  // until the header is there
  for (uint64_t got = 0; got < length; got += wire::kPageBytes) {
    if (!run_until([&] { return completion_word() != completion_; }, 10'000'000)) return std::nullopt;
    const uint32_t at = ((completion_ & wire::kCompletionPointerMask) << 4) - config.region_base_lo;
    const uint8_t* const page = arch::as_uint8(memory->bytes()).data() + at;
    if (got == 0) {
      wire::WriteLinearHHost header;
      std::memcpy(&header, page, sizeof header);
      length = header.length;
    }
    data.insert(data.end(), page, page + std::min<uint64_t>(wire::kPageBytes, length - got));
    uint32_t next = (completion_ & wire::kCompletionPointerMask) + wire::kCompletionPageUnits;
    uint32_t toggle = completion_ & wire::kCompletionToggle;
    if (next >= (config.completion_base + config.completion_bytes) >> 4) {
      next = config.completion_base >> 4;
      toggle ^= wire::kCompletionToggle;
    }
    completion_ = next | toggle;
    write(wire::kDevCompletionQRdPtr, completion_, kDispatch);
  }
  data.erase(data.begin(), data.begin() + sizeof(wire::WriteLinearHHost));
  return data;
}

bool QueueRig::round_trip() {
  send(host::cq::host_event(next_event_));
  const auto data = pop();
  uint32_t id = 0;
  if (!data || data->size() != wire::kEventBytes) return false;
  std::memcpy(&id, data->data(), 4);
  return id == next_event_++;
}

void QueueRig::terminate() {
  send(host::cq::terminate());
  push(host::cq::prefetch_terminate());
  EXPECT_TRUE(run_until([&] { return signal(kPrefetch) == 0 && signal(kDispatch) == 0; }));
}

wire::Diagnostics QueueRig::diagnostics(arch::NocCoord tile, uint32_t offset) {
  wire::Diagnostics d;
  io.read(tile, wire::kConfigBlock + offset, std::as_writable_bytes(std::span(&d, 1)));
  return d;
}

wire::CqError QueueRig::await_error(arch::NocCoord tile) {
  run_until([&] { return error_of(tile) != wire::CqError::None; }, 100'000);
  return error_of(tile);
}

std::vector<uint8_t> QueueRig::read_bytes(arch::NocCoord tile, uint32_t address, size_t n) {
  std::vector<uint8_t> out(n);
  io.read(tile, address, std::as_writable_bytes(std::span(out)));
  return out;
}

void QueueRig::write_pages(bool is_dram, uint32_t base, uint32_t page_bytes, uint32_t first,
                           std::span<const std::byte> data) {
  for (uint32_t page = first; !data.empty(); ++page) {
    const size_t n = std::min<size_t>(page_bytes, data.size());
    io.write(bank_tile(is_dram, page % banks(is_dram)), base + page / banks(is_dram) * page_bytes, data.first(n));
    data = data.subspan(n);
  }
}

std::vector<uint8_t> QueueRig::read_pages(bool is_dram, uint32_t base, uint32_t page_bytes, uint32_t first, size_t n) {
  std::vector<uint8_t> out;
  for (uint32_t page = first; out.size() < n; ++page) {
    const auto piece = read_bytes(bank_tile(is_dram, page % banks(is_dram)), base + page / banks(is_dram) * page_bytes,
                                  std::min<size_t>(page_bytes, n - out.size()));
    out.insert(out.end(), piece.begin(), piece.end());
  }
  return out;
}

}  // namespace kerr::firmware
