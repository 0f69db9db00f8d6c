// Pages of a tensor, interleaved or in shards, as COMPILE_ARGS describe it. An interleaved tensor is one word: 2 in
// DRAM, 0 in L1. A sharded one is a word with bit 0, then rank, number of banks, shape of the tensor in pages, shape of
// a shard in pages, and the banks, two a word (x << 8 | y, for DRAM the number of the bank in x). Flags move some of
// these to common arguments.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "device/arguments.hpp"
#include "device/noc/interleaved.hpp"

namespace tensor_accessor {

/// Bits of the first word.
enum class ArgConfig : uint8_t {
  None = 0,
  Sharded = 1 << 0,
  IsDram = 1 << 1,
  RuntimeRank = 1 << 2,
  RuntimeNumBanks = 1 << 3,
  RuntimeTensorShape = 1 << 4,
  RuntimeShardShape = 1 << 5,
  RuntimeBankCoords = 1 << 6,
};
inline constexpr size_t UNKNOWN = ~size_t{0};
inline constexpr uint32_t MAX_RANK = 8;

}  // namespace tensor_accessor

template <size_t CTA_OFFSET, size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
  static constexpr uint32_t args_config = get_compile_time_arg_val(CTA_OFFSET);
  static constexpr bool has(tensor_accessor::ArgConfig bit) { return (args_config & static_cast<uint32_t>(bit)) != 0; }
  static constexpr bool is_sharded = has(tensor_accessor::ArgConfig::Sharded);
  static constexpr bool is_dram = has(tensor_accessor::ArgConfig::IsDram);
  static constexpr bool rank_is_crta = has(tensor_accessor::ArgConfig::RuntimeRank);
  static constexpr bool num_banks_is_crta = has(tensor_accessor::ArgConfig::RuntimeNumBanks);
  static constexpr bool tensor_shape_is_crta = has(tensor_accessor::ArgConfig::RuntimeTensorShape);
  static constexpr bool shard_shape_is_crta = has(tensor_accessor::ArgConfig::RuntimeShardShape);
  static constexpr bool bank_coords_is_crta = has(tensor_accessor::ArgConfig::RuntimeBankCoords);
  static_assert(!is_sharded || !rank_is_crta || (tensor_shape_is_crta && shard_shape_is_crta),
                "a rank known at run time needs shapes known at run time");
  static_assert(!is_sharded || !num_banks_is_crta || bank_coords_is_crta,
                "a number of banks known at run time needs banks known at run time");

  // Where each is among the compile-time arguments.
  static constexpr uint32_t rank_offset = CTA_OFFSET + 1;
  static constexpr uint32_t num_banks_offset = rank_offset + !rank_is_crta;
  static constexpr uint32_t tensor_shape_offset = num_banks_offset + !num_banks_is_crta;
  static constexpr uint32_t static_rank = [] {
    if constexpr (is_sharded && !rank_is_crta) {
      return get_compile_time_arg_val(rank_offset);
    } else {
      return 0u;
    }
  }();
  static constexpr uint32_t static_banks = [] {
    if constexpr (is_sharded && !num_banks_is_crta) {
      return get_compile_time_arg_val(num_banks_offset);
    } else {
      return 0u;
    }
  }();
  static constexpr uint32_t shard_shape_offset = tensor_shape_offset + (tensor_shape_is_crta ? 0 : static_rank);
  static constexpr uint32_t bank_coords_offset = shard_shape_offset + (shard_shape_is_crta ? 0 : static_rank);

  constexpr TensorAccessorArgs() = default;
  constexpr explicit TensorAccessorArgs(uint32_t common_offset) : common_offset_(common_offset) {}

  static constexpr uint32_t num_compile_time_args() {
    return is_sharded ? bank_coords_offset + (bank_coords_is_crta ? 0 : (static_banks + 1) / 2) - CTA_OFFSET : 1;
  }
  static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + num_compile_time_args(); }

  // And among the common ones.
  constexpr uint32_t crta_offset() const {
    return CRTA_OFFSET != tensor_accessor::UNKNOWN ? static_cast<uint32_t>(CRTA_OFFSET) : common_offset_;
  }
  constexpr uint32_t get_rank() const {
    if constexpr (rank_is_crta) {
      return common(crta_offset());
    } else {
      return static_rank;
    }
  }
  constexpr uint32_t get_num_banks() const {
    if constexpr (num_banks_is_crta) {
      return common(crta_offset() + rank_is_crta);
    } else {
      return static_banks;
    }
  }
  FORCE_INLINE uint32_t tensor_shape(uint32_t i) const {
    return tensor_shape_is_crta ? common(tensor_shape_crta_offset() + i) : compiled(tensor_shape_offset + i);
  }
  FORCE_INLINE uint32_t shard_shape(uint32_t i) const {
    return shard_shape_is_crta ? common(shard_shape_crta_offset() + i) : compiled(shard_shape_offset + i);
  }
  /// x << 8 | y.
  FORCE_INLINE uint32_t bank(uint32_t i) const {
    const uint32_t two =
        bank_coords_is_crta ? common(bank_coords_crta_offset() + i / 2) : compiled(bank_coords_offset + i / 2);
    return i & 1 ? two >> 16 : two & 0xFFFF;
  }
  // Constants if rank and number of banks are.
  constexpr uint32_t num_common_runtime_args() const {
    if constexpr (is_sharded) {
      return bank_coords_crta_offset() + (bank_coords_is_crta ? (get_num_banks() + 1) / 2 : 0) - crta_offset();
    } else {
      return 0;
    }
  }
  constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset() + num_common_runtime_args(); }

 private:
  static FORCE_INLINE uint32_t common(uint32_t index) { return get_common_arg_val<uint32_t>(static_cast<int>(index)); }
  static FORCE_INLINE uint32_t compiled(uint32_t index) { return kerr::device::kCompileArguments[index]; }
  constexpr uint32_t tensor_shape_crta_offset() const { return crta_offset() + rank_is_crta + num_banks_is_crta; }
  constexpr uint32_t shard_shape_crta_offset() const {
    return tensor_shape_crta_offset() + (tensor_shape_is_crta ? get_rank() : 0);
  }
  constexpr uint32_t bank_coords_crta_offset() const {
    return shard_shape_crta_offset() + (shard_shape_is_crta ? get_rank() : 0);
  }

  uint32_t common_offset_ = 0;
};

