#include "loops/blob.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstring>
#include <stdexcept>

namespace kerr::loops {

namespace {

constexpr std::string_view kMagic = "KERRLOOP";
constexpr size_t kHeadBytes = 8 + 7 * 4 + 8, kHashBytes = 8;

static_assert(std::endian::native == std::endian::little);

void put(std::vector<std::byte>& out, const void* data, size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  out.insert(out.end(), from, from + bytes);
}
template <class T>
void put(std::vector<std::byte>& out, T value) {
  put(out, &value, sizeof value);
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("the compiled program " + why); }

// What is left of a blob.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  T take() {
    T value;
    const std::span<const std::byte> bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take(uint64_t bytes) {
    if (bytes > left_.size()) refuse("is cut off, or damaged: compile it again");
    const std::span<const std::byte> taken = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return taken;
  }
  std::string text(uint64_t bytes) {
    const std::span<const std::byte> taken = take(bytes);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  bool empty() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
};

}  // namespace

std::string_view library_version() { return KERR_VERSION; }

std::vector<std::byte> to_bytes(const Blob& blob) {
  std::vector<std::byte> out;
  out.reserve(kHeadBytes + library_version().size() + blob.board.size() + blob.text.size() + kHashBytes);
  put(out, kMagic.data(), kMagic.size());
  put(out, kBlobAbi);
  put(out, static_cast<uint32_t>(library_version().size()));
  put(out, static_cast<uint32_t>(blob.board.size()));
  put(out, static_cast<uint32_t>(blob.options.path));
  put(out, static_cast<uint32_t>(blob.options.math));
  put(out, blob.options.max_harts);
  put(out, static_cast<uint32_t>(blob.options.check_bounds));
  put(out, static_cast<uint64_t>(blob.text.size()));
  put(out, library_version().data(), library_version().size());
  put(out, blob.board.data(), blob.board.size());
  put(out, blob.text.data(), blob.text.size());
  put(out, static_cast<uint64_t>(XXH3_64bits(out.data(), out.size())));
  return out;
}

Blob read_blob(std::span<const std::byte> bytes) {
  if (bytes.size() < kMagic.size() || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    refuse("is none: it does not begin as one");
  Reader reader(bytes.subspan(kMagic.size()));
  if (const auto abi = reader.take<uint32_t>(); abi != kBlobAbi)
    refuse(fmt::format("has the format {}, and this library reads {}: compile it again", abi, kBlobAbi));
  const auto version_bytes = reader.take<uint32_t>(), board_bytes = reader.take<uint32_t>();
  const auto path = reader.take<uint32_t>(), math = reader.take<uint32_t>(), max_harts = reader.take<uint32_t>(),
             check_bounds = reader.take<uint32_t>();
  const auto text_bytes = reader.take<uint64_t>();
  // Before the checksum: what another version has changed is not damaged.
  if (const std::string version = reader.text(version_bytes); version != library_version())
    refuse(fmt::format("was made by version {:.40} of the library, and this is {}: compile it again", version,
                       library_version()));
  Blob blob;
  blob.board = reader.text(board_bytes);
  blob.text = reader.text(text_bytes);
  const auto hash = reader.take<uint64_t>();
  const bool whole = reader.empty() && hash == XXH3_64bits(bytes.data(), bytes.size() - kHashBytes);
  if (!whole || path > static_cast<uint32_t>(Path::Auto) || math > static_cast<uint32_t>(Math::Exact) ||
      check_bounds > 1)
    refuse("is damaged: its checksum is another. Compile it again");
  blob.options = {static_cast<Path>(path), static_cast<Math>(math), check_bounds != 0, max_harts};
  return blob;
}

}  // namespace kerr::loops
