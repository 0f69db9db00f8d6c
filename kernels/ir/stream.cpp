#include "kernels/ir/stream.hpp"

namespace kerr::kernels {

void Stream::note(Effect::Kind kind, std::uint32_t id, std::uint32_t amount, int argument) {
  effects_.push_back({kind, id, amount, times_, argument});
}

void Stream::points_into(isa::Reg pointer, std::uint32_t buffer) { pointers_[pointer.number] = buffer; }

void Stream::note_bytes(isa::Reg pointer, std::uint32_t bytes) {
  const auto found = pointers_.find(pointer.number);
  if (found != pointers_.end()) note(Effect::Kind::Bytes, found->second, bytes);
}

Stream::Turns::Turns(Stream& stream, std::uint64_t count, int argument, bool instead)
    : stream_(stream), before_(stream.times_), outer_before_(stream.outer_) {
  if (instead) {
    stream_.times_ = stream_.outer_;
  } else {
    stream_.outer_ = stream_.times_;
  }
  stream_.times_.constant *= count;
  if (argument != kNone) stream_.times_.arguments.push_back(argument);
}

Stream::Turns::~Turns() {
  stream_.times_ = before_;
  stream_.outer_ = outer_before_;
}

}  // namespace kerr::kernels
