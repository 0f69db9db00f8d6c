// The multiply-add of the harts' float instructions (fmadd.s), the same as the vector unit's.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "oracle/device.hpp"

namespace kerr::oracle {

struct FmaBlock {
  std::vector<uint32_t> operands;  ///< x, y, z of each case in turn
};

std::string describe(const FmaBlock& block);
void randomise(FmaBlock& block, std::mt19937& random);
std::vector<uint32_t> run_on_device(Device& device, const FmaBlock& block);
std::vector<uint32_t> run_on_host(const FmaBlock& block);

}  // namespace kerr::oracle
