#include "hang/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "arch/noc_registers.hpp"

namespace kerr::hang {

namespace {

constexpr uint32_t kNear = 256;   // bytes
constexpr size_t kMostTiles = 4;  // named in a line
constexpr size_t kMostRequests = 3;

arch::NocCoord coordinate(uint32_t packed) {
  return {static_cast<uint8_t>(packed & 63), static_cast<uint8_t>(packed >> 6 & 63)};
}

std::optional<LastRequest> read_buffer(const Scene& scene, size_t tile, int noc, int buffer) {
  namespace niu = arch::niu;
  const auto word = [&](uint32_t offset) { return scene.niu_word(tile, noc, buffer, offset); };
  const uint32_t ctrl = word(niu::kCtrl);
  const uint32_t type = ctrl & niu::kCtrlTypeMask;
  if (ctrl == 0 || type > niu::kCtrlWrite) return std::nullopt;
  LastRequest out{.tile = tile, .noc = noc};
  const bool is_inline = type == niu::kCtrlWrite && (ctrl & niu::kCtrlInline) != 0;
  out.kind = type == niu::kCtrlRead     ? LastRequest::Kind::Read
             : type == niu::kCtrlAtomic ? LastRequest::Kind::Atomic
             : is_inline                ? LastRequest::Kind::InlineWrite
                                        : LastRequest::Kind::Write;
  const bool returns = out.kind == LastRequest::Kind::Write;
  const uint32_t hi = word(returns ? niu::kRetAddrHi : niu::kTargAddrHi);
  out.address = uint64_t{word(returns ? niu::kRetAddrMid : niu::kTargAddrMid)} << 32 |
                word(returns ? niu::kRetAddrLo : niu::kTargAddrLo);
  if (hi == 0 && out.address == 0) return std::nullopt;  // never used
  out.multicast = (ctrl & niu::kCtrlBroadcast) != 0;
  out.bytes = out.kind == LastRequest::Kind::Read || out.kind == LastRequest::Kind::Write ? word(niu::kAtLenBe) : 4;
  const arch::NocCoord a = coordinate(hi), b = out.multicast ? coordinate(hi >> 12) : a;
  out.first = {std::min(a.x, b.x), std::min(a.y, b.y)};
  out.last = {std::max(a.x, b.x), std::max(a.y, b.y)};
  return out;
}

}  // namespace

bool satisfies(const Want& want, uint32_t value) {
  switch (want.wanted.kind) {
    case Wanted::Kind::Equal: return value == want.wanted.value;
    case Wanted::Kind::AtLeast: return value >= want.wanted.value;
    case Wanted::Kind::NotEqual: return value != want.wanted.value;
    case Wanted::Kind::BitSet: return (value >> want.wanted.value & 1) != 0;
    default: return false;
  }
}

std::vector<LastRequest> last_requests(const Scene& scene) {
  std::vector<LastRequest> out;
  for (size_t tile = 0; tile < scene.tiles().size(); ++tile)
    for (int noc = 0; noc < arch::kNocs; ++noc)
      for (int buffer = 0; buffer < arch::niu::kCommandBuffers; ++buffer)
        if (auto request = read_buffer(scene, tile, noc, buffer)) out.push_back(*request);
  return out;
}

std::string text(const LastRequest& request) {
  const auto place = [](arch::NocCoord c) { return fmt::format("({},{})", c.x, c.y); };
  std::string where = place(request.first);
  if (request.multicast) where += "-" + place(request.last);
  const char* const many = request.multicast ? "multicast " : "";
  switch (request.kind) {
    case LastRequest::Kind::Read:
      return fmt::format("read of {} bytes of {} {:#x}", request.bytes, where, request.address);
    case LastRequest::Kind::Write:
      return fmt::format("{}write of {} bytes to {} {:#x}", many, request.bytes, where, request.address);
    case LastRequest::Kind::InlineWrite:
      return fmt::format("{}write of a word to {} {:#x}", many, where, request.address);
    case LastRequest::Kind::Atomic: return fmt::format("{}atomic to {} {:#x}", many, where, request.address);
  }
  return "";
}

std::vector<std::string> near_misses(const Scene& scene, const Want& want, const std::vector<LastRequest>& requests) {
  std::vector<std::string> out;
  const Thing& thing = want.thing;
  if (thing.kind != Thing::Kind::Word || !want.has_value) return out;
  const arch::NocCoord core = scene.tiles()[thing.tile].core;
  const auto on_chip = [&](size_t tile) { return scene.tiles()[tile].id.chip == scene.tiles()[thing.tile].id.chip; };

  // The right value in other tiles, or in another semaphore.
  std::vector<emu::TileId> elsewhere;
  for (size_t t = 0; t < scene.tiles().size(); ++t) {
    if (t == thing.tile || !on_chip(t)) continue;
    const auto value = scene.peek(t, arch::Hart::Brisc, thing.address, 4);
    if (value && *value != 0 && *value != want.value && satisfies(want, *value))
      elsewhere.push_back(scene.tiles()[t].id);
  }
  if (!elsewhere.empty())
    out.push_back(
        fmt::format("{} has that value on {}", name(scene, thing), scene.places().rectangles(elsewhere, kMostTiles)));
  const arch::note::Launched* const launch = scene.tiles()[thing.tile].launch;
  for (size_t i = 0; thing.index != Thing::kNone && i < launch->semaphores.size(); ++i) {
    const auto value = scene.peek(thing.tile, arch::Hart::Brisc, launch->semaphores[i].address, 4);
    if (i != thing.index && value && *value != launch->semaphores[i].initial && satisfies(want, *value))
      out.push_back(fmt::format("semaphore {} of this core is {}", i, *value));
  }

  // Requests to this address of other tiles, and to this tile beside it.
  size_t told = 0;
  for (const LastRequest& request : requests) {
    if (request.kind == LastRequest::Kind::Read || told == kMostRequests || !on_chip(request.tile)) continue;
    const bool here = request.address <= thing.address && thing.address - request.address < request.bytes;
    const bool near = request.address + kNear > thing.address && request.address < thing.address + kNear;
    const bool reaches = request.reaches(core);
    if (!(here && !reaches) && !(near && !here && reaches)) continue;
    ++told;
    out.push_back(fmt::format("a last request of {} on NoC {} went elsewhere: {}",
                              scene.places().text(scene.tiles()[request.tile].id), request.noc, text(request)));
  }
  return out;
}

}  // namespace kerr::hang
