#include "emu/snapshot/chunk_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "arch/bytes.hpp"
#include "emu/hash.hpp"

namespace kerr::emu {

namespace {

// With 1 GiB of bf16 numbers, level 1 saves 23 % and takes three times as long; zeros and code shrink at any level.
constexpr int kLevel = -1;

struct ChunkHeader {
  uint32_t raw_bytes = 0;
  uint32_t stored_bytes = 0;
  uint64_t hash = 0;
};
static_assert(sizeof(ChunkHeader) == 16);

struct Preamble {
  std::array<char, 8> magic{};
  uint32_t version = 0;
  uint32_t zero = 0;
};
static_assert(sizeof(Preamble) == 16);

uint64_t hash_of_chunk(uint64_t index, const ChunkHeader& header, std::span<const uint8_t> stored) {
  return mix_bytes(mix(mix(mix(0, index), header.raw_bytes), header.stored_bytes), stored);
}

// A chunk as it is in the file.
std::vector<uint8_t> pack(uint64_t index, const std::vector<uint8_t>& raw) {
  std::vector<uint8_t> file(sizeof(ChunkHeader) + ZSTD_compressBound(raw.size()));
  const std::span stored = std::span(file).subspan(sizeof(ChunkHeader));
  size_t bytes = raw.size();
  if (!raw.empty()) {
    bytes = ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), kLevel);
    if (ZSTD_isError(bytes) || bytes >= raw.size()) {
      bytes = raw.size();
      std::copy(raw.begin(), raw.end(), stored.begin());
    }
  }
  ChunkHeader header{static_cast<uint32_t>(raw.size()), static_cast<uint32_t>(bytes)};
  header.hash = hash_of_chunk(index, header, stored.first(bytes));
  std::memcpy(file.data(), &header, sizeof header);
  file.resize(sizeof header + bytes);
  return file;
}

std::vector<uint8_t> unpack(const FileKind& kind, uint64_t index, const ChunkHeader& header,
                            std::vector<uint8_t> stored) {
  if (hash_of_chunk(index, header, stored) != header.hash) {
    throw SnapshotError(fmt::format("the {} is damaged: the checksum of chunk {} is wrong", kind.what, index));
  }
  if (header.stored_bytes == header.raw_bytes) return stored;
  std::vector<uint8_t> raw(header.raw_bytes);
  const size_t bytes = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(bytes) || bytes != raw.size()) {
    throw SnapshotError(fmt::format("the {} is damaged: chunk {} cannot be expanded", kind.what, index));
  }
  return raw;
}

}  // namespace

// ---------------------------------------------------------------- where the bytes are

size_t StoredMemory::read(std::span<uint8_t> out) {
  const size_t bytes = std::min(out.size(), rest_.size());
  std::copy_n(rest_.begin(), bytes, out.begin());
  rest_ = rest_.subspan(bytes);
  return bytes;
}

StoredFile::StoredFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw SnapshotError(fmt::format("'{}' cannot be opened: {}", path, std::strerror(errno)));
}

StoredFile::~StoredFile() { ::close(descriptor_); }

size_t StoredFile::read(std::span<uint8_t> out) {
  size_t done = 0;
  while (done < out.size()) {
    const ::ssize_t bytes = ::read(descriptor_, out.data() + done, out.size() - done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) throw SnapshotError(fmt::format("the file cannot be read: {}", std::strerror(errno)));
    if (bytes == 0) break;
    done += static_cast<size_t>(bytes);
  }
  return done;
}

// ---------------------------------------------------------------- writing

ChunkWriter::ChunkWriter(ByteSink& file, const FileKind& kind, int threads) : file_(file), threads_(threads) {
  Preamble preamble;
  std::copy_n(kind.magic.begin(), preamble.magic.size(), preamble.magic.begin());
  preamble.version = kind.version;
  file_.write(arch::as_uint8(preamble));
  chunk_.reserve(kChunkBytes);
}

void ChunkWriter::write(std::span<const uint8_t> bytes) {
  raw_bytes_ += bytes.size();
  while (!bytes.empty()) {
    const size_t part = std::min(bytes.size(), kChunkBytes - chunk_.size());
    chunk_.insert(chunk_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(part));
    bytes = bytes.subspan(part);
    if (chunk_.size() == kChunkBytes) flush();
  }
}

