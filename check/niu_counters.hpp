// What an NIU has issued, and what a value of one of its counters tells of it.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "check/clock.hpp"
#include "check/finding.hpp"
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

  /// What the counters will be when everything issued so far is over; nothing for a counter that tells of nothing.
  std::optional<uint32_t> final_value(int counter) const;
  /// `reader` has waited until the counter was `value`. The edge that this makes; nothing: it covers nothing.
  std::optional<Edge> acquire(Clock& reader, int counter, uint32_t value) const;
  /// A counter was seen at more than was issued: some was issued before the checker began.
  void resynchronise(int counter, uint32_t value);
  /// NOC_CLEAR_OUTSTANDING: ids whose count was set to 0.
  void cleared(uint32_t ids);

  uint32_t requests() const { return requests_; }
  uint32_t outstanding_at_most(int id, const Clock& reader) const {
    return over_[static_cast<size_t>(id)] - reader.at(component::id_over(noc_, id));
  }

 private:
  struct Run {  // of requests alike, up to the last
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
