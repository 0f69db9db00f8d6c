#include "kernels/stream/stream.hpp"

#include <stdexcept>

namespace kerr::kernels {

void Stream::note(Effect::Kind kind, uint32_t id, uint32_t amount, int argument) {
  effects_.push_back({kind, id, amount, times_, argument});
}

void Stream::note_sent(uint32_t buffer, uint32_t bytes, uint32_t receivers, int argument) {
  note(Effect::Kind::Sent, buffer, bytes, argument);
  effects_.back().receivers = receivers;
}

void Stream::note_transfer(isa::Reg pointer, uint32_t bytes, isa::Reg base, uint32_t alignment) {
  const Content* in = content(pointer, Content::Kind::Pointer);
  if (!in) return;
  note(Effect::Kind::Bytes, in->buffer, bytes);
  const Content* argument = content(base, Content::Kind::Argument);
  if (!argument) return;
  note(Effect::Kind::Aligned, in->buffer, alignment, argument->offset);
  effects_.back().common = argument->common;
}

void Stream::note_store(isa::Reg base, int32_t offset, uint32_t bytes) {
  const Content* in = content(base, Content::Kind::Pointer);
  if (!in) return;
  // Behind the pointer, or before it: it may have been moved to the end of what it was reserved for.
  note(Effect::Kind::Store, in->buffer,
       offset >= 0 ? static_cast<uint32_t>(offset) + bytes : -static_cast<uint32_t>(offset));
}

const Stream::Content* Stream::content(isa::Reg reg, Content::Kind kind) const {
  const auto found = contents_.find(reg.number);
  return found != contents_.end() && found->second.kind == kind ? &found->second : nullptr;
}

void Stream::holds(isa::Reg reg, std::optional<Content> content) {
  contents_.erase(reg.number);
  if (content) contents_.emplace(reg.number, *content);
}

void Stream::points_into(isa::Reg pointer, uint32_t buffer) {
  holds(pointer, Content{.kind = Content::Kind::Pointer, .buffer = buffer});
}

void Stream::arguments_are_in(isa::Reg own, isa::Reg common) {
  holds(own, Content{.kind = Content::Kind::OwnArguments});
  holds(common, Content{.kind = Content::Kind::CommonArguments});
}

void Stream::lw(isa::Reg rd, isa::Reg base, int32_t offset, Where w) {
  std::optional<Content> loaded;
  const bool common = content(base, Content::Kind::CommonArguments) != nullptr;
  if (common || content(base, Content::Kind::OwnArguments))
    loaded = Content{.kind = Content::Kind::Argument, .offset = offset, .common = common};
  Assembler::lw(rd, base, offset, w);
  holds(rd, loaded);
}

void Stream::li(isa::Reg rd, int64_t value, Where w) {
  const auto wanted = static_cast<uint32_t>(value);
  const auto found = constants_.find(rd.number);
  const bool known = found != constants_.end() && found->second.version == version(rd);
  if (known && found->second.value == wanted) return;
  const auto step = static_cast<int32_t>(wanted - (known ? found->second.value : 0));
  if (known && (wanted & 0xFFF) != 0 && step >= -2048 && step < 2048) {
    addi(rd, rd, step, w);
  } else {
    Assembler::li(rd, value, w);
  }
  constants_[rd.number] = {wanted, version(rd)};
  holds(rd, {});
}

std::map<uint32_t, Stream::Constant> Stream::known_constants() const {
  std::map<uint32_t, Constant> known;
  for (const auto& [reg, constant] : constants_)
    if (constant.version == version(isa::Reg{static_cast<uint8_t>(reg)})) known.emplace(reg, constant);
  return known;
}

void Stream::still_known(const std::map<uint32_t, Constant>& before) {
  for (const auto& [reg, constant] : before) {
    const Version now = version(isa::Reg{static_cast<uint8_t>(reg)});
    if (now.writes == constant.version.writes) constants_[reg] = {constant.value, now};
  }
}

void Stream::mv(isa::Reg rd, isa::Reg rs, Where w) {
  const auto found = contents_.find(rs.number);
  const std::optional<Content> copied = found == contents_.end() ? std::nullopt : std::optional(found->second);
  Assembler::mv(rd, rs, w);
  holds(rd, copied);
}

void Stream::sw(isa::Reg source, isa::Reg base, int32_t offset, Where w) {
  Assembler::sw(source, base, offset, w);
  note_store(base, offset, 4);
}

void Stream::sh(isa::Reg source, isa::Reg base, int32_t offset, Where w) {
  Assembler::sh(source, base, offset, w);
  note_store(base, offset, 2);
}

void Stream::sb(isa::Reg source, isa::Reg base, int32_t offset, Where w) {
  Assembler::sb(source, base, offset, w);
  note_store(base, offset, 1);
}

Stream::Turns::Turns(Stream& stream, uint64_t count, int argument, bool instead)
    : stream_(stream), before_(stream.times_), outer_before_(stream.outer_) {
  if (instead) {
    stream_.times_ = stream_.outer_;
  } else {
    stream_.outer_ = stream_.times_;
  }
  stream_.times_.constant *= count;
  if (argument != kNone) stream_.times_.arguments.push_back(argument);
}

Stream::Turns::Turns(Stream& stream, uint64_t count, const Times& around)
    : stream_(stream), before_(stream.times_), outer_before_(stream.outer_) {
  stream_.times_ = stream_.outer_ = around;
  stream_.times_.constant *= count;
}

Stream::Turns::~Turns() {
  stream_.times_ = before_;
  stream_.outer_ = outer_before_;
}

Kernel Kernel::from(const Stream& stream) {
  if (stream.frame) throw std::logic_error("enter() without leave(): the hart would run on behind its kernel");
  return {stream.finish(), stream.effects()};
}

}  // namespace kerr::kernels
