// Accesses of harts to L1.
#include "arch/firmware_layout.hpp"
#include "check/is_load.hpp"
#include "check/tile_checker.hpp"

#include <cstring>

namespace kerr::check {

// Only the shadow is to be held against an access of a hart in this line.
bool TileChecker::is_plain(uint32_t line_begin) const {
  constexpr uint32_t kLine = Shadow::kLine;
  for (uint32_t at = line_begin; at < line_begin + kLine; at += 4)
    if (flags_.has(at / 4)) return false;
  if (launch_.known() && (line_begin < arch::kFwB.unreserved || launch_.is_odd(line_begin, kLine))) return false;
  return !data_caches_.any() && !buffers_.reach(line_begin, kLine) && !fetched_.has(line_begin);
}

void TileChecker::hart_accessed(const Actor& a, Kind kind, uint32_t address, uint32_t bytes, uint32_t value) {
  if (address < view_.l1.size()) {
    const int h = hart_index(a.agent);
    switch (kind) {
      case Kind::Load:
        if (!is_load(a.word)) {  // an NIU reads the source of a write while the hart is at its store into CMD_CTRL
          sources_.push_back({address, bytes});
        } else {
          hart_loads(a, address, bytes, value);
        }
        return;
      case Kind::Store: return hart_stores(a, address, bytes, value);
      case Kind::Atomic: {
        const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).stores());
        if (const auto word = words_.find(address); word != words_.end()) {
          hart(h).acquire([&](Clock& c) { word->second.acquire(c); });
        }
        hart(h).acquire([&](Clock& c) { acquire_writers(c, address, 4); });
        const SnapshotPtr clock = hart(h).release();
        return atomic(by, View(hart(h).clock()), by.event(), clock, address, bytes, value);
      }
    }
  }
  if (kind == Kind::Load) {
    hart_loads_register(a, address, value);
  } else {
    hart_stores_register(a, address, value);
  }
}

void TileChecker::hart_loads(const Actor& a, uint32_t address, uint32_t bytes, uint32_t value) {
  const int h = hart_index(a.agent);
  AgentClock& reader = hart(h);
  const LoadUse& use = code_.use_of_load(a.pc, a.word);
  if (use.waits && !is_flag(address, bytes)) make_flag(address, bytes);
  if (data_caches_.any()) {
    check_cached_load(stamp_of(a, place_, component::hart(h), reader.reads()), use, h, address, bytes);
  }
  if (is_flag(address, bytes)) return take_flag(a, reader, use, address, bytes, value);
  const Stamp by = stamp_of(a, place_, component::hart(h), reader.reads());
  if (buffers_.reach(address)) {
    check_page_read(by, address);
  } else if (address < arch::kFwB.unreserved && launch_.known() && kernels_[static_cast<size_t>(h)].runs) {
    check_place_of_load(by, address, bytes);
  }
  if (l1_.read_alone(address, bytes, by)) return;
  l1_.read(address, bytes, by, View(reader.clock()), directory_,
           [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
             conflict(earlier, wrote, by, false, address, bytes);
           });
}

// A load of a flag races with nobody. It takes over what the program has asked of the value. Edges:
// flag, atomic, launch.
void TileChecker::take_flag(const Actor& a, AgentClock& reader, const LoadUse& use, uint32_t address, uint32_t bytes,
                            uint32_t value) {
  // Who takes a declared flag into a register may decide later.
  if (!use.decides && !is_declared(Annotation::Kind::Flag, address, bytes) &&
      !is_declared(Annotation::Kind::Monotonic, address, bytes))
    return;
  const int h = hart_index(a.agent);
  const auto word = words_.find(address & ~3u);
  if (word == words_.end()) {
    bool others = false;
    l1_.each_write(address, bytes, [&](const Stamp& writer, uint64_t) {
      others |= writer.part != Part::Agent || writer.place != place_ || writer.component != component::hart(h);
    });
    if (!others) return;  // it knows what it did itself
  }
  const bool asks = use.waits && !use.lives;
  const auto leaves = [&](uint32_t v) {
    return code_.leaves(a.pc, v >> 8 * (address & 3), view_.registers[static_cast<size_t>(h)],
                        [&](uint32_t at, uint32_t n) { return peek(h, at, n); });
  };
  if (use.waits && leaves(value << 8 * (address & 3)) == false) return;
  reader.acquire([&](Clock& c) {
    acquire_writers(c, address, bytes);
    if (word == words_.end()) return;
    asks ? word->second.acquire(c, leaves) : word->second.acquire(c);
  });
}

std::optional<uint32_t> TileChecker::peek(int h, uint32_t address, uint32_t bytes) const {
  uint32_t out = 0;
  const auto local = view_.local_memory[static_cast<size_t>(h)];
  if (address - arch::kLdmBase < local.size() && bytes <= local.size() - (address - arch::kLdmBase)) {
    std::memcpy(&out, local.data() + (address - arch::kLdmBase), bytes);
    return out;
  }
  if (address < view_.l1.size() && bytes <= view_.l1.size() - address) {
    std::memcpy(&out, view_.l1.data() + address, bytes);
    return out;
  }
  if (const auto found = registers_.find(address); found != registers_.end()) return found->second.value();
  return std::nullopt;
}

void TileChecker::hart_stores(const Actor& a, uint32_t address, uint32_t bytes, uint32_t value) {
  const int h = hart_index(a.agent);
  const Stamp by = stamp_of(a, place_, component::hart(h), hart(h).stores());
  const View view(hart(h).clock());
  uint32_t old = 0;
  std::memcpy(&old, view_.l1.data() + address, bytes < 4 ? bytes : 4);
  const bool same = bytes <= 4 && old == value;
  if (buffers_.reach(address)) {
    check_page_write(by, address);
  } else if (launch_.known() && kernels_[static_cast<size_t>(h)].runs && launch_.is_odd(address, bytes)) {
    check_place_of_store(by, address, bytes);
  }
  code_written(by, address, bytes);
  if (data_caches_.any()) data_caches_.written(address, bytes, by, h);
  if (!words_.empty()) stored_over_atomics(by, view, address, bytes, value);
  if (l1_.write_alone(address, bytes, by)) return;
  l1_.write(address, bytes, by, view, directory_, [&](const Stamp& earlier, bool wrote, uint64_t, uint64_t) {
    // A store of the value that is there already does no harm to another store.
    if (same && wrote && !is_transfer(earlier.part)) return;
    conflict(earlier, wrote, by, true, address, bytes);
  });
}

}  // namespace kerr::check
