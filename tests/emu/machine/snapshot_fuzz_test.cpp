// Files that are anything at all: refused with a sentence, or taken for a machine that then runs. Never a crash, a hang
// or memory for what is not there. (This test is also run under AddressSanitizer.)
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "emu/machine/input_log.hpp"
#include "emu/machine/snapshot.hpp"
#include "emu/snapshot/chunk_file.hpp"
#include "tests/emu/machine/busy.hpp"

namespace kerr::emu {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr FileKind kSnapshot{"KERRSNAP", 2, "snapshot"};
constexpr FileKind kLog{"KERR-LOG", 4, "input log"};

class SnapshotFuzz : public ::testing::Test {
 protected:
  std::mt19937 random{1};  // the same mutations in every run

  size_t below(size_t limit) { return random() % limit; }

  // Truncations, flipped bits, numbers in the place of others, pieces moved.
  Bytes mutated(const Bytes& original, size_t first_changed = 0) {
    Bytes bytes = original;
    for (size_t changes = 1 + below(4); changes != 0; --changes) {
      const size_t at = first_changed + below(bytes.size() - first_changed);
      switch (below(5)) {
        case 0: bytes.resize(std::max<size_t>(at, first_changed + 1)); break;
        case 1: bytes[at] ^= static_cast<uint8_t>(1u << below(8)); break;
        case 2: {
          static constexpr uint32_t kNumbers[] = {0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFF'FFFF, 0x8000'0000, 0xFFFF'FFFF};
          const uint32_t number = kNumbers[below(std::size(kNumbers))];
          std::memcpy(bytes.data() + at, &number, std::min<size_t>(4, bytes.size() - at));
          break;
        }
        case 3: bytes[at] = static_cast<uint8_t>(random()); break;
        default: {
          const size_t from = first_changed + below(bytes.size() - first_changed);
          const size_t n = std::min({below(64) + 1, bytes.size() - at, bytes.size() - from});
          std::memmove(bytes.data() + at, bytes.data() + from, n);
        }
      }
    }
    return bytes;
  }

  static Bytes contents(const Bytes& file, const FileKind& kind) {
    StoredMemory stored(file);
    ChunkReader chunks(stored, kind);
    Bytes raw;
    while (!chunks.at_end()) {
      uint8_t byte;
      chunks.read({&byte, 1});
      raw.push_back(byte);
    }
    return raw;
  }
  // With the right checksums.
  static Bytes sealed(const Bytes& raw, const FileKind& kind) {
    MemorySink memory;
    ChunkWriter chunks(memory, kind);
    chunks.write(raw);
    chunks.finish();
    return memory.data;
  }
  static Bytes small_snapshot() {
    BusyMachine busy({}, 2);
    busy.machine.advance(1'536);
    return save_snapshot(busy.machine);
  }
};

TEST_F(SnapshotFuzz, DamagedFilesAreRefused) {
  const Bytes good = small_snapshot();
  Machine machine{Options{}};
  int refused = 0;
  for (int i = 0; i < 3'000; ++i) {
    const Bytes bytes = mutated(good);
    if (bytes == good) continue;
    EXPECT_THROW(load_snapshot(machine, bytes), SnapshotError) << "mutation " << i;
    ++refused;
  }
  EXPECT_GT(refused, 2'900);
  EXPECT_EQ(machine.now(), 0u);
}

TEST_F(SnapshotFuzz, WrongContentsWithRightChecksumsAreRefusedOrRun) {
  const Bytes raw = contents(small_snapshot(), kSnapshot);
  int refused = 0, ran = 0;
  for (int i = 0; i < 1'000; ++i) {
    Machine machine{Options{}};
    try {
      load_snapshot(machine, sealed(mutated(raw), kSnapshot));
      ++ran;
    } catch (const SnapshotError& error) {
      EXPECT_STRNE(error.what(), "");
      ++refused;
      continue;
    }
    const Cycle now = machine.now();
    for (int window = 0; window < 4 && !machine.faulted(); ++window) machine.step(now + 256 * (window + 1));
    machine.state_hash();
    machine.waits();
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(ran, 100);
}

TEST_F(SnapshotFuzz, AnnouncedSizesTakeNoMemory) {
  Bytes raw = contents(small_snapshot(), kSnapshot);
  raw.resize(64);
  for (size_t at = 0; at + 4 <= raw.size(); ++at) {
    Bytes bytes = raw;
    std::memset(bytes.data() + at, 0xFF, 4);
    Machine machine{Options{}};
    EXPECT_THROW(load_snapshot(machine, sealed(bytes, kSnapshot)), SnapshotError);
  }
}

TEST_F(SnapshotFuzz, DamagedLogsAreRefusedOrDiffer) {
  const std::string path = ::testing::TempDir() + "kerr_fuzz_" + std::to_string(::getpid()) + ".log";
  {
    BusyMachine busy({}, 1);
    InputRecorder recorder(busy.machine, path);
    busy.machine.advance(512);
    for (int i = 0; i < 20; ++i) {
      busy.host.write32(busy.workers[2], 0x100, static_cast<uint32_t>(i));
      busy.host.read32(busy.workers[2], 0x100);
      busy.machine.advance(256);
    }
    recorder.finish();
  }
  std::ifstream file(path, std::ios::binary);
  const Bytes good((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::filesystem::remove(path);
  const Bytes raw = contents(good, kLog);

  const auto replay = [](const Bytes& bytes) {
    Machine machine{Options{}};
    try {
      Replay(machine, std::make_unique<StoredMemory>(bytes)).run(1 << 20);
      return true;
    } catch (const SnapshotError&) {
      return false;
    }
  };
  for (int i = 0; i < 1'000; ++i) {
    const Bytes bytes = mutated(good);
    if (bytes == good) continue;
    EXPECT_FALSE(replay(bytes)) << "mutation " << i;
  }
  int refused = 0;
  for (int i = 0; i < 500; ++i) refused += replay(sealed(mutated(raw), kLog)) ? 0 : 1;
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace kerr::emu
