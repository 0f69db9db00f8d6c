// One call of the data movement library a case: argument 0 says which, argument 1 where results go, the others are the
// case's own.
#include <kerr/device/dataflow.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "tests/device/kernels/cases.hpp"

namespace {

static_assert(get_tile_size(4) == 1088);  // FORMATS 4=bfp8; of others it is no constant

uint32_t argument(int index) { return get_arg_val<uint32_t>(index); }
volatile uint32_t* out() { return reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(1)); }
uint64_t other(uint32_t address) { return get_noc_addr(argument(2), argument(3), address); }
volatile uint32_t* semaphore(uint32_t id) { return reinterpret_cast<volatile uint32_t*>(get_semaphore(id)); }

template <class Pages>
void copy_pages(const Pages& from, const Pages& to, uint32_t pages, uint32_t l1) {
  for (uint32_t page = 0; page < pages; ++page) {
    noc_async_read_tile(page, from, l1);
    noc_async_read_barrier();
    noc_async_write_tile(page, to, l1);
    noc_async_write_barrier();
  }
}

void who_am_i() {
  out()[0] = my_x[0];
  out()[1] = my_y[1];
  out()[2] = get_absolute_logical_x() << 8 | get_absolute_logical_y();
  out()[3] = get_relative_logical_x() << 8 | get_relative_logical_y();
  out()[4] = noc_index;
  out()[5] = NUM_DRAM_BANKS;
  out()[6] = NUM_L1_BANKS;
}

#if get_compile_time_arg_val(0) != 2 || get_compile_time_arg_val(9) != 0x04030302
#error "compile-time arguments are constants of the preprocessor, as in older kernels of tt-metal"
#endif
static_assert(get_compile_time_arg_val(2 + 1) == 2);

// Reads of 40000 bytes by every way; 4: the other tile's L1, 5: this tile's.
void reads() {
  const uint32_t from = argument(4), to = argument(5), bytes = 40000;
  switch (argument(6)) {
    case 0: noc_async_read(other(from), to, bytes); break;
    case 1:
      for (uint32_t at = 0; at < bytes; at += 8000) noc_async_read_one_packet(other(from + at), to + at, 8000);
      break;
    case 2:
      noc_async_read_one_packet_set_state(other(from), 8000);
      for (uint32_t at = 0; at < bytes; at += 8000) noc_async_read_one_packet_with_state(from + at, to + at);
      break;
    case 3:
      noc_async_read_set_state(other(from));
      noc_async_read_with_state(from, to, bytes);
      break;
    case 4:
      noc_async_read_set_state(other(from));
      noc_async_read_with_state<false>(from, to, 16384);
      noc_async_read_inc_num_issued(1);
      noc_async_read<8192>(other(from + 16384), to + 16384, 8192);
      noc_async_read(other(from + 24576), to + 24576, bytes - 24576);
      break;
    case 5:
      noc_async_read_one_packet_set_state(other(from), 8000);
      for (uint32_t at = 0; at < bytes; at += 8000)
        noc_async_read_one_packet_with_state_with_trid(from, at, to + at, 5);
      noc_async_read_barrier_with_trid(5);
      noc_async_read_set_trid(0);
      break;
    default: break;
  }
  noc_async_read_barrier();
}