void ChunkWriter::flush() {
  if (chunk_.empty()) return;
  const auto how = threads_ > 1 ? std::launch::async : std::launch::deferred;
  under_way_.push_back(std::async(how, [index = index_++, raw = std::move(chunk_)] { return pack(index, raw); }));
  chunk_ = {};
  chunk_.reserve(kChunkBytes);
  drain(static_cast<size_t>(threads_ > 1 ? threads_ : 0));
}

void ChunkWriter::drain(size_t most_left) {
  while (under_way_.size() > most_left) {
    const std::vector<uint8_t> packed = under_way_.front().get();
    under_way_.pop_front();
    file_.write(packed);
  }
}

void ChunkWriter::finish() {
  flush();
  drain(0);
  file_.write(pack(index_, {}));
}

// ---------------------------------------------------------------- reading

ChunkReader::ChunkReader(StoredBytes& file, const FileKind& kind, int threads, bool unfinished)
    : file_(file), kind_(kind), threads_(threads), unfinished_(unfinished) {
  Preamble preamble;
  if (file_.read(arch::as_uint8(preamble)) != sizeof preamble)
    throw SnapshotError(fmt::format("this is no Kerr {}: it is too short for one", kind.what));
  if (std::string_view(preamble.magic.data(), preamble.magic.size()) != kind.magic || preamble.zero != 0)
    throw SnapshotError(fmt::format("this is no Kerr {}: it does not begin like one", kind.what));
  if (preamble.version != kind.version) {
    throw SnapshotError(fmt::format("the {} has version {} of its format, this Kerr reads version {}", kind.what,
                                    preamble.version, kind.version));
  }
}

// Reads chunks from the file and has them checked and expanded.
void ChunkReader::look_ahead() {
  while (!ended_ && under_way_.size() < static_cast<size_t>(std::max(1, threads_))) {
    const auto ends = [this](const char* where) {
      if (!unfinished_) throw SnapshotError(fmt::format("the {} was cut off{} chunk {}", kind_.what, where, index_));
      ended_ = cut_ = true;
    };
    ChunkHeader header;
    if (file_.read(arch::as_uint8(header)) != sizeof header) return ends(": it ends before");
    if (header.raw_bytes > kChunkBytes || header.stored_bytes > header.raw_bytes)
      throw SnapshotError(fmt::format("the {} is damaged: chunk {} has an impossible size", kind_.what, index_));
    std::vector<uint8_t> stored(header.stored_bytes);
    if (file_.read(stored) != stored.size()) return ends(" in");
    if (header.raw_bytes == 0) {
      unpack(kind_, index_, header, {});
      uint8_t more;
      if (file_.read({&more, 1}) != 0)
        throw SnapshotError(fmt::format("the {} is damaged: something follows its end", kind_.what));
      ended_ = true;
      return;
    }
    const auto how = threads_ > 1 ? std::launch::async : std::launch::deferred;
    under_way_.push_back(std::async(how, [kind = kind_, index = index_++, header, bytes = std::move(stored)]() mutable {
      return unpack(kind, index, header, std::move(bytes));
    }));
  }
}

bool ChunkReader::next_chunk() {
  look_ahead();
  if (under_way_.empty()) return false;
  chunk_ = under_way_.front().get();
  under_way_.pop_front();
  used_ = 0;
  look_ahead();
  return true;
}

void ChunkReader::read(std::span<uint8_t> out) {
  while (!out.empty()) {
    if (used_ == chunk_.size() && !next_chunk()) {
      if (cut_) throw CutOff(fmt::format("the {} was cut off after {} chunks", kind_.what, index_));
      throw SnapshotError(fmt::format("the {} ends in the middle of its contents", kind_.what));
    }
    const size_t part = std::min(out.size(), chunk_.size() - used_);
    std::copy_n(chunk_.begin() + static_cast<ptrdiff_t>(used_), part, out.begin());
    used_ += part;
    out = out.subspan(part);
  }
}

void ChunkReader::skip_to_end() {
  while (next_chunk()) {
  }
  used_ = chunk_.size();
}

bool ChunkReader::at_end() { return used_ == chunk_.size() && !next_chunk(); }

}  // namespace kerr::emu
