#include "tests/check/random_programs/random_program.hpp"

#include <algorithm>

#include "arch/stream_registers.hpp"
#include "tests/check/random_programs/code.hpp"

namespace kerr::random_programs {

namespace {

constexpr uint32_t kSlots = 8, kSlotBytes = 64, kPages = 2, kPageBytes = 64;
constexpr uint32_t kUsualVc = arch::niu::kUnicastVc, kOtherVc = 2;

}  // namespace

struct RandomProgram::Layout {
  uint32_t slots, signals, sums, pages, pushed, popped;

  uint32_t slot(uint32_t index) const { return slots + kSlotBytes * index; }
  // On the consumer's tile: how often the producer has signalled, by each channel. A count of signals that come by two
  // channels does not say which ones have come.
  uint32_t signal(const Step& s) const {
    return signals + 16 * (8 * (2 * (s.kind == Kind::Acked) + (s.consumer & 1)) + s.producer);
  }
  uint32_t sum(uint32_t hart) const { return sums + 16 * (hart & 1); }
  uint32_t page(uint32_t number) const { return pages + kPageBytes * (number % kPages); }
};

class RandomProgram::Code : public HartCode {
 public:
  using HartCode::HartCode;
};

RandomProgram::RandomProgram(unsigned seed, uint32_t steps) : random_(seed) {
  const uint32_t tiles = 1 + below(4);
  for (uint32_t i = 0; i < tiles; ++i) {
    tiles_.push_back({static_cast<uint8_t>(1 + i), static_cast<uint8_t>(2 + below(3))});
    fills_.push_back(below(2));
    owner_.emplace_back();
    for (uint32_t s = 0; s < kSlots; ++s) owner_.back().push_back(below(2 * tiles));
  }
  pages_.resize(tiles);
  signals_.assign(4 * tiles, std::vector<uint32_t>(2 * tiles));
  for (uint32_t tries = 0; steps_.size() < steps && tries < 20 * steps; ++tries) add_step();
  drop_redundant();
}

// A producer need not wait for a free page if its consumer has told it of something later by other ways. Signals are
// never redundant: what comes before a step in one hart tells nothing of the step to another.
void RandomProgram::drop_redundant() {
  using Known = std::vector<uint32_t>;  // of each hart the steps before this one
  const size_t harts = 2 * tiles_.size();
  std::vector<Known> known(harts, Known(harts)), popped(steps_.size());
  const auto join = [](Known& to, const Known& from) {
    for (size_t h = 0; h < to.size(); ++h) to[h] = std::max(to[h], from[h]);
  };
  for (uint32_t n = 0; n < steps_.size(); ++n) {
    const Step& s = steps_[n];
    const auto pops_it = [&](const Step& other) {
      return other.kind == Kind::Buffer && other.producer / 2 == s.producer / 2 && other.signal + kPages == s.signal;
    };
    if (s.kind == Kind::Buffer && s.signal >= kPages) {
      const auto pop = static_cast<uint32_t>(std::ranges::find_if(steps_, pops_it) - steps_.begin());
      if (known[s.producer][s.consumer] > pop) {
        std::erase_if(removable_, [&](const Removed& r) { return r.step == n && r.edge == Edge::Reserve; });
      }
      join(known[s.producer], popped[pop]);
    }
    known[s.producer][s.producer] = n + 1;
    join(known[s.consumer], known[s.producer]);
    known[s.consumer][s.consumer] = n + 1;
    if (s.kind == Kind::Buffer) popped[n] = known[s.consumer];
  }
}

std::optional<uint32_t> RandomProgram::slot_of(uint32_t owner, uint32_t tile) {
  const uint32_t first = below(kSlots);
  for (uint32_t i = 0; i < kSlots; ++i) {
    if (owner_[tile][(first + i) % kSlots] == owner) return (first + i) % kSlots;
  }
  return {};
}

bool RandomProgram::add_step() {
  const auto harts = static_cast<uint32_t>(2 * tiles_.size());
  Step s{};
  s.producer = below(harts);
  s.consumer = below(harts);
  s.value = below(1 << 20);
  const uint32_t from = s.producer / 2, to = s.consumer / 2;
  if (s.producer == s.consumer) return false;
  const auto number = static_cast<uint32_t>(steps_.size());
  const auto may_lose = [&](Edge edge) { removable_.push_back({number, edge}); };
  if (from == to) {
    s.kind = (s.producer & 1) == fills_[from] && below(2) == 0 ? Kind::Buffer : Kind::Local;
  } else {
    constexpr Kind kRemote[] = {Kind::Write, Kind::Acked, Kind::Read};
    s.kind = kRemote[below(3)];
  }
  if (s.kind == Kind::Buffer) {
    s.signal = pages_[from]++;
    may_lose(Edge::ConsumersWait);
    if (s.signal >= kPages) may_lose(Edge::Reserve);
    steps_.push_back(s);
    return true;
  }
  const auto source = slot_of(s.producer, from);
  const auto target = s.kind == Kind::Local  ? source
                      : s.kind == Kind::Read ? slot_of(s.consumer, to)
                                             : slot_of(s.producer, to);
  if (!source || !target) return false;
  s.source = *source;
  s.target = *target;
  s.signal = ++signals_[2 * s.producer + (s.kind == Kind::Acked)][s.consumer];
  // Who has read a word may touch it from now on, and nobody else.
  if (s.kind == Kind::Read || s.kind == Kind::Local) owner_[from][s.source] = s.consumer;
  if (s.kind == Kind::Write || s.kind == Kind::Acked) owner_[to][s.target] = s.consumer;
  may_lose(Edge::ConsumersWait);
  if (s.kind == Kind::Write) may_lose(Edge::ChannelOfFlag);
  if (s.kind == Kind::Write) may_lose(Edge::Flush);
  if (s.kind == Kind::Acked || s.kind == Kind::Read) may_lose(Edge::Barrier);
  steps_.push_back(s);
  return true;
}

void RandomProgram::emit(const Step& s, uint32_t number, const Layout& at, std::optional<Edge> removed,
                         std::vector<Code>& codes) const {
  Code &producer = codes[s.producer], &consumer = codes[s.consumer];
  const uint32_t source = at.slot(s.source), target = at.slot(s.target);
  const arch::NocCoord from = tiles_[s.producer / 2], to = tiles_[s.consumer / 2];
  const auto has = [&](Edge edge) { return removed != edge; };
  producer.begin_step(number);
  consumer.begin_step(number);

  if (s.kind == Kind::Buffer) {
    if (has(Edge::Reserve) && s.signal >= kPages) producer.wait_until(at.popped, s.signal - kPages + 1, 0, 16);
    producer.store(at.page(s.signal), s.value);
    producer.store(at.pushed, s.signal + 1);
    if (has(Edge::ConsumersWait)) consumer.wait_until(at.pushed, s.signal + 1, 0, 16);
    consumer.add_to_sum(at.page(s.signal));
    consumer.store(at.popped, s.signal + 1);
    return;
  }
  producer.store(source, s.value);
  switch (s.kind) {
    case Kind::Write:
      producer.write(kUsualVc, source, to, target, kSlotBytes);
      producer.increment(has(Edge::ChannelOfFlag) ? kUsualVc : kOtherVc, to, at.signal(s));
      if (has(Edge::Flush)) producer.barrier(Code::kSent);
      producer.store(source, s.value + 1);
      break;
    case Kind::Acked:
      producer.write(kUsualVc, source, to, target, kSlotBytes);
      if (has(Edge::Barrier)) producer.barrier(Code::kAcknowledged);
      producer.increment(kOtherVc, to, at.signal(s));
      // Whatever comes next of the source's hart: the barrier was for the signal.
      producer.barrier(Code::kAcknowledged);
      break;
    case Kind::Read: producer.increment(kUsualVc, to, at.signal(s)); break;
    default: producer.add_atomically(at.signal(s)); break;
  }
  if (has(Edge::ConsumersWait)) consumer.wait_until(at.signal(s), s.signal);
  if (s.kind == Kind::Read) {
    consumer.read(from, source, target, kSlotBytes);
    if (has(Edge::Barrier)) consumer.barrier(Code::kReads);
  }
  consumer.add_to_sum(target);
  // A read that is still under way must not meet the next step.
  if (s.kind == Kind::Read) consumer.barrier(Code::kReads);
}

std::string RandomProgram::text(uint32_t step) const {
  constexpr const char* kKinds[] = {"local", "write", "acked write", "read", "buffer"};
  const Step& s = steps_[step];
  return "step " + std::to_string(step) + ", " + kKinds[static_cast<size_t>(s.kind)] + ": hart " +
         std::to_string(s.producer) + " to hart " + std::to_string(s.consumer) + ", slots " + std::to_string(s.source) +
         " and " + std::to_string(s.target) + ", signal " + std::to_string(s.signal);
}

host::Program RandomProgram::build(std::optional<Removed> removed) const {
  host::Program program("random");
  Layout at{};
  at.pages = program.add_circular_buffer({.id = 0, .pages = kPages, .page_bytes = kPageBytes});
  at.slots = program.add_l1(kSlots * kSlotBytes, 64);
  at.signals = program.add_l1(4 * 8 * 16, 16);
  at.sums = program.add_l1(2 * 16, 16);
  const auto stream = static_cast<int>(program.layout().first_cb_stream);
  at.pushed = arch::stream_address(stream, arch::stream::kRemoteDestBufSize);
  at.popped = arch::stream_address(stream, arch::stream::kRemoteDestBufStart);

  std::vector<Code> codes;
  for (uint32_t hart = 0; hart < 2 * tiles_.size(); ++hart)
    codes.emplace_back(static_cast<int>(hart & 1), "hart" + std::to_string(hart));
  std::vector<uint32_t> sums(codes.size());
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    const bool here = removed && removed->step == i;
    emit(steps_[i], i, at, here ? std::optional(removed->edge) : std::nullopt, codes);
    sums[steps_[i].consumer] += steps_[i].value;
  }
  expected_.clear();
  for (uint32_t hart = 0; hart < codes.size(); ++hart) {
    const arch::NocCoord tile = tiles_[hart / 2];
    const arch::Hart which = (hart & 1) == 0 ? arch::Hart::Brisc : arch::Hart::Ncrisc;
    program.add_kernel(which, codes[hart].finish(at.sum(hart)), {&tile, 1});
    expected_.push_back({tile, at.sum(hart), sums[hart]});
  }
  return program;
}

}  // namespace kerr::random_programs
