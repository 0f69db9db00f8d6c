// Who can bring a thing into the state that is waited for.   docs/architecture.md "Hangs"
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "hang/things.hpp"

namespace kerr::hang {

struct Providers {
  std::vector<size_t> agents;  // of Scene::agents(): a thread that has nothing to do is its hart
  bool certain = true;         // false: code that was not understood; these are all that may
  bool known = true;           // false: nothing can be said
  std::string nobody;          // why there is none: "nobody in this program pushes to it"
};

/// Which tiles the arguments of each hart name: two words x and y, or a packed coordinate.
class NamedTiles {
 public:
  explicit NamedTiles(const Scene& scene);
  bool names(size_t agent, arch::NocCoord core) const { return named_[agent][bit(core)]; }

 private:
  static constexpr size_t kBits = 1 << 10;
  static size_t bit(arch::NocCoord core) { return core.packed() % kBits; }
  std::vector<std::bitset<kBits>> named_;
};

Providers providers_of(const Scene& scene, const NamedTiles& named, size_t agent, const Want& want);

}  // namespace kerr::hang
