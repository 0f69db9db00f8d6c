// Random data-path programs as oracle scripts: unpack, work, pack on one thread, inside what the reference simulator
// accepts most of the time.   docs/hardware/tensix-datapath.md 15 lists what it refuses
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>

namespace kerr::emu {

/// What a program tries.
enum class Topic { Unpack, UnpackToDst, Tilize, Pack, MatrixProduct, Elementwise, Pool, Moves, Clears, Vector };
inline constexpr std::array kTopics{Topic::Unpack,        Topic::UnpackToDst, Topic::Tilize, Topic::Pack,
                                    Topic::MatrixProduct, Topic::Elementwise, Topic::Pool,   Topic::Moves,
                                    Topic::Clears,        Topic::Vector};
const char* name(Topic topic);

/// Makes one script; the same seed makes the same script.
class ProgramMaker {
 public:
  ProgramMaker(Topic topic, uint64_t seed);
  /// Script up to `run`, without any dump or expectation.
  std::string make();

  static constexpr uint32_t kInputA = 0x20000, kInputB = 0x24000, kInputDst = 0x28000, kOutput = 0x40000;
  static constexpr uint32_t kInputBytes = 0x1400, kOutputBytes = 0x4000;

 private:
  struct Format {
    unsigned in, out;
  };

  uint32_t pick(uint32_t lowest, uint32_t highest);
  bool chance(unsigned percent) { return pick(1, 100) <= percent; }
  template <class... T>
  uint32_t one_of(T... values) {
    const std::array<uint32_t, sizeof...(T)> all{static_cast<uint32_t>(values)...};
    return all[pick(0, sizeof...(T) - 1)];
  }

  void data(uint32_t address, unsigned format);
  void w(unsigned index, uint32_t value) { script_ << 'w' << index << '=' << value << ' '; }
  void t(unsigned index, uint32_t value) { script_ << 't' << index << '=' << value << ' '; }
  void push(uint32_t word);

  Format source_format();
  void set_alu();
  void set_unpacker(unsigned unpacker, Format format, uint32_t address);
  void set_modifiers();
  void unpack_all(unsigned unpacker);
  void unpack_some(unsigned unpacker);
  void fill_dst();
  void work();
  void matrix_instruction();
  void move_instruction();
  void clear_instruction();
  void vector_work();
  void vector_instruction();
  void set_packer();
  void pack_all();
  void pack_some();

  Topic topic_;
  std::mt19937_64 random_;
  std::ostringstream script_;

  Format format_a_{}, format_b_{};
  bool fp32_dst_ = false, int8_ = false;
  bool dst_is_wide_ = false;  // as the packer reads it
  unsigned pack_in_ = 5, pack_out_ = 5;
  bool round_10b_ = false;
  unsigned stack_depth_ = 0;   // of the lane flags
  bool edges_ = false;         // the packer masks
  bool scale_of_one_ = false;  // SrcB holds ones, as GMPOOL wants it
};

}  // namespace kerr::emu
