// What a write of 1 to CMD_CTRL does.   docs/hardware/noc.md 3, 4, 5
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "arch/bytes.hpp"
#include "emu/noc/fabric.hpp"
#include "emu/noc/niu.hpp"

namespace kerr::emu {

using namespace arch::niu;

namespace {

constexpr uint32_t kFewFlits = 2;  // header and one of data: the two sizes that were measured differ (timing.md 7.4)

constexpr uint32_t kTypeReserved = 3;
constexpr uint32_t kHeaderBytes = 16;
constexpr uint32_t kTagToOverlay = 1u << 6;
constexpr uint32_t kMostSplitBytes = 2u << 20;  // the 8-bit counters of a transaction id hold no more packets

uint32_t packets_of(uint32_t bytes) { return (bytes + kMaxPacketBytes - 1) / kMaxPacketBytes; }

// Words of a command buffer.
constexpr int word(uint32_t offset) { return static_cast<int>(offset / 4); }

}  // namespace

struct Niu::Request {
  explicit Request(const std::array<uint32_t, kBufferWords>& w)
      : ctrl(w[word(kCtrl)]),
        targ(uint64_t{w[word(kTargAddrMid)]} << 32 | w[word(kTargAddrLo)]),
        ret(uint64_t{w[word(kRetAddrMid)]} << 32 | w[word(kRetAddrLo)]),
        targ_hi(w[word(kTargAddrHi)]),
        ret_hi(w[word(kRetAddrHi)]),
        at_len_be(w[word(kAtLenBe)]),
        at_len_be_1(w[word(kAtLenBe1)]),
        at_data(w[word(kAtData)]),
        exclusion{w[word(kBrcstExclude)]},
        tag(w[word(kPacketTag)]) {}

  uint32_t type() const { return ctrl & kCtrlTypeMask; }
  bool is_inline() const { return type() == kCtrlWrite && (ctrl & kCtrlInline); }
  bool marked() const { return ctrl & kCtrlRespMarked; }
  bool multicast() const { return ctrl & kCtrlBroadcast; }
  bool stores_header() const { return tag & kTagHeaderStore; }
  uint8_t transaction_id() const { return static_cast<uint8_t>(tag >> kTagTransactionIdShift & kTagTransactionIdMask); }
  uint8_t vc() const {
    if (ctrl & kCtrlVcStatic) return static_cast<uint8_t>(ctrl >> kCtrlStaticVcShift & kCtrlStaticVcMask);
    return multicast() ? kMulticastVc : 0;
  }
  Message message(TileId from, int noc, MessageKind kind) const {
    Message m;
    m.source = from;
    m.noc = static_cast<uint8_t>(noc);
    m.vc = vc();
    m.kind = kind;
    m.marked = marked();
    m.multicast = multicast();
    m.y_major = (ctrl & kCtrlBroadcastXy) != 0;
    m.static_vc = (ctrl & kCtrlVcStatic) != 0;
    m.linked = linked;
    m.transaction_id = transaction_id();
    return m;
  }

