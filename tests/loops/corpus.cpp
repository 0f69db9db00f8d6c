#include "tests/loops/corpus.hpp"

#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>

#include "loops/arithmetic.hpp"

namespace kerr::loops {

namespace {

using Random = std::mt19937_64;

uint64_t bits_of(Random& random, Type type) {
  const uint64_t any = random();
  if (type == Type::Bool) return any & 1;
  if (!info(type).is_float) return any % 8;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {0.0f, -0.0f, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 1e-40f};
  const float number = any % 64 < std::size(kSpecial) ? kSpecial[any % 64]
                                                      : static_cast<float>(static_cast<int32_t>(any >> 32)) * 0x1p-29f;
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return convert(type, Type::F32, bits);
}

}  // namespace

std::vector<std::string> corpus() {
  std::ifstream file(KERR_SOURCE_DIR "/tests/loops/corpus/programs.zst", std::ios::binary);
  const std::string stored{std::istreambuf_iterator<char>(file), {}};
  std::string all(ZSTD_getFrameContentSize(stored.data(), stored.size()), '\0');
  const size_t size = ZSTD_decompress(all.data(), all.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) || size != all.size()) throw std::runtime_error("tests/loops/corpus/programs.zst is damaged");
  std::vector<std::string> texts;
  for (size_t begin = 0; begin < all.size();) {
    const size_t next = all.find("\nkernel ", begin);
    const size_t end = next == std::string::npos ? all.size() : next + 1;
    texts.push_back(all.substr(begin, end - begin));
    begin = end;
  }
  return texts;
}

CorpusInput corpus_input(const Program& program, uint64_t seed) {
  Random random(seed);
  CorpusInput input;
  for (const Parameter& p : program.parameters) {
    std::vector<std::byte>& buffer = input.buffers.emplace_back(p.bytes());
    const size_t bytes = info(p.type).bytes;
    for (size_t at = 0; at < buffer.size(); at += bytes) {
      const uint64_t bits = bits_of(random, p.type);
      std::memcpy(buffer.data() + at, &bits, bytes);
    }
  }
  for (const Variable& v : program.variables) {
    const int64_t span = std::min<int64_t>(v.max - v.min, 7);
    input.numbers.push_back(v.min + static_cast<int64_t>(random() % static_cast<uint64_t>(span + 1)));
  }
  return input;
}

}  // namespace kerr::loops
