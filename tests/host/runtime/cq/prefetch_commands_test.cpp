#include "host/runtime/cq/prefetch_commands.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "host/error.hpp"
#include "tests/host/runtime/cq/bytes.hpp"
#include "tests/host/runtime/cq/other_commands.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

// Byte for byte as docs/hardware/fast-dispatch.md 6.2 lays them out; what is left out is zero up to the stride.
TEST(PrefetchBytes, RelayInlineNoflush) {
  EXPECT_EQ(relay_inline_noflush(Bytes(32, std::byte{0xAB})),
            vector("06000000 20000000 40000000 00000000"
                   "abababab abababab abababab abababab abababab abababab abababab abababab"));
}

TEST(PrefetchBytes, RelayLinearHasItsFieldsAtOddPlaces) {
  EXPECT_EQ(relay_linear(0x01000613, 0x1000'0000'4000'0100, 0x12345),
            vector("01000045 23010000 00000013 06000100 01004000 00001000 00000000 00000000"));
}

TEST(PrefetchBytes, RelayLinearH) {
  EXPECT_EQ(relay_linear_h(0x311, 0x2'0000'1000, 0x840),
            vector("02000000 11030000 00100000 02000000 40080000 00000000 00000000 00000000"));
}

TEST(PrefetchBytes, RelayPaged) {
  EXPECT_EQ(relay_paged({true, 5, 0x12340, 2048, 7, 96}), vector("03056080 40230100 00080000 07000000"));
  EXPECT_EQ(relay_paged({false, 0, 0xA8010, 16, 1, 0}), vector("03000000 10800a00 10000000 01000000"));
}

TEST(PrefetchBytes, RelayPagedPacked) {
  const PagedPiece pieces[] = {{3, 11, 0x10000, 4096}, {4, 12, 0x20000, 100}};
  EXPECT_EQ(relay_paged_packed(pieces),
            vector("04000200 64100000 40000000 00000000 03000b00 00000100 00100000 04000c00 00000200 64000000"));
}

TEST(PrefetchBytes, RelayLinearPacked) {
  const LinearPiece pieces[] = {{0x1'0001'0000, 4096}, {0x20000, 100}};
  EXPECT_EQ(relay_linear_packed(0x311, pieces),
            vector("0f000200 11030000 64100000 40000000 00000100 01000000 00100000 00000200 00000000 64000000"));
  EXPECT_EQ(relay_linear_packed_h(0x311, pieces).at(0), std::byte{16});
}

TEST(PrefetchBytes, Ringbuffer) {
  EXPECT_EQ(paged_to_ringbuffer(true, 12, 7, 0x100000, 0x840, 0x1000), vector("0c010c07 00100000 00001000 40080000"));
  EXPECT_EQ(set_ringbuffer_offset(0x12340, true), vector("0d402301 00000000 01000000"));
  const RingPiece pieces[] = {{0x40, 0x80}, {0x100, 0x20}};
  EXPECT_EQ(relay_ringbuffer(pieces),
            vector("0e000200 40000000 00000000 00000000 40000000 80000000 00010000 20000000"));
}

TEST(PrefetchBytes, ExecBufAndItsEnd) {
  EXPECT_EQ(exec_buf(0x400000, 12, 33), vector("07000000 00004000 0c000000 21000000"));
  EXPECT_EQ(exec_buf_end(), vector("08000000 10000000 40000000 00000000 0b000000"));
  EXPECT_EQ(queue_entry(exec_buf(0x400000, 12, 33), true), 0x8004);
}

TEST(PrefetchBytes, StallDebugTerminate) {
  EXPECT_EQ(stall(), vector("09"));
  EXPECT_EQ(prefetch_debug(0x1234, Bytes(2, std::byte{0xFF})), vector("0a003412 02000000 40000000 00000000 ffff"));
  EXPECT_EQ(prefetch_terminate(), vector("0b"));
}

TEST(PrefetchBytes, WhatThePrefetcherCannotExecuteIsRefused) {
  EXPECT_THROW(relay_inline_noflush(Bytes(4096)), DeviceError);
  EXPECT_THROW(relay_inline_noflush(Bytes(24)), DeviceError);
  EXPECT_THROW(relay_inline_noflush({}), DeviceError);
  EXPECT_THROW(relay_linear(0, 8, 64), DeviceError);
  EXPECT_THROW(relay_linear(0, 64, 0), DeviceError);
  EXPECT_THROW(relay_paged({true, 0, 0, 48, 1, 0}), DeviceError);
  EXPECT_THROW(relay_paged({true, 0, 16, 64, 1, 0}), DeviceError);
  EXPECT_THROW(relay_paged({true, 0, 0, 64, 0, 0}), DeviceError);
  EXPECT_THROW(relay_paged({true, 0, 0, 64, 2, 64}), DeviceError);
  EXPECT_THROW(relay_paged({true, 0, 0, 64, 2, 17}), DeviceError);
  EXPECT_THROW(relay_paged({true, 0, 0, 1 << 20, 1 << 12, 0}), DeviceError);
  EXPECT_THROW(relay_paged_packed({}), DeviceError);
  EXPECT_THROW(relay_paged_packed(std::vector<PagedPiece>(36, {0, 12, 0, 64})), DeviceError);
  EXPECT_THROW(relay_paged_packed(std::vector<PagedPiece>{{0, 12, 0, 65600}}), DeviceError);
  EXPECT_THROW(relay_paged_packed(std::vector<PagedPiece>{{0, 12, 0, 32}, {0, 12, 0, 64}}), DeviceError);
  EXPECT_THROW(relay_paged_packed(std::vector<PagedPiece>{{0, 5, 0, 64}}), DeviceError);
  EXPECT_THROW(relay_linear_packed(0x81, {}), DeviceError);
  EXPECT_THROW(relay_linear_packed(0x81, std::vector<LinearPiece>(36, {0, 64})), DeviceError);
  EXPECT_THROW(relay_linear_packed(0x81, std::vector<LinearPiece>{{8, 64}}), DeviceError);
  EXPECT_THROW(relay_linear_packed(0x81, std::vector<LinearPiece>{{0, 8}, {64, 64}}), DeviceError);
  EXPECT_THROW(relay_linear_packed(0x81, std::vector<LinearPiece>{{0, 65600}}), DeviceError);
  EXPECT_THROW(relay_linear_packed_h(0x81, std::vector<LinearPiece>{{0xFFFF'FFC0, 128}}), DeviceError);
  EXPECT_THROW(paged_to_ringbuffer(true, 12, 0, 0, 128, 64), DeviceError);
  EXPECT_THROW(paged_to_ringbuffer(true, 12, 0, 0, 64, 1 << 20), DeviceError);
  EXPECT_THROW(set_ringbuffer_offset(32, true), DeviceError);
  EXPECT_THROW(relay_ringbuffer({}), DeviceError);
  EXPECT_THROW(relay_ringbuffer(std::vector<RingPiece>(53, {0, 64})), DeviceError);
  EXPECT_THROW(exec_buf(0, 12, 0), DeviceError);
  EXPECT_THROW(exec_buf(32, 12, 1), DeviceError);
}

RC_GTEST_PROP(PrefetchBytes, EveryCommandIsAMultipleOf64AndSaysSo, ()) {
  const auto n = *rc::gen::inRange<size_t>(1, 36);
  std::vector<PagedPiece> pieces(n, {0, 12, 0, 64});
  std::vector<RingPiece> ring(n, {0, 64});
  const Bytes payload(16 * *rc::gen::inRange<size_t>(1, 256));
  for (const Bytes& command : {relay_paged_packed(pieces), relay_inline_noflush(payload), prefetch_debug(1, payload)}) {
    uint32_t stride;
    std::memcpy(&stride, command.data() + 8, 4);
    RC_ASSERT(command.size() == stride);
    RC_ASSERT(stride % 64 == 0u);
  }
  uint32_t stride;
  const Bytes command = relay_ringbuffer(ring);
  std::memcpy(&stride, command.data() + 4, 4);
  RC_ASSERT(command.size() == stride);
}

}  // namespace
}  // namespace kerr::host::cq