namespace kerr::device {

// A page of a walk over a tensor, as tt-metal's iterators give it.
struct TensorPage {
  uint64_t address;
  uint32_t id;
  constexpr uint64_t noc_addr() const { return address; }
  constexpr uint32_t page_id() const { return id; }
};
// Pages from `first` to before `last`: for (const auto& page : tensor.pages(...)).
template <class Tensor>
struct TensorPages {
  const Tensor& tensor;
  uint32_t first, last;
  uint8_t noc;
  struct Iterator {
    const TensorPages& of;
    uint32_t id;
    FORCE_INLINE TensorPage operator*() const { return {of.tensor.get_noc_addr(id, 0, of.noc), id}; }
    FORCE_INLINE Iterator& operator++() { return ++id, *this; }
    FORCE_INLINE bool operator!=(const Iterator& other) const { return id != other.id; }
  };
  FORCE_INLINE Iterator begin() const { return {*this, first}; }
  FORCE_INLINE Iterator end() const { return {*this, last}; }
};

// Shards go round the banks; a shard's pages lie one behind the other.
template <class Args>
struct ShardedPages {
  static constexpr bool is_dram = Args::is_dram;
  Args args;
  uint32_t bank_base_address;
  uint32_t page_size;

  struct Place {
    uint32_t bank, page;
  };
  FORCE_INLINE uint32_t shard_volume() const {
    uint32_t volume = 1;
    for (uint32_t i = 0; i < args.get_rank(); ++i) volume *= args.shard_shape(i);
    return volume;
  }
  FORCE_INLINE uint32_t volume() const {
    uint32_t pages = 1;
    for (uint32_t i = 0; i < args.get_rank(); ++i) pages *= args.tensor_shape(i);
    return pages;
  }
  FORCE_INLINE Place place_of_shard(uint32_t shard) const {
    const uint32_t banks = args.get_num_banks();
    return {shard % banks, shard / banks * shard_volume()};
  }
  inline Place place_of(uint32_t id) const {
    uint32_t shard = 0, shards = 1, within = 0, volume = 1;
    for (uint32_t i = args.get_rank(); i-- > 0;) {
      const uint32_t extent = args.tensor_shape(i), piece = args.shard_shape(i);
      const uint32_t at = id % extent;
      id /= extent;
      shard += at / piece * shards;
      shards *= (extent + piece - 1) / piece;
      within += at % piece * volume;
      volume *= piece;
    }
    const uint32_t banks = args.get_num_banks();
    return {shard % banks, shard / banks * volume + within};
  }
  FORCE_INLINE uint64_t address(const Place& place, uint32_t offset, uint8_t noc) const {
    const uint32_t xy = args.bank(place.bank), at = bank_base_address + place.page * page_size + offset;
    if constexpr (is_dram) return get_noc_addr_from_bank_id<true>(xy >> 8, at, noc);
    return ::get_noc_addr(xy >> 8, xy & 0xFF, at, noc);
  }
};

}  // namespace kerr::device

