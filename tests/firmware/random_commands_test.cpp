// Commands of every kind and random sizes, in random order, against a model of the memory they write: both rings, the
// dispatcher's buffer and the completion queue wrap all the time.    docs/hardware/fast-dispatch.md 4, 8, 11, 22
//
// 10,000 commands; KERR_RANDOM_COMMANDS in the environment says otherwise (`make test-long`: a million).
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>

#include "tests/firmware/queue_rig.hpp"

namespace kerr::firmware {
namespace {

using arch::NocCoord;
namespace cq = host::cq;

constexpr uint32_t kBase = 0x30000, kBytes = 0x30000;            // of each worker's L1
constexpr uint32_t kDramBase = 0x10000, kDramBytes = 1 << 20;    // source of relays, in bank 2
constexpr uint32_t kPaged = 0x400'000, kPagedBytes = 256 << 10;  // an interleaved buffer

struct RandomCommands : QueueRig {
  std::mt19937 random{20240601};
  std::map<NocCoord, std::vector<uint8_t>> model;
  std::vector<std::byte> dram = pattern(kDramBytes, 77);
  std::vector<uint8_t> paged = std::vector<uint8_t>(kPagedBytes);
  std::deque<std::vector<uint8_t>> expected;  // completions
  uint32_t events = 0, offset = 0;            // write offset of index 1
  uint64_t bytes = 0;
  // Places of the last multicast, which may be on its way longer than what goes by unicast after it.
  struct Range {
    uint32_t begin, end;
  };
  std::vector<Range> multicast;

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random() % n); }
  // Small sizes often, large ones sometimes, edges of 16 and of pages more often than chance has it.
  uint32_t size(uint32_t most) {
    static constexpr uint32_t kEdges[] = {1, 15, 16, 17, 4064, 4080, 4095, 4096, 4097, 8192, 16384, 65536};
    const uint32_t n = below(4) == 0 ? kEdges[below(std::size(kEdges))] : 1 + below(below(8) == 0 ? most : 600);
    return std::min(n, most);
  }
  uint32_t place(uint32_t n) { return kBase + below((kBytes - n) / 16) * 16; }
  Bytes data(uint32_t n) {
    bytes += n;
    return pattern(n, static_cast<uint32_t>(random()));
  }
  void note(NocCoord worker, uint32_t address, std::span<const std::byte> what) {
    std::memcpy(model[worker].data() + address - kBase, what.data(), what.size());
  }
  // Before a multicast: it waits for all writes before it (7.4), so that it alone is under way after its last path.
  void multicasts_to(std::initializer_list<Range> places) { multicast = places; }
  // Before a unicast of `n` bytes to `address`: multicast and unicast have no order but by a barrier.   noc.md 6.2
  void unicasts_to(uint32_t address, uint32_t n) {
    if (std::ranges::any_of(multicast, [&](Range r) { return address < r.end && r.begin < address + n; })) barrier();
  }
  void barrier() {
    send(cq::wait(wire::kWaitBarrier));
    multicast.clear();
  }
  std::vector<NocCoord> some_workers() {
    std::vector<NocCoord> out;
    for (NocCoord worker : kWorkers)
      if (below(2) != 0) out.push_back(worker);
    return out.empty() ? kWorkers : out;
  }
  host::Rectangle some_rectangle() {
    const NocCoord first{static_cast<uint8_t>(1 + below(2)), static_cast<uint8_t>(2 + below(2))};
    return {first,
            {static_cast<uint8_t>(first.x + below(3 - first.x)), static_cast<uint8_t>(first.y + below(4 - first.y))}};
  }
  std::vector<NocCoord> tiles_of(const host::Rectangle& r) {
    std::vector<NocCoord> out;
    for (uint8_t y = r.first.y; y <= r.last.y; ++y)
      for (uint8_t x = r.first.x; x <= r.last.x; ++x) out.push_back({x, y});
    return out;
  }

