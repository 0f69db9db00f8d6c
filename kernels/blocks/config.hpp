// Words of the coprocessor's configuration by the names of their fields.   docs/hardware/tensix-datapath.md 6, 7
#pragma once

#include <cstdint>
#include <initializer_list>

#include "arch/data_format.hpp"
#include "arch/tensix_config.hpp"
#include "kernels/blocks/compute.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;

/// A field and what it becomes.
struct Setting {
  Setting(arch::ConfigField f, uint32_t v) : field(f), value(v) {}
  Setting(arch::ConfigField f, arch::DataFormat v) : Setting(f, arch::code_of(v)) {}

  arch::ConfigField field;
  uint32_t value;
};
using Settings = std::initializer_list<Setting>;

// Words are written in the order in which their first fields stand. A value that its field does not hold, and a bit
// that is set twice, are a std::logic_error that names the field.

/// Whole words, by stores of the hart: their other fields become 0. Clobbers `temp`.
void store_config(Caller a, const Windows& w, Settings settings, isa::Reg temp = isa::reg::t0);

/// These fields alone, by an RMWCIB instruction for each byte of a word that they touch.
void modify_config(Caller a, Settings settings);

/// Whole words of the thread, by SETC16 instructions.
void set_thread_config(Caller a, Settings settings);
/// The instruction that sets a word of the thread to `settings`, which are all of that word.
isa::tensix::SETC16 thread_word(Settings settings);

}  // namespace kerr::kernels
