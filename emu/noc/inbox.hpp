// Messages that wait at a destination until its time reaches their arrival, and those that a source sent in this
// window.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "emu/noc/message.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// A heap in the order of earlier(). The fabric fills it between windows, its own tile with packets to itself.
class Inbox {
 public:
  void push(Message&& message) {
    heap_.push_back(std::move(message));
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  Cycle next_arrival() const { return heap_.empty() ? kNever : heap_.front().arrival; }
  Message pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Message message = std::move(heap_.back());
    heap_.pop_back();
    return message;
  }

  /// In the order in which they will be applied.
  void serialize(Archive& a) {
    std::sort(heap_.begin(), heap_.end(), earlier);  // which is a heap, too
    a.list(heap_, kMostMessages);
    if (a.loading()) std::make_heap(heap_.begin(), heap_.end(), later);
  }
  const std::vector<Message>& messages() const { return heap_; }

 private:
  static constexpr size_t kMostMessages = 1 << 20;  // of a file that is believed
  static bool later(const Message& a, const Message& b) { return earlier(b, a); }
  std::vector<Message> heap_;
};

/// What a tile sent in the current window, in issue order. The fabric empties it at the window's end.
class Outbox {
 public:
  void push(Message&& message) { messages_.push_back(std::move(message)); }
  bool empty() const { return messages_.empty(); }
  std::vector<Message>& messages() { return messages_; }
  void serialize(Archive& a) { a.list(messages_, 1 << 20); }

 private:
  std::vector<Message> messages_;
};

}  // namespace kerr::emu
