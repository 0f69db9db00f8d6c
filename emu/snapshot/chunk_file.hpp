// Files of compressed chunks, each with its checksum: what snapshots and input logs are written in.
//
//   preamble  8 bytes that name the kind, u32 version, u32 zero
//   chunk     u32 raw bytes, u32 stored bytes, u64 XXH3 of both numbers, the chunk's index and what is stored;
//             zstd, or the bytes themselves if the two sizes are equal
//   ...       the last chunk holds nothing: a file without it was cut off
//
// All numbers are little-endian. A file that is damaged, cut off or something else is refused with a SnapshotError
// before any byte of the broken chunk is given out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// What a file is. `magic` has eight characters, `what` is "snapshot" or "input log".
struct FileKind {
  std::string_view magic;
  uint32_t version;
  std::string_view what;
};

inline constexpr size_t kChunkBytes = 1 << 20;  // raw; no chunk is larger

/// A file that was to be read although it is unfinished ends here.
struct CutOff : SnapshotError {
  using SnapshotError::SnapshotError;
};

/// Bytes at rest, read in order: a file, or memory.
class StoredBytes {
 public:
  virtual ~StoredBytes() = default;
  /// As many as there are, up to out.size().
  virtual size_t read(std::span<uint8_t> out) = 0;
};

class StoredMemory final : public StoredBytes {
 public:
  explicit StoredMemory(std::span<const uint8_t> bytes) : rest_(bytes) {}
  size_t read(std::span<uint8_t> out) override;

 private:
  std::span<const uint8_t> rest_;
};

class StoredFile final : public StoredBytes {
 public:
  /// Throws SnapshotError if it cannot be opened.
  explicit StoredFile(const std::string& path);
  ~StoredFile() override;
  size_t read(std::span<uint8_t> out) override;

 private:
  int descriptor_;
};

/// Appends to memory.
class MemorySink final : public ByteSink {
 public:
  void write(std::span<const uint8_t> bytes) override { data.insert(data.end(), bytes.begin(), bytes.end()); }
  std::vector<uint8_t> data;
};

/// Cuts what is written into chunks and compresses them, up to `threads` at a time.
class ChunkWriter final : public ByteSink {
 public:
  ChunkWriter(ByteSink& file, const FileKind& kind, int threads = 1);
  void write(std::span<const uint8_t> bytes) override;
  /// Ends the present chunk.
  void flush();
  /// Writes what is left and the end mark.
  void finish();
  uint64_t raw_bytes() const { return raw_bytes_; }

 private:
  void drain(size_t most_left);

  ByteSink& file_;
  const int threads_;
  std::vector<uint8_t> chunk_;
  uint64_t index_ = 0;
  uint64_t raw_bytes_ = 0;
  std::deque<std::future<std::vector<uint8_t>>> under_way_;
};

/// Checks and expands chunks, `threads` ahead of the reader.
class ChunkReader final : public ByteSource {
 public:
  /// `unfinished`: of a file that was cut off, whole chunks are read, and what then misses is a CutOff.
  ChunkReader(StoredBytes& file, const FileKind& kind, int threads = 1, bool unfinished = false);
  void read(std::span<uint8_t> out) override;
  /// Nothing is left. False: there is more.
  bool at_end();
  /// Checks all that is left.
  void skip_to_end();

 private:
  bool next_chunk();
  void look_ahead();

  StoredBytes& file_;
  const FileKind kind_;
  const int threads_;
  const bool unfinished_;
  bool cut_ = false;
  std::vector<uint8_t> chunk_;
  size_t used_ = 0;
  uint64_t index_ = 0;
  bool ended_ = false;
  std::deque<std::future<std::vector<uint8_t>>> under_way_;
};

/// What a file of this kind begins with, without reading on. Throws SnapshotError.
template <class Info>
Info read_beginning(const std::string& path, const FileKind& kind, bool unfinished = false) {
  StoredFile file(path);
  ChunkReader chunks(file, kind, 1, unfinished);
  LoadArchive archive(chunks);
  Info info;
  archive(info);
  return info;
}

}  // namespace kerr::emu