  uint32_t ctrl;
  uint64_t targ;
  uint64_t ret;
  uint32_t targ_hi;
  uint32_t ret_hi;
  uint32_t at_len_be;
  uint32_t at_len_be_1;
  uint32_t at_data;
  Exclusion exclusion;
  uint32_t tag;
  bool linked = false;     // to the one before or behind it
  bool continues = false;  // a train that the request before it has begun
};

Access Niu::issue(Buffer& buffer) {
  Request request(buffer.words);
  request.continues = std::exchange(train_open_, (request.ctrl & kCtrlVcLinked) != 0);
  request.linked = request.continues || train_open_;
  const std::optional<Refusal> refusal = issue(buffer, request);
  if (!refusal) return Access::Done;
  return host_.fault(refusal->category, request.targ, fmt::format("{}: {}", describe(request), refusal->what),
                     refusal->advice);
}

std::optional<Refusal> Niu::issue(Buffer& buffer, const Request& request) {
  if (request.ctrl & kCtrlL1AccAtEn) {
    return Refusal{FaultCategory::UndefinedBehavior, "accumulation on arrival (CTRL bit 31) does not work on Blackhole",
                   ""};
  }
  if (request.tag & kTagToOverlay) {
    return Refusal{FaultCategory::Unsupported, "PACKET_TAG asks for delivery to an overlay stream", ""};
  }
  if (request.stores_header() && (request.type() != kCtrlWrite || request.is_inline())) {
    return Refusal{FaultCategory::UndefinedBehavior, "HEADER_STORE (PACKET_TAG bit 9) acts on posted writes only", ""};
  }
  switch (request.type()) {
    case kCtrlRead: return issue_read(buffer, request);
    case kCtrlAtomic: return issue_atomic(buffer, request);
    case kCtrlWrite: return request.is_inline() ? issue_inline_write(buffer, request) : issue_write(buffer, request);
    default: return Refusal{FaultCategory::UndefinedBehavior, "request type 3 is reserved", ""};
  }
}

// --- the four kinds of request --------------------------------------------------------------------------------------

std::optional<Refusal> Niu::issue_read(Buffer& buffer, const Request& request) {
  if (request.multicast()) return Refusal{FaultCategory::UndefinedBehavior, "a read cannot be a multicast", ""};
  if (auto refusal = check_length(request)) return refusal;
  const std::optional<TileId> from = resolve(request.targ_hi);
  const std::optional<TileId> to = resolve(request.ret_hi);
  if (auto refusal = check_present(from, "source")) return refusal;
  if (auto refusal = check_present(to, "return")) return refusal;
  const uint32_t bytes = request.at_len_be;
  if (auto refusal = check_transfer({class_of(*from), request.targ}, {class_of(*to), request.ret}, bytes)) {
    return refusal;
  }

  const uint32_t packets = packets_of(bytes);
  count(kMstReqsOutstandingId + request.transaction_id(), packets);
  count(kMstCmdAccepted, packets);
  count(kMstRdReqStarted, packets);
  count(kMstRdReqSent, packets);
  Message message = request.message(tile_, noc_, MessageKind::ReadRequest);
  message.marked = true;
  message.destination = *from;
  message.reply_tile = *to;
  for (uint32_t at = 0; at < bytes; at += kMaxPacketBytes) {
    message.address = request.targ + at;
    message.reply_address = request.ret + at;
    message.length = std::min(bytes - at, kMaxPacketBytes);
    message.sent = leave(buffer, 1);
    host_.send(Message(message));
  }
  advance_split(buffer, packets);
  return {};
}

// The receivers, and the node that gets the acknowledgement.
std::optional<Refusal> Niu::find_ends_of_write(const Request& request, TileId& acknowledged) {
  if (auto refusal = find_receivers(request, request.ret_hi)) return refusal;
  acknowledged = tile_;
  if (!request.marked()) return {};
  const std::optional<TileId> named = resolve(request.targ_hi);
  if (auto refusal = check_present(named, "acknowledged")) {
    refusal->advice = "TARG_ADDR_HI of a write says who gets the acknowledgement: write the own coordinate there.";
    return refusal;
  }
  acknowledged = *named;
  return {};
}

arch::TileClass Niu::class_of_receivers(const Request& request) const {
  return request.multicast() ? arch::TileClass::Tensix : class_of(receivers_.front());
}

void Niu::count_writes(const Request& request, uint32_t packets) {
  count(kMstCmdAccepted, packets);
  count(request.marked() ? kMstNonpostedWrReqStarted : kMstPostedWrReqStarted, packets);
  count(request.marked() ? kMstNonpostedWrReqSent : kMstPostedWrReqSent, packets);
  if (request.marked()) count(kMstReqsOutstandingId + request.transaction_id(), packets);
}

std::optional<Refusal> Niu::issue_write(Buffer& buffer, const Request& request) {
  if (request.ctrl & kCtrlByteEnable) return issue_masked_write(buffer, request);
  if (auto refusal = check_length(request)) return refusal;
  TileId acknowledged;
  if (auto refusal = find_ends_of_write(request, acknowledged)) return refusal;
  const uint32_t bytes = request.at_len_be;
  const arch::TileClass to = class_of_receivers(request);
  if (auto refusal = check_transfer({class_of(tile_), request.targ}, {to, request.ret}, bytes)) return refusal;
  if (request.stores_header()) {
    if (auto refusal = check_header_store(request)) return refusal;
  }

  const uint32_t packets = packets_of(bytes);
  Message message = request.message(tile_, noc_, MessageKind::Write);
  message.reply_tile = acknowledged;
  message.header_store = request.stores_header();
  message.operand = request.at_data << 4;
  for (uint32_t at = 0; at < bytes; at += kMaxPacketBytes) {
    const uint32_t length = std::min(bytes - at, kMaxPacketBytes);
    Payload payload;
    if (auto refusal = read_source(request.targ + at, length, payload)) return refusal;
    message.address = request.ret + at;
    const uint32_t flits = 1 + data_flits(length);
    message.sent = leave(buffer, flits, reservation(request, flits));
    count(request.marked() ? kMstNonpostedWrDataWordSent : kMstPostedWrDataWordSent, data_flits(length));
    bytes_sent_ += length;
    send_to_receivers(message, payload);
  }
  count_writes(request, packets);
  advance_split(buffer, packets);
  return {};
}

// HEADER_STORE: the first 16 bytes go to AT_DATA << 4 of the receiver as well.
std::optional<Refusal> Niu::check_header_store(const Request& request) const {
  if (request.marked()) {
    return Refusal{FaultCategory::UndefinedBehavior, "HEADER_STORE (PACKET_TAG bit 9) acts on posted writes only",
                   "Clear RESP_MARKED (CTRL bit 4)."};
  }
  if (!request.multicast() && class_of(receivers_.front()) != arch::TileClass::Tensix) {
    return Refusal{FaultCategory::Unsupported, "Kerr models a header store into Tensix tiles only", ""};
  }
  if (request.at_len_be < kHeaderBytes || request.at_len_be > kMaxPacketBytes ||
      space_of({arch::TileClass::Tensix, request.ret}) != Space::L1) {
    return Refusal{FaultCategory::Unsupported,
                   "what a header store makes of a payload of less than 16 or more than 16384 bytes, or of one for a "
                   "register, is not documented",
                   ""};
  }
  if (L1::contains(uint64_t{request.at_data} << 4, kHeaderBytes)) return {};
  return Refusal{FaultCategory::OutOfBounds,
                 fmt::format("the header goes to {:#x}, beyond L1", uint64_t{request.at_data} << 4),
                 "AT_DATA is the address divided by 16."};
}

// CTRL bit 2: bit i of AT_LEN_BE_1:AT_LEN_BE says whether byte i of 64 is written. The mask is ignored if the
// destination is a register; a register as the source is repeated in every word.
std::optional<Refusal> Niu::issue_masked_write(Buffer& buffer, const Request& request) {
  if (request.stores_header()) {
    return Refusal{FaultCategory::Unsupported,
                   "what a header store makes of a write with byte enables is not documented", ""};
  }
  TileId acknowledged;
  if (auto refusal = find_ends_of_write(request, acknowledged)) return refusal;
  const arch::TileClass to = class_of_receivers(request);
  const bool from_register = space_of({class_of(tile_), request.targ}) == Space::Registers;
  const bool to_register = space_of({to, request.ret}) == Space::Registers;
  const bool to_l1 = space_of({to, request.ret}) == Space::L1;

  Message message = request.message(tile_, noc_, MessageKind::Write);
  message.reply_tile = acknowledged;
  Payload payload;
  if (from_register || to_register) {
    const End word = to_register ? End{to, request.ret} : End{class_of(tile_), request.targ};
    if (auto refusal = check_transfer({class_of(tile_), request.targ}, word, 4)) return refusal;
    if (auto refusal = read_source(request.targ, 4, payload)) return refusal;
    message.address = request.ret;
  }
  if (!to_register) {
    const uint64_t low_bits = request.ret | (from_register ? 0 : request.targ);
    if (to_l1 ? (low_bits & 0x30) != 0 : request.ret % kFlitBytes != 0) {
      return Refusal{to_l1 ? FaultCategory::Unsupported : FaultCategory::Misaligned,
                     "byte enables count from a multiple of 64; where they count from at another multiple of 16 "
                     "is not known",
                     "Align both addresses to 64 bytes."};
    }
    message.address = request.ret & ~uint64_t{kFlitBytes - 1};
    const uint64_t from = from_register ? 0 : request.targ & ~uint64_t{kFlitBytes - 1};
    if (auto refusal = check_transfer({class_of(tile_), from}, {to, message.address}, kFlitBytes)) return refusal;
    if (from_register) {
      Payload repeated(kFlitBytes);
      for (uint32_t at = 0; at < kFlitBytes; at += 4) std::memcpy(repeated.data() + at, payload.data(), 4);
      payload = std::move(repeated);
    } else if (auto refusal = read_source(from, kFlitBytes, payload)) {
      return refusal;
    }
    message.byte_enables = uint64_t{request.at_len_be_1} << 32 | request.at_len_be;
  }
  message.sent = leave(buffer, 2, reservation(request, 2));
  count(request.marked() ? kMstNonpostedWrDataWordSent : kMstPostedWrDataWordSent);
  bytes_sent_ += to_register ? 4u : static_cast<unsigned>(std::popcount(message.byte_enables));
  send_to_receivers(message, payload);
  count_writes(request, 1);
  return {};
}

std::optional<Refusal> Niu::issue_inline_write(Buffer& buffer, const Request& request) {
  if (auto refusal = find_receivers(request, request.targ_hi)) return refusal;
  const arch::TileClass to = class_of_receivers(request);
  if (auto refusal = check_inline_write({to, request.targ})) return refusal;

  count_writes(request, 1);
  Message message = request.message(tile_, noc_, MessageKind::InlineWrite);
  message.address = request.targ;
  message.operand = request.at_data;
  message.reply_tile = tile_;
  message.sent = leave(buffer, 2, reservation(request, 2));
  bytes_sent_ += 4;
  send_to_receivers(message, {});
  return {};
}

std::optional<Refusal> Niu::issue_atomic(Buffer& buffer, const Request& request) {
  if (auto refusal = find_receivers(request, request.targ_hi)) return refusal;
  const arch::TileClass at = class_of_receivers(request);
  if (auto refusal = check_atomic({at, request.targ}, request.at_len_be)) return refusal;
  std::optional<TileId> result_to = tile_;
  if (request.marked()) {
    result_to = resolve(request.ret_hi);
    if (auto refusal = check_present(result_to, "return")) return refusal;
    if (auto refusal = check_atomic_result({class_of(*result_to), request.ret})) return refusal;
  }

  count(kMstCmdAccepted);
  count(request.marked() ? kMstNonpostedAtomicSent : kMstPostedAtomicSent);
  if (request.marked()) {
    count(kMstNonpostedAtomicStarted);
    count(kMstReqsOutstandingId + request.transaction_id());
  }
  Message message = request.message(tile_, noc_, MessageKind::Atomic);
  message.address = request.targ;
  message.operand = request.at_data;
  message.opcode_fields = request.at_len_be;
  message.reply_tile = *result_to;
  message.reply_address = request.ret;
  message.sent = leave(buffer, 1);
  send_to_receivers(message, {});
  return {};
}

// --- coordinates ----------------------------------------------------------------------------------------------------

std::optional<arch::NocCoord> Niu::translate(uint32_t x, uint32_t y) const {
  if (x > 31 || y > 31) return {};
  const auto entry = [this](uint32_t table, uint32_t index) {
    return config(table + 4 * (index / kTranslateEntriesPerWord)) >>
               (kTranslateEntryBits * (index % kTranslateEntriesPerWord)) &
           31;
  };
  uint32_t own_x = x;
  uint32_t own_y = y;
  if (config(kNiuCfg0) & kNiuCfg0TranslateEnable) {
    if (!(config(kTranslateRowMask) >> y & 1)) own_x = entry(kXTranslateTable0, x);
    if (!(config(kTranslateColMask) >> x & 1)) own_y = entry(kYTranslateTable0, y);
  }
  const arch::NocCoord own{static_cast<uint8_t>(own_x), static_cast<uint8_t>(own_y)};
  if (!own.on_grid()) return {};
  return own;
}

// The tile that a unicast *_ADDR_HI names; bits above [11:0] do nothing.
std::optional<TileId> Niu::resolve(uint32_t hi) const {
  const std::optional<arch::NocCoord> own = translate(hi & 63, hi >> 6 & 63);
  if (!own) return {};
  const arch::NocCoord raw = arch::noc_to_raw(noc_, *own);
  return TileId::at(tile_.chip, raw.x, raw.y);
}

std::optional<Refusal> Niu::check_present(std::optional<TileId> tile, const char* role) const {
  if (!tile) return Refusal{FaultCategory::OutOfBounds, fmt::format("the {} coordinate names no tile", role), ""};
  if (geometry_.present(tile->node)) return {};
  switch (class_of(*tile)) {
    case arch::TileClass::Tensix:
    case arch::TileClass::Ethernet:
    case arch::TileClass::Dram:
    case arch::TileClass::Pcie:
      return Refusal{FaultCategory::UndefinedBehavior, fmt::format("the {} tile is harvested", role),
                     "Use translated coordinates."};
    case arch::TileClass::Router:
      return Refusal{FaultCategory::UndefinedBehavior, fmt::format("at the {} coordinate there is only a router", role),
                     ""};
    default: return Refusal{FaultCategory::Unsupported, fmt::format("Kerr does not model the {} tile", role), ""};
  }
}

std::optional<Refusal> Niu::find_receivers(const Request& request, uint32_t hi) {
  receivers_.clear();
  if (!request.multicast()) {
    const std::optional<TileId> to = resolve(hi);
    if (auto refusal = check_present(to, "destination")) return refusal;
    receivers_.push_back(*to);
    return {};
  }
  const auto end = translate(hi & 63, hi >> 6 & 63);
  const auto start = translate(hi >> 12 & 63, hi >> 18 & 63);
  if (!start || !end) return Refusal{FaultCategory::OutOfBounds, "a corner of the rectangle names no tile", ""};
  const Rectangle rectangle{*start, *end};
  if (request.exclusion.any() && rectangle.wraps()) {
    return Refusal{FaultCategory::Unsupported, "BRCST_EXCLUDE of a rectangle that wraps is not documented", ""};
  }
  for (const uint8_t node : geometry_.tensix()) {
    const TileId tile{tile_.chip, node};
    if (tile == tile_ && !(request.ctrl & kCtrlBroadcastSrcInclude)) continue;
    const arch::NocCoord own = arch::raw_to_noc(noc_, NocGeometry::raw_of(node));
    if (!rectangle.contains(own) || request.exclusion.leaves_out(rectangle, own)) continue;
    receivers_.push_back(tile);
  }
  return {};
}

// --- packets --------------------------------------------------------------------------------------------------------

std::optional<Refusal> Niu::check_length(const Request& request) const {
  const uint32_t bytes = request.at_len_be;
  if (bytes == 0) return Refusal{FaultCategory::UndefinedBehavior, "the length (AT_LEN_BE) is 0", ""};
  if (bytes <= kMaxPacketBytes) return {};
  if (bytes >= kMostSplitBytes) {
    return Refusal{FaultCategory::UndefinedBehavior, fmt::format("{} bytes in one request: the limit is 2 MiB", bytes),
                   ""};
  }
  if (request.targ % kFlitBytes == 0 && request.ret % kFlitBytes == 0) return {};
  return Refusal{FaultCategory::Misaligned,
                 "a request longer than 16384 bytes needs both addresses aligned to 64 bytes", ""};
}

// L1 or, for one word, a register of the own tile. check_transfer has accepted it.
std::optional<Refusal> Niu::read_source(uint64_t address, uint32_t bytes, Payload& out) {
  const auto from = static_cast<uint32_t>(address);
  if (space_of({class_of(tile_), address}) == Space::L1) {
    l1_.will_read(from, bytes);
    out = Payload(std::span(l1_.data() + from, bytes));
    return {};
  }
  uint32_t value = 0;
  if (host_.load_register(from & ~3u, value) != Access::Done) {
    return Refusal{FaultCategory::Unsupported, "the source register cannot be read", ""};
  }
  value >>= 8 * (from % 4);
  out = Payload(std::span(arch::as_uint8(value)).first(bytes));
  return {};
}

// One flit a cycle; see the class comment for the packets that wait.
Cycle Niu::inject(Cycle now, uint32_t flits) {
  inject_free_at_ = std::max(now, inject_free_at_) + flits;
  return inject_free_at_;
}

Cycle Niu::leave(Buffer& buffer, uint32_t flits, Cycle reservation) {
  const Cycle now = host_.now();
  inject_free_at_ = std::max(now, inject_free_at_) + reservation;
  const Cycle sent = inject(now, flits);
  Cycle& oldest = held_until_[oldest_held_];
  if (oldest > now) buffer.busy_until = std::max(buffer.busy_until, oldest);
  oldest = sent;
  oldest_held_ = (oldest_held_ + 1) % kPacketsHeld;
  ++packets_sent_;
  return sent;
}

// Before its first flit leaves, a multicast with PATH_RESERVE has asked every router on its way. What is linked to it
// goes the same way: only the first request of a transaction reserves (tt-isa-documentation, NoC/MemoryMap).
Cycle Niu::reservation(const Request& request, uint32_t flits) const {
  const bool reserves = request.multicast() && (request.ctrl & kCtrlPathReserve) != 0 && !request.continues;
  if (costs_ == nullptr || !reserves) return 0;
  unsigned depth = 0;
  for (const TileId to : receivers_) depth = std::max(depth, hops(static_cast<unsigned>(noc_), tile_, to));
  if (flits <= kFewFlits) return costs_->noc_reserve_few_base + depth * costs_->noc_reserve_few_hop_quarters / 4;
  return costs_->noc_reserve_base + depth * costs_->noc_reserve_hop;
}

void Niu::send_to_receivers(const Message& message, const Payload& payload) {
  uint64_t packet = message.packet;
  for (const TileId to : receivers_) {
    Message copy = message;
    copy.destination = to;
    copy.payload = payload;
    copy.packet = packet;
    packet = host_.send(std::move(copy));
  }
}

// Hardware leaves the registers of a split request at its last packet.
void Niu::advance_split(Buffer& buffer, uint32_t packets) {
  const uint32_t by = (packets - 1) * kMaxPacketBytes;
  buffer.words[word(kTargAddrLo)] += by;
  buffer.words[word(kRetAddrLo)] += by;
  buffer.words[word(kAtLenBe)] -= by;
}

// --- refusals -------------------------------------------------------------------------------------------------------

std::string Niu::place(uint32_t hi, bool rectangle) const {
  if (rectangle) {
    return fmt::format("the rectangle ({},{}) to ({},{})", hi >> 12 & 63, hi >> 18 & 63, hi & 63, hi >> 6 & 63);
  }
  if (const std::optional<TileId> tile = resolve(hi)) return geometry_.describe(*tile);
  return fmt::format("coordinate ({},{})", hi & 63, hi >> 6 & 63);
}

std::string Niu::describe(const Request& request) const {
  const bool wide = request.multicast();
  switch (request.type()) {
    case kCtrlRead:
      return fmt::format("NoC {} read of {} bytes from {:#x} of {} to {:#x} of {}", noc_, request.at_len_be,
                         request.targ, place(request.targ_hi, false), request.ret, place(request.ret_hi, false));
    case kCtrlAtomic:
      return fmt::format("NoC {} atomic {:#x} from {} on {:#x} of {}, result to {:#x} of {}", noc_, request.at_len_be,
                         geometry_.describe(tile_), request.targ, place(request.targ_hi, wide), request.ret,
                         place(request.ret_hi, false));
    case kCtrlWrite:
      if (request.is_inline()) {
        return fmt::format("NoC {} inline write of {:#x} from {} to {:#x} of {}", noc_, request.at_data,
                           geometry_.describe(tile_), request.targ, place(request.targ_hi, wide));
      }
      return fmt::format("NoC {} write of {} bytes from {:#x} of {} to {:#x} of {}", noc_, request.at_len_be,
                         request.targ, geometry_.describe(tile_), request.ret, place(request.ret_hi, wide));
    case kTypeReserved:
    default:
      return fmt::format("NoC {} request with CTRL {:#x} from {}", noc_, request.ctrl, geometry_.describe(tile_));
  }
}

void Niu::respond(Message&& message, Cycle now, uint32_t flits, Cycle timing::Parameters::*cost) {
  if (costs_ != nullptr) {
    respond_free_at_ = std::max(now + costs_->*cost, respond_free_at_) + flits;
    message.sent = respond_free_at_;
  } else {
    message.sent = inject(now, flits);
  }
  host_.send(std::move(message));
}

}  // namespace kerr::emu