void writes() {
  const uint32_t from = argument(4), to = argument(5), bytes = 40000;
  switch (argument(6)) {
    case 0: noc_async_write(from, other(to), bytes); break;
    case 1:
      for (uint32_t at = 0; at < bytes; at += 8000) noc_async_write_one_packet(from + at, other(to + at), 8000);
      break;
    case 2:
      noc_async_write_one_packet_set_state(other(to), 8000);
      for (uint32_t at = 0; at < bytes; at += 8000) noc_async_write_one_packet_with_state(from + at, to + at);
      break;
    case 3:
      noc_async_write<NOC_MAX_BURST_SIZE + 1, true, true>(from, other(to), bytes);
      noc_async_posted_writes_flushed();
      noc_async_write(from, other(to), 16);  // behind them on the same way, and acknowledged
      break;
    case 4:
      for (uint32_t at = 0; at < bytes; at += 8000)
        noc_async_write_one_packet_with_trid(from + at, other(to + at), 8000, 7);
      noc_async_write_flushed_with_trid(7);
      noc_async_write_barrier_with_trid(7);
      noc_async_write_set_trid(0);
      break;
    case 5:
      noc_async_write_one_packet_with_trid_set_state(other(to));
      for (uint32_t at = 0; at < bytes; at += 8000)
        noc_async_write_one_packet_with_trid_with_state(from + at, to + at, 8000, 9);
      noc_async_write_barrier_with_trid(9);
      reset_noc_trid_barrier_counter(1 << 9);
      noc_async_write_set_trid(0);
      break;
    default: break;
  }
  noc_async_writes_flushed();
  noc_async_write_barrier();
  noc_async_full_barrier();
}

// Pages between two buffers, by each address generator; 4, 5: the buffers, 6: L1, 7: pages, 8: bytes of a page.
template <bool kDram>
void generators() {
  const uint32_t from = argument(4), to = argument(5), l1 = argument(6), pages = argument(7), bytes = argument(8);
  switch (argument(9)) {
    case 0:
      copy_pages(InterleavedAddrGen<kDram>{.bank_base_address = from, .page_size = bytes},
                 InterleavedAddrGen<kDram>{.bank_base_address = to, .page_size = bytes}, pages, l1);
      break;
    case 1:
      copy_pages(
          InterleavedAddrGenFast<kDram>{
              .bank_base_address = from, .page_size = bytes, .data_format = DataFormat::Float16_b},
          InterleavedAddrGenFast<kDram>{.bank_base_address = to, .page_size = bytes, .data_format = get_dataformat(0)},
          pages, l1);
      break;
    case 2: {
      const uint32_t log = static_cast<uint32_t>(__builtin_ctz(bytes));
      copy_pages(InterleavedPow2AddrGen<kDram>{.bank_base_address = from, .log_base_2_of_page_size = log},
                 InterleavedPow2AddrGen<kDram>{.bank_base_address = to, .log_base_2_of_page_size = log}, pages, l1);
      break;
    }
    case 3: {
      constexpr auto args = TensorAccessorArgs < kDram ? 0 : 1 > ();
      static_assert(args.next_compile_time_args_offset() == (kDram ? 1 : 2) && args.is_dram == kDram);
      copy_pages(TensorAccessor(args, from, bytes), TensorAccessor(args, to, bytes), pages, l1);
      break;
    }
    case 4: {  // half pages
      const auto source = get_interleaved_addr_gen<kDram, false>(from, bytes);
      const auto target = get_interleaved_addr_gen<kDram, false>(to, bytes);
      for (uint32_t page = 0; page < pages; ++page) {
        noc_async_read(get_noc_addr(page, source), l1, bytes / 2);
        noc_async_read(get_noc_addr(page, source, bytes / 2), l1 + bytes / 2, bytes / 2);
        noc_async_read_barrier();
        noc_async_write_page(page, target, l1, bytes / 2);
        noc_async_write_page(page, target, l1 + bytes / 2, bytes / 2, bytes / 2);
        noc_async_write_barrier();
      }
      break;
    }
    case 5:  // by number of bank: the first page of each
      for (uint32_t bank = 0; bank < (kDram ? NUM_DRAM_BANKS : NUM_L1_BANKS) && bank < pages; ++bank) {
        noc_async_read(get_noc_addr_from_bank_id<kDram>(bank, from), l1, bytes);
        noc_async_read_barrier();
        noc_async_write(l1, get_noc_addr_from_bank_id<kDram>(bank, to), bytes);
        noc_async_write_barrier();
      }
      break;
    default: break;
  }
}

