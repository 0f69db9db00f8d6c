// What random loop programs are written with.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "loops/numbers.hpp"
#include "tests/loops/random_programs.hpp"

namespace kerr::loops {

inline constexpr Type kI32 = Type::I32;

inline uint64_t below(Random& random, uint64_t n) { return random() % n; }
inline bool one_in(Random& random, uint64_t n) { return below(random, n) == 0; }
inline int64_t between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(below(random, static_cast<uint64_t>(high - low + 1)));
}
template <class T>
const T& one_of(Random& random, const std::vector<T>& all) {
  return all[below(random, all.size())];
}

inline std::string name_of(Type type) { return std::string(info(type).name); }
inline uint64_t mask(Type type) { return ~uint64_t{0} >> (64 - 8 * info(type).bytes); }

inline std::vector<std::byte> random_memory(Random& random, Type type, uint64_t bytes) {
  std::vector<std::byte> out(bytes);
  const size_t size = info(type).bytes;
  for (size_t at = 0; at < bytes; at += size) {
    const uint64_t bits = random_bits(random, type);
    std::memcpy(out.data() + at, &bits, std::min<size_t>(size, bytes - at));
  }
  return out;
}

// Lines with fresh names, and what may be used where the next line goes.
class Writer {
 public:
  explicit Writer(Random& random) : random_(random) {}

  struct Known {
    VectorType type;
    std::string name;
  };

  void declare(const std::string& line) { declarations_ += line + "\n"; }
  void line(const std::string& line) { body_ += line + "\n"; }
  std::string value(Type type, const std::string& what) { return value(VectorType{type, 1}, what); }
  std::string value(VectorType type, const std::string& what) {
    const std::string name = fmt::format("%{}", next_++);
    line(name + " = " + what);
    known_.push_back({type, name});
    return name;
  }
  std::string reserve() { return fmt::format("%{}", next_++); }

  /// Until close(), which forgets what was made since.
  void open() { marks_.push_back(known_.size()); }
  void close() {
    known_.resize(marks_.back());
    marks_.pop_back();
  }

  std::string begin_loop(Type type, const std::string& extent, const std::string& axis) {
    open();
    return value(type, fmt::format("loop {} {} {}", name_of(type), extent, axis));
  }
  void end_loop(const std::string& variable) {
    line("end " + variable);
    close();
  }

  std::optional<std::string> known(Type type) const { return known(VectorType{type, 1}); }
  std::optional<std::string> known(VectorType type) const {
    std::vector<std::string> names;
    for (const Known& k : known_)
      if (k.type == type) names.push_back(k.name);
    if (names.empty()) return std::nullopt;
    return one_of(random_, names);
  }

  Type type_of(const std::string& name) const {
    return std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.name == name; })->type.type;
  }

  std::string text(const std::string& kernel, const std::string& parameters = "") const {
    return "kernel " + kernel + "\n" + parameters + declarations_ + body_;
  }

 private:
  Random& random_;
  std::string declarations_, body_;
  uint32_t next_ = 1;
  std::vector<Known> known_;
  std::vector<size_t> marks_;
};

inline std::string number(Type type, uint64_t bits) { return name_of(type) + ":" + text_of_number(type, bits); }
inline std::string i32(int64_t value) { return fmt::format("i32:{}", value); }

}  // namespace kerr::loops
