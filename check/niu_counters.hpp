// Requests that an NIU has issued, and how many of them a value of one of its counters covers.
// docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "check/clock.hpp"
#include "check/transfers.hpp"
#include "emu/noc/message.hpp"

namespace kerr::check {

class NiuCounters {
 public:
  explicit NiuCounters(int noc) : noc_(noc) {}

  /// The first message of a packet that the NIU has issued by a command buffer: fills in the numbers of `transfer`.
  /// `corners`: of the rectangle of a multicast. `next_channel`: the next component of the tile that is free for one.
  void issued(const emu::Message& message, int command_buffer, uint32_t corners, Transfer& transfer,
              uint32_t& next_channel);
  /// Each message of it: how many answers are to come.
  void expects(const emu::Message& message);

  /// The counter's value when everything issued so far is over; nothing for a counter that covers no transfers.
  std::optional<uint32_t> final_value(int counter) const;
  /// `reader` has waited until the counter was `value`.
  void acquire(Clock& reader, int counter, uint32_t value) const;
  /// A counter was seen at more than was issued: some was issued before the checker began.
  void resynchronise(int counter, uint32_t value);
  /// NOC_CLEAR_OUTSTANDING: ids whose count was set to 0.
  void cleared(uint32_t ids);

 private:
  /// The last requests issued, which have `kind` in common, from `first` on.
  struct Run {
    int kind = -1;
    uint32_t first = 0;
    void extend(int k, uint32_t number) {
      if (k == kind) return;
      kind = k;
      first = number;
    }
  };
  struct Channel {
    uint32_t component = 0;
    uint32_t used = 0;
  };
  // VC, whether it is a multicast, destination or corners, BRCST_XY.
  using ChannelKey = std::tuple<uint8_t, bool, uint32_t, bool>;

  void acquire_sources(Clock& reader, Class c, uint32_t value, uint32_t last) const;
  uint32_t class_number(Class c) const { return of_class_[static_cast<size_t>(c)]; }

  const int noc_;
  uint32_t requests_ = 0;
  std::array<uint32_t, kClasses> of_class_{};
  std::array<uint32_t, kClasses> base_{};  // of the counter, before the first of the class
  uint32_t acknowledged_ = 0;              // writes that are acknowledged to this tile
  uint32_t acknowledgements_ = 0;          // that are to come, since power-on
  uint32_t atomic_answers_ = 0;
  std::array<uint32_t, 16> over_{}, left_{};
  uint32_t uncountable_ = 0;  // ids with a multicast since they were cleared
  std::array<Run, kClasses> by_buffer_{}, by_vc_{};
  std::map<ChannelKey, Channel> channels_;
};

}  // namespace kerr::check