// A tensor of 5 x 7 pages in shards of 2 x 3, described by compile-time arguments 2 to 9 and common ones.
void shards() {
  const uint32_t base = argument(4), bytes = argument(5);
  const auto compiled = TensorAccessor(TensorAccessorArgs<2>(), base, bytes);
  const auto args = TensorAccessorArgs<12, 0>();
  const auto common = TensorAccessor(args, base, bytes);
  uint32_t equal = 0;
  for (uint32_t page = 0; page < 35; ++page) {
    const uint64_t place = compiled.get_noc_addr(page, 4);
    equal += place == common.get_noc_addr(page, 4);
    out()[page] = static_cast<uint32_t>(place >> 36) << 20 | (static_cast<uint32_t>(place) - base);
  }
  out()[35] = equal;
  out()[36] = args.next_common_runtime_args_offset();
  uint32_t walked = 0;
  for (const auto& page : compiled.pages()) walked += page.noc_addr() == compiled.get_noc_addr(page.page_id());
  for (const auto& page : compiled.pages(30, 33)) walked += page.page_id() >= 30;
  out()[39] = walked;
  constexpr auto three = make_tensor_accessor_args_tuple<3, 0>();
  static_assert(std::get<1>(three).next_compile_time_args_offset() == 2 && std::get<2>(three).is_sharded);
  const auto tensors = make_tensor_accessor_tuple(three, 2, 5);  // addresses: runtime arguments 2, 3, 4
  const auto any = make_abstract_tensor_accessor_wrappers(tensors);
  out()[40] = any[2].get_noc_addr(7) == std::get<2>(tensors).get_noc_addr(7);
  out()[37] = static_cast<uint32_t>(compiled.get_shard_noc_addr(3)) - base;
  out()[38] = compiled.shard_volume();
}

// To a rectangle of 2 x 3 tiles: 2..5 are its corners.
void multicasts() {
  const uint32_t from = argument(6), to = argument(7), bytes = argument(8);
  const auto rectangle = [](uint32_t address) {
    return get_noc_multicast_addr(argument(2), argument(3), argument(4), argument(5), address);
  };
  const uint32_t receivers = argument(9);
  switch (argument(10)) {
    case 0: noc_async_write_multicast(from, rectangle(to), bytes, receivers); break;
    case 1: noc_async_write_multicast_loopback_src(from, rectangle(to), bytes, receivers); break;
    case 2: noc_async_write_multicast_one_packet(from, rectangle(to), bytes, receivers); break;
    case 3: noc_semaphore_set_multicast(from, rectangle(to), receivers); break;
    case 4: noc_semaphore_set_multicast_loopback_src(from, rectangle(to), receivers); break;
    case 5:
      noc_semaphore_inc_multicast(rectangle(to), 5, receivers);
      noc_async_atomic_barrier();
      break;
    case 6:  // data, then a flag on the same path
      noc_async_write_multicast(from, rectangle(to), bytes, receivers, true);
      noc_semaphore_set_multicast(from + 16, rectangle(to + bytes), receivers);
      break;
    default: break;
  }
  noc_async_write_barrier();
}

void semaphores() {
  volatile uint32_t* own = semaphore(0);
  out()[0] = *own;
  noc_semaphore_set(own, 7);
  noc_semaphore_inc(other(get_semaphore(1)), 3);
  noc_semaphore_inc(other(get_semaphore(1)), 4);
  noc_async_atomic_barrier();
  noc_semaphore_set_remote(get_semaphore(0), other(get_semaphore(2)));
  noc_async_write_barrier();
  noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 2);
  noc_semaphore_wait(own, 9);
  noc_semaphore_wait_min(own, 8);
  out()[1] = *own;
}

