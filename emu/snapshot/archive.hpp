// One function a class for all that is done with state as a whole: saving, restoring, hashing, surveying.
// docs/architecture.md "Snapshots"
//
//   void Packer::serialize(Archive& a) {
//     a(data_, exponents_);             // classes with a serialize() of their own, numbers, std::array
//     a.below(4, tile_z_);              // an index or an enumeration: a file that holds something else is refused
//     a.machinery(waits_for_);          // saved and restored, but no part of the state hash
//   }                                   // not named: references, options, and what is derived when it is needed again
//
// A class gives everything that a later cycle can depend on. tests/emu/machine/snapshot_coverage_test.cpp lists the
// members that no serialize() names.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "emu/agent.hpp"

namespace kerr::emu {

/// What is wrong with a file, in one sentence.
class SnapshotError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Archive;

template <class T>
concept SerializesItself = requires(T& value, Archive& archive) {
  value.serialize(archive);
};
template <class T>
concept SerializedBeside = requires(T& value, Archive& archive) {
  serialize(archive, value);
};

class Archive {
 public:
  virtual ~Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool loading() const { return purpose_ == Purpose::Load; }
  bool hashing() const { return purpose_ == Purpose::Hash; }
  bool surveying() const { return purpose_ == Purpose::Survey; }

  template <class... T>
  void operator()(T&... members) {
    (visit(members), ...);
  }

  /// What decides how soon the emulator is done, and not what the machine does: where it parked whom, what it derived.
  template <class... T>
  void machinery(T&... members) {
    if (!hashing()) (visit(members), ...);
  }

  /// A number or an enumeration that must be below `limit`.
  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void below(uint64_t limit, T& value) {
    raw(&value, sizeof value);
    if (loading() && static_cast<uint64_t>(value) >= limit) refuse("a value is out of range");
  }

  /// At most `most` elements.
  template <class T>
  void list(std::vector<T>& values, size_t most) {
    uint32_t count = static_cast<uint32_t>(values.size());
    count_of(count, most);
    if (loading()) {
      values.clear();
      for (uint32_t i = 0; i < count; ++i) visit(values.emplace_back());  // grows with what is really there
    } else if (surveying()) {
      T sample{};
      visit(sample);
    } else {
      for (T& value : values) visit(value);
    }
  }
  /// A list of bytes.
  void blob(std::vector<uint8_t>& value, size_t most);
  void text(std::string& value, size_t most = 4096);
  /// A string literal, or a null-terminated string that is never freed. A restored one is a copy that is never freed.
  void literal(const char*& value);
  /// Anonymous memory, all zero at the start. Pages that still are cost nothing to save and are not touched on loading,
  /// those that were never touched not on saving and hashing either.
  void pages(void* data, size_t bytes);
  void raw_bytes(void* data, size_t bytes) { raw(data, bytes); }

  /// The file makes no sense. Throws SnapshotError naming the part of the machine that was being read.
  [[noreturn]] void refuse(const std::string& why) const;
  void require(bool holds, const char* why) const {
    if (loading() && !holds) refuse(why);
  }

  /// How many chips the machine has that is restored: a file whose messages name another chip is refused.
  int chips = kMostChips;

 protected:
  enum class Purpose : uint8_t { Save, Load, Hash, Survey };
  explicit Archive(Purpose purpose) : purpose_(purpose) {}

  virtual void raw(void* data, size_t bytes) = 0;
  /// The members of a class begin.
  virtual void enter(const std::type_info& type) {
    if (depth_ < kDepth) path_[depth_] = &type;
    ++depth_;
  }

 private:
  template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>) void visit(T& value) { raw(&value, sizeof value); }
  void visit(float& value) { raw(&value, sizeof value); }
  void visit(bool& value);
  template <class T, size_t N>
  void visit(std::array<T, N>& values) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      raw(values.data(), sizeof values);
    } else {
      for (T& value : values) visit(value);
    }
  }
  template <class T, size_t N>
  void visit(T (&values)[N]) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      raw(values, sizeof values);
    } else {
      for (T& value : values) visit(value);
    }
  }
  template <SerializesItself T>
  void visit(T& object) {
    enter(typeid(T));
    object.serialize(*this);
    --depth_;
  }
  template <SerializedBeside T>
  void visit(T& object) {
    enter(typeid(T));
    serialize(*this, object);
    --depth_;
  }
  void visit(std::string& value) { text(value); }

  void count_of(uint32_t& count, size_t most);

  static constexpr size_t kDepth = 16;
  const Purpose purpose_;
  std::array<const std::type_info*, kDepth> path_{};  // of the classes that are being visited, for refuse()
  size_t depth_ = 0;
};

/// Takes bytes in order.
class ByteSink {
 public:
  virtual void write(std::span<const uint8_t> bytes) = 0;

 protected:
  ~ByteSink() = default;
};

/// Gives bytes in order. Throws SnapshotError when there are no more.
class ByteSource {
 public:
  virtual void read(std::span<uint8_t> out) = 0;

 protected:
  ~ByteSource() = default;
};

class SaveArchive final : public Archive {
 public:
  explicit SaveArchive(ByteSink& sink) : Archive(Purpose::Save), sink_(sink) {}

 private:
  void raw(void* data, size_t bytes) override { sink_.write({static_cast<const uint8_t*>(data), bytes}); }
  ByteSink& sink_;
};

/// Loads into objects fresh from their constructor: what is not in the file keeps its power-on state.
class LoadArchive final : public Archive {
 public:
  explicit LoadArchive(ByteSource& source) : Archive(Purpose::Load), source_(source) {}

 private:
  void raw(void* data, size_t bytes) override { source_.read({static_cast<uint8_t*>(data), bytes}); }
  ByteSource& source_;
};

/// Folds the state of an object into one number: equal for equal runs, whatever was parked or derived.
template <class T>
uint64_t hash_of(const T& object);

class HashArchive final : public Archive {
 public:
  HashArchive();
  ~HashArchive() override;
  uint64_t value() const;

 private:
  void raw(void* data, size_t bytes) override;
  struct State;
  State* state_;
};

template <class T>
uint64_t hash_of(const T& object) {
  HashArchive archive;
  archive(const_cast<T&>(object));  // a HashArchive changes nothing
  return archive.value();
}

/// Looks at what is visited: what a file of this build looks like.
class SurveyArchive final : public Archive {
 public:
  SurveyArchive() : Archive(Purpose::Survey) {}
  /// Two builds with the same number write the same form. (Two members of one type that changed places go unnoticed.)
  uint64_t layout() const { return layout_; }
  /// The classes that were met, without namespaces.
  const std::set<std::string>& classes() const { return classes_; }

 private:
  void raw(void* data, size_t bytes) override;
  void enter(const std::type_info& type) override;

  uint64_t layout_ = 0;
  std::set<std::string> classes_;
};

}  // namespace kerr::emu