/// get_noc_addr(page), and for tensors in shards get_shard_noc_addr(shard).
template <class Args, bool kSharded = Args::is_sharded>
struct TensorAccessor;

template <class Args>
struct TensorAccessor<Args, false> : InterleavedAddrGen<Args::is_dram> {
  FORCE_INLINE TensorAccessor(const Args&, size_t bank_base_address_in, uint32_t page_size_in = 0)
      : InterleavedAddrGen<Args::is_dram>{.bank_base_address = static_cast<uint32_t>(bank_base_address_in),
                                          .page_size = page_size_in} {}
  FORCE_INLINE auto pages(uint32_t first, uint32_t last, uint8_t noc = noc_index) const {
    return kerr::device::TensorPages<TensorAccessor>{*this, first, last, noc};
  }
};

template <class Args>
struct TensorAccessor<Args, true> : kerr::device::ShardedPages<Args> {
  using Pages = kerr::device::ShardedPages<Args>;
  FORCE_INLINE TensorAccessor(const Args& args_in, size_t bank_base_address_in, uint32_t page_size_in = 0)
      : Pages{args_in, static_cast<uint32_t>(bank_base_address_in), page_size_in} {}

  FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
    return this->address(this->place_of(id), offset, noc);
  }
  FORCE_INLINE uint64_t get_shard_noc_addr(uint32_t shard, uint32_t offset = 0, uint8_t noc = noc_index) const {
    return this->address(this->place_of_shard(shard), offset, noc);
  }
  FORCE_INLINE bool is_local_page(uint32_t id, uint8_t noc = noc_index) const {
    return kerr::device::tile_of(get_noc_addr(id, 0, noc)) == kerr_entry.xy;
  }
  FORCE_INLINE bool is_local_shard(uint32_t shard, uint8_t noc = noc_index) const {
    return kerr::device::tile_of(get_shard_noc_addr(shard, 0, noc)) == kerr_entry.xy;
  }
  FORCE_INLINE uint32_t bytes() const { return this->page_size; }
  /// All pages, or those from `first` to before `last`.
  FORCE_INLINE auto pages(uint32_t first = 0, uint32_t last = 0, uint8_t noc = noc_index) const {
    return kerr::device::TensorPages<TensorAccessor>{*this, first, last != 0 ? last : this->volume(), noc};
  }
};