void inline_writes() {
  const uint32_t to = argument(4);
  for (uint32_t i = 0; i < 5; ++i) noc_inline_dw_write(other(to + 4 * i), 100 + i);
  noc_inline_dw_write<InlineWriteDst::L1, true>(other(to + 20), 105);
  noc_async_posted_writes_flushed();
  noc_inline_dw_write(other(to), 100);  // behind it
  // A stream register of the other tile, as plain storage.
  noc_inline_dw_write(other(kerr::arch::stream_address(40, kerr::arch::stream::kRemoteSrc)), 77);
  noc_async_write_barrier();
  noc_async_read(other(kerr::arch::stream_address(40, kerr::arch::stream::kRemoteSrc)), argument(5), 4);
  noc_async_read_barrier();
  out()[0] = *reinterpret_cast<volatile uint32_t*>(argument(5));
}

void buffers() {
  experimental::CircularBuffer buffer(tt::CBIndex::c_3);
  out()[0] = cb_pages_reservable_at_back(3, 4);
  out()[1] = cb_pages_reservable_at_back(3, 5);
  out()[2] = cb_pages_available_at_front(3, 1);
  const uint32_t begin = get_write_ptr(3);
  for (int turn = 0; turn < 3; ++turn) {  // past the end
    cb_reserve_back(3, 2);
    cb_push_back(3, 2);
    buffer.wait_front(2);
    buffer.pop_front(2);
  }
  out()[3] = get_write_ptr(3) - begin;
  out()[4] = get_read_ptr(3) - begin;
  out()[5] = static_cast<uint32_t>(get_tile_size(3));
  out()[6] = get_local_cb_interface(3).fifo_num_pages;
  out()[7] = static_cast<uint32_t>(get_tile_size(4));  // FORMATS says 4=bfp8
  out()[8] = static_cast<uint32_t>(get_dataformat(4));
  cb_reserve_back(3, 4);
  cb_push_back(3, 4);
  out()[9] = cb_pages_available_at_front(3, 4) && !cb_pages_reservable_at_back(3, 1);
  cb_pop_front(3, 4);
}

// What compilers and kernels want of a library.
void library() {
  std::array<uint32_t, 4> a{4, 1, 3, 2};
  const auto [x, y] = std::make_tuple(a[0], std::max(a[1], a[2]));
  unsigned char bytes[40];
  std::memset(bytes, 3, sizeof bytes);
  std::memcpy(bytes + 1, a.data(), 16);
  std::memmove(bytes + 3, bytes + 1, 16);
  const volatile uint64_t big = 1234567890123456789ull;
  const volatile float half = 0.5f;
  out()[0] = x + y;
  out()[1] = bytes[3] | bytes[7] << 8 | bytes[39] << 16;
  out()[2] = static_cast<uint32_t>(big / 1000000007u);
  out()[3] = __builtin_bit_cast(uint32_t, half * 3 + 1);
  DPRINT << "nobody reads " << x << ENDL();
  DeviceZoneScopedN("zone");
  WAYPOINT("HERE");
  ASSERT(x == 4);
  switch (a[2]) {  // a table of jumps
    case 0: out()[4] = 11; break;
    case 1: out()[5] = 12; break;
    case 2: out()[6] = 13; break;
    case 3: out()[4] = 14; break;
    case 4: out()[5] = 15; break;
    case 5: out()[6] = 16; break;
    case 6: out()[7] = 17; break;
    default: break;
  }
}

}  // namespace

void kernel_main() {
  switch (static_cast<Case>(argument(0))) {
    case Case::WhoAmI: return who_am_i();
    case Case::Reads: return reads();
    case Case::Writes: return writes();
    case Case::DramGenerators: return generators<true>();
    case Case::L1Generators: return generators<false>();
    case Case::Shards: return shards();
    case Case::Multicasts: return multicasts();
    case Case::Semaphores: return semaphores();
    case Case::InlineWrites: return inline_writes();
    case Case::Buffers: return buffers();
    case Case::Library: return library();
  }
}