  void packed() {
    const auto workers = some_workers();
    const bool shared = below(2) != 0;
    const uint32_t n = shared ? size(4000) : size(4096), at = place(n);
    const Bytes what = data(shared ? n : n * static_cast<uint32_t>(workers.size()));
    const auto type = wire::PackedType::Rta;
    unicasts_to(at, n);
    send(shared ? cq::write_packed_shared(type, at, workers, what) : cq::write_packed(type, at, workers, what));
    for (size_t i = 0; i < workers.size(); ++i) note(workers[i], at, std::span(what).subspan(shared ? 0 : i * n, n));
  }
  void packed_multicast() {
    const std::vector<host::Rectangle> to = {some_rectangle(), some_rectangle()};
    const uint32_t n = size(4096), at = place(n);
    const Bytes what = data(2 * n);
    multicasts_to({{at, at + n}});
    send(cq::write_packed_multicast(wire::PackedType::Sems, at, to, what));
    for (uint32_t i = 0; i < 2; ++i)
      for (NocCoord tile : tiles_of(to[i])) note(tile, at, std::span(what).subspan(i * n, n));
  }
  void large() {
    const std::vector<host::Rectangle> to(1 + below(2), some_rectangle());
    const uint32_t a = size(30'000), b = size(20'000), at_a = place(a), at_b = place(b);
    const Bytes first = data(a), second = data(b);
    const cq::MulticastPiece pieces[] = {{at_a, first}, {at_b, second}};
    multicasts_to({{at_a, at_a + a}, {at_b, at_b + b}});
    send(cq::write_packed_large_pieces(wire::PackedLargeType::Binaries, to, pieces));
    for (NocCoord tile : tiles_of(to[0])) {
      note(tile, at_a, first);
      note(tile, at_b, second);
    }
  }
  void large_unicast() {
    const uint32_t a = size(60'000), b = size(5'000), at = place(a);
    const NocCoord worker = kWorkers[below(4)];
    const Bytes first = data(a), second = data(b);
    unicasts_to(at, a);
    const cq::UnicastPiece pieces[] = {{kWorkers[0], wire::kDiscardAddress, second}, {worker, at, first}};
    send(cq::write_packed_large_unicast(pieces));
    note(worker, at, first);
  }
  void linear() {
    const uint32_t n = size(100'000);
    const Bytes what = data(n);
    const uint32_t at = place(n + 0x100);
    if (below(2) != 0) {
      const host::Rectangle to = some_rectangle();
      multicasts_to({{at + offset, at + offset + n}});
      send(cq::write_linear_multicast(to, at, what, 1));
      for (NocCoord tile : tiles_of(to)) note(tile, at + offset, what);
    } else {
      const NocCoord worker = kWorkers[below(4)];
      unicasts_to(at + offset, n);
      send(cq::write_linear(worker.packed(), at, what, 1));
      note(worker, at + offset, what);
    }
  }
  void new_offset() {
    offset = 16 * below(16);
    const uint32_t offsets[] = {0, offset};
    send(cq::set_write_offset(offsets));
  }
  // Data from DRAM, linear or in pieces of an interleaved buffer, into a worker.
  void relayed() {
    const uint32_t n = size(150'000), from = below((kDramBytes - n) / 64) * 64, at = place(n);
    const NocCoord worker = kWorkers[below(4)];
    unicasts_to(at, n);
    push(join({cq::relay_inline_noflush(cq::write_linear_header(worker.packed(), at, n)),
               cq::relay_linear(bank_tile(true, 2).packed(), kDramBase + from, n)}));
    note(worker, at, std::span(dram).subspan(from, n));
    bytes += n;
  }
  // Pieces of one bank, one behind the other; or all of it into the sink.
  void relayed_pieces() {
    std::vector<cq::LinearPiece> pieces(1 + below(6));
    Bytes what;
    for (cq::LinearPiece& piece : pieces) {
      piece.length = 64 * (1 + below(below(4) == 0 ? 400 : 20));
      if (&piece == &pieces.back()) piece.length -= below(64);
      const uint32_t from = below((kDramBytes - piece.length) / 64) * 64;
      piece.address = kDramBase + from;
      what.insert(what.end(), dram.begin() + from, dram.begin() + from + piece.length);
    }
    const auto n = static_cast<uint32_t>(what.size());
    bytes += n;
    const Bytes data = cq::relay_linear_packed(bank_tile(true, 2).packed(), pieces);
    if (n > kBytes || below(4) == 0) return push(join({cq::relay_inline_noflush(cq::sink_header(n)), data}));
    const uint32_t at = place(n);
    const NocCoord worker = kWorkers[below(4)];
    unicasts_to(at, n);
    push(join({cq::relay_inline_noflush(cq::write_linear_header(worker.packed(), at, n)), data}));
    note(worker, at, what);
  }
  void ring_buffer() {
    const uint32_t n = 64 * (1 + below(300)), start = below(n / 16) * 16, length = 1 + below(n - start);
    const uint32_t from = below((kDramBytes - n) / 64) * 64, at = place(length);
    const NocCoord worker = kWorkers[below(4)];
    unicasts_to(at, length);
    // Pages of 2^31 bytes: all of the buffer lies in its first bank.
    push(join({cq::paged_to_ringbuffer(true, 31, 2, kDramBase + from, n, n),
               cq::relay_inline_noflush(cq::write_linear_header(worker.packed(), at, length)),
               cq::relay_ringbuffer(std::vector<cq::RingPiece>{{start, length}})}));
    note(worker, at, std::span(dram).subspan(from + start, length));
    bytes += n;
  }
  void write_pages() {
    const uint32_t first = below(40), n = 1 + below(20);
    const Bytes what = data(n * 2048);
    send(cq::write_paged(true, static_cast<uint16_t>(first), kPaged, 2048, what));
    std::memcpy(paged.data() + first * 2048, what.data(), what.size());
  }
  void read_pages_back() {
    const uint32_t first = below(40), n = 1 + below(20), drop = 32 * below(64);
    const uint32_t length = n * 2048 - drop;
    push(join({cq::record(cq::wait(wire::kWaitBarrier | wire::kWaitNotifyPrefetch)), cq::stall(),
               cq::relay_inline_noflush(cq::host_data_header(length)),
               cq::relay_paged({true, static_cast<uint8_t>(first), kPaged, 2048, n, drop})}));
    expected.emplace_back(paged.begin() + first * 2048, paged.begin() + first * 2048 + length);
    bytes += length;
  }
  void to_host() {
    const Bytes what = data(size(20'000));
    wire::WriteLinearHHost header;
    header.length = sizeof header + what.size();
    Bytes command(sizeof header);
    std::memcpy(command.data(), &header, sizeof header);
    command.insert(command.end(), what.begin(), what.end());
    send(command);
    expected.push_back(as_u8(what));
  }
  void event() {
    std::vector<uint8_t> id(wire::kEventBytes);
    ++events;
    std::memcpy(id.data(), &events, 4);
    send(cq::host_event(events));
    expected.push_back(id);
  }
  void small() {
    switch (below(5)) {
      case 0: return send(cq::delay(below(50)));
      case 3: return send(cq::sink(data(size(100'000))));
      case 1: return send(cq::debug(7, data(below(200)), cq::delay(1)));
      case 2: return push(cq::prefetch_debug(1, data(below(3000))));
      default: return barrier();
    }
  }

  // The oldest completions, until at most `left` are outstanding.
  void take_completions(size_t left) {
    while (expected.size() > left) {
      const auto got = pop();
      ASSERT_TRUE(got) << "no completion";
      ASSERT_EQ(*got, expected.front());
      expected.pop_front();
    }
  }
  void compare() {
    barrier();
    event();
    take_completions(0);
    for (NocCoord worker : kWorkers) ASSERT_EQ(read_bytes(worker, kBase, kBytes), model[worker]);
    ASSERT_EQ(read_pages(true, kPaged, 2048, 0, kPagedBytes), paged);
  }
};

TEST_F(RandomCommands, OfAnySizeWriteWhatTheModelSays) {
  const char* wanted = std::getenv("KERR_RANDOM_COMMANDS");
  const uint64_t commands = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 10'000;
  ASSERT_TRUE(start());
  for (NocCoord worker : kWorkers) {
    model[worker].resize(kBytes);
    io.write(worker, kBase, std::vector<std::byte>(kBytes));
  }
  io.write(bank_tile(true, 2), kDramBase, dram);
  QueueRig::write_pages(true, kPaged, 2048, 0, std::vector<std::byte>(kPagedBytes));
  new_offset();
  for (uint64_t i = 1; i <= commands; ++i) {
    switch (below(15)) {
      case 0: packed(); break;
      case 1: packed_multicast(); break;
      case 2: large(); break;
      case 3: large_unicast(); break;
      case 4: linear(); break;
      case 5: new_offset(); break;
      case 6: relayed(); break;
      case 7: ring_buffer(); break;
      case 8: write_pages(); break;
      case 9: read_pages_back(); break;
      case 10: to_host(); break;
      case 11: event(); break;
      case 12: relayed_pieces(); break;
      default: small(); break;
    }
    // The completion ring holds eight pages: the dispatcher often waits for room in it.
    take_completions(below(20) == 0 ? 0 : 2);
    if (i % 2000 == 0 || i == commands) compare();
    if (HasFatalFailure()) FAIL() << "command " << i;
  }
  EXPECT_GT(bytes, commands * 2000);
  EXPECT_EQ(error_of(kPrefetch), wire::CqError::None);
  EXPECT_EQ(error_of(kDispatch), wire::CqError::None);
  terminate();
}

}  // namespace
}  // namespace kerr::firmware
