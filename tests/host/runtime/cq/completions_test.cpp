// What comes back through the completion ring, without a device. docs/hardware/fast-dispatch.md 11
#include "host/runtime/cq/completions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "arch/cq_layout.hpp"
#include "host/error.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;
using Page = std::array<std::byte, wire::kPageBytes>;

Page page_with(const wire::WriteLinearHHost& header, uint32_t word = 0) {
  Page page{};
  std::memcpy(page.data(), &header, sizeof header);
  std::memcpy(page.data() + sizeof header, &word, sizeof word);
  return page;
}
wire::WriteLinearHHost header(uint8_t is_event, uint64_t bytes, uint32_t tag = 0) {
  wire::WriteLinearHHost h{};
  h.id = static_cast<uint8_t>(wire::DispatchId::WriteLinearHHost);
  h.is_event = is_event;
  h.length = sizeof h + bytes;
  h.pad2 = static_cast<decltype(h.pad2)>(tag);
  return h;
}
Page event(uint32_t id) { return page_with(header(1, wire::kEventBytes), id); }

Category refusal(Completions& completions, const Page& page, bool is_possible = true) {
  try {
    completions.take(page, 0x1234, is_possible);
  } catch (const DeviceError& error) {
    return error.category();
  }
  return Category::Unsupported;  // it was taken
}

TEST(Completions, EventsComeInOrder) {
  Completions completions;
  EXPECT_EQ(completions.reached(), 0u);
  for (uint32_t id = 1; id <= 3; ++id) completions.take(event(id), 0, true);
  EXPECT_EQ(completions.reached(), 3u);
  EXPECT_EQ(completions.finished(), 3u);
  EXPECT_EQ(refusal(completions, event(5)), Category::Protocol);
  EXPECT_EQ(completions.reached(), 3u);
}

TEST(Completions, AnEventOfOneSubDeviceFinishesNothing) {
  Completions completions;
  completions.expect_partial(2);
  for (uint32_t id = 1; id <= 2; ++id) completions.take(event(id), 0, true);
  EXPECT_EQ(completions.reached(), 2u);
  EXPECT_EQ(completions.finished(), 1u);
  completions.take(event(3), 0, true);
  EXPECT_EQ(completions.finished(), 3u);
}

TEST(Completions, DataOfAReadFillPages) {
  Completions completions;
  constexpr size_t kBytes = 2 * wire::kPageBytes;
  std::vector<std::byte> out(kBytes);
  const auto bytes = static_cast<uint32_t>(kBytes);
  const uint32_t tag = completions.expect({out.data(), kBytes, kBytes, 0, bytes, bytes});
  Page first{};
  first.fill(std::byte{1});
  const wire::WriteLinearHHost h = header(0, kBytes, tag);
  std::memcpy(first.data(), &h, sizeof h);
  Page middle{}, last{};
  middle.fill(std::byte{2});
  last.fill(std::byte{3});
  for (const Page& page : {first, middle, last}) completions.take(page, 0, true);
  EXPECT_EQ(out[0], std::byte{1});
  EXPECT_EQ(out[wire::kPageBytes - sizeof h], std::byte{2});
  EXPECT_EQ(out[kBytes - 1], std::byte{3});
  completions.take(event(1), 0, true);
  EXPECT_EQ(completions.reached(), 1u) << "the next page begins a command again";
}

TEST(Completions, NothingIsTakenThatWasNotAskedFor) {
  Completions completions;
  EXPECT_EQ(refusal(completions, page_with(header(0, 64))), Category::Protocol) << "data of no read";
  std::byte out[64];
  const uint32_t tag = completions.expect({out, 64, 64, 0, 64, 64});
  EXPECT_EQ(refusal(completions, page_with(header(0, 64, tag + 1))), Category::Protocol) << "of another read";
  EXPECT_EQ(refusal(completions, page_with(header(0, 128, tag))), Category::Protocol) << "of another length";
  EXPECT_EQ(refusal(completions, page_with(header(2, 64, tag))), Category::Protocol) << "neither data nor event";
  EXPECT_EQ(refusal(completions, event(1), false), Category::Protocol) << "a write pointer outside the ring";
  completions.take(page_with(header(0, 64, tag)), 0, true);
}

}  // namespace
}  // namespace kerr::host::cq