template <size_t CTA_OFFSET, size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t, uint32_t)
    -> TensorAccessor<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>;
template <size_t CTA_OFFSET, size_t CRTA_OFFSET>
TensorAccessor(const TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>&, size_t)
    -> TensorAccessor<TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>>;

/// A whole shard; it lies in one piece.
template <class Args>
FORCE_INLINE void noc_async_read_shard(uint32_t shard, const TensorAccessor<Args, true>& tensor,
                                       uint32_t dst_local_l1_addr, uint8_t noc = noc_index) {
  noc_async_read(tensor.get_shard_noc_addr(shard, 0, noc), dst_local_l1_addr, tensor.shard_volume() * tensor.page_size,
                 noc);
}
template <class Args>
FORCE_INLINE void noc_async_write_shard(uint32_t shard, const TensorAccessor<Args, true>& tensor,
                                        uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
  noc_async_write(src_local_l1_addr, tensor.get_shard_noc_addr(shard, 0, noc), tensor.shard_volume() * tensor.page_size,
                  noc);
}

namespace kerr::device {

template <uint32_t kTensor, uint32_t kOffset>
constexpr uint32_t tensor_arguments_offset() {
  if constexpr (kTensor == 0) {
    return kOffset;
  } else {
    return TensorAccessorArgs<tensor_arguments_offset<kTensor - 1, kOffset>()>::next_compile_time_args_offset();
  }
}
template <uint32_t kOffset, size_t... kTensors>
constexpr auto tensor_arguments(std::index_sequence<kTensors...>) {
  return std::make_tuple(TensorAccessorArgs<tensor_arguments_offset<kTensors, kOffset>()>()...);
}
template <class Tuple, size_t... kTensors>
FORCE_INLINE auto tensors(const Tuple& args, uint32_t first_address, uint32_t first_page_size,
                          std::index_sequence<kTensors...>) {
  return std::make_tuple(TensorAccessor(std::get<kTensors>(args),
                                        get_arg_val<uint32_t>(static_cast<int>(first_address + kTensors)),
                                        kCompileArguments[first_page_size + kTensors])...);
}

}  // namespace kerr::device

/// Descriptions of several tensors one behind the other from compile-time argument CTA_OFFSET on; and the tensors, with
/// their addresses from runtime arguments and their page sizes from compile-time ones.
template <uint32_t NUM_TENSORS, uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
  return kerr::device::tensor_arguments<CTA_OFFSET>(std::make_index_sequence<NUM_TENSORS>());
}
template <class... Args>
FORCE_INLINE auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, uint32_t address_rt_arg_index_start,
                                             uint32_t page_size_ct_arg_index_start) {
  return kerr::device::tensors(args, address_rt_arg_index_start, page_size_ct_arg_index_start,
                               std::index_sequence_for<Args...>());
}

/// Any tensor behind one type, for arrays of them. The tensor must outlive it.
class AbstractTensorAccessorWrapper {
 public:
  AbstractTensorAccessorWrapper() = default;
  template <class Tensor>
  AbstractTensorAccessorWrapper(const Tensor& tensor)
      : tensor_(&tensor), address_([](const void* t, uint32_t page, uint32_t offset, uint8_t noc) {
          return static_cast<const Tensor*>(t)->get_noc_addr(page, offset, noc);
        }) {}
  uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const {
    return address_(tensor_, page, offset, noc);
  }

 private:
  const void* tensor_ = nullptr;
  uint64_t (*address_)(const void*, uint32_t, uint32_t, uint8_t) = nullptr;
};
template <class... Tensors>
FORCE_INLINE auto make_abstract_tensor_accessor_wrappers(const std::tuple<Tensors...>& tensors) {
  return std::apply(
      [](const auto&... t) { return std::array<AbstractTensorAccessorWrapper, sizeof...(Tensors)>{t...}; }, tensors);
}
