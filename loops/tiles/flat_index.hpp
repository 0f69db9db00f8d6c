// Which elements of parameters a perfect nest of loops touches, seen from the elements that it stores.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/elementwise/flat.hpp"
#include "loops/program.hpp"

namespace kerr::loops::tiles {

/// constant + the sum of steps[k] times the variable of loop k of the nest, the outermost first.
struct LinearIndex {
  int64_t constant = 0;
  std::vector<int64_t> steps;
};

/// For each value of the program what it is of the nest's variables; nothing for those that are nothing linear, or may
/// leave their type.
std::vector<std::optional<LinearIndex>> linear_values(const Program& program, const std::vector<uint32_t>& loops);
std::optional<LinearIndex> linear_index(const std::vector<std::optional<LinearIndex>>& values, const Operand& operand,
                                        size_t loops);

/// The loops of a nest in the order in which the stored elements lie, the slowest first; those of one iteration are
/// left out. Nothing if the elements are not next to each other, each stored once.
struct FlatOrder {
  std::vector<uint32_t> loops;
  std::vector<uint64_t> extents;
  uint64_t elements = 1;
};
std::optional<FlatOrder> flat_order(const LinearIndex& stored, const std::vector<uint64_t>& extents);
/// The index as a function of the stored element's number, but for its constant. Nothing for all others than those that
/// repeat a run of consecutive elements.
std::optional<kernels::FlatOperand> flat_operand(const LinearIndex& index, const FlatOrder& order);
/// The same where the elements are rows of so many columns, and each row is padded.
std::optional<kernels::FlatOperand> padded_operand(const LinearIndex& index, const FlatOrder& order, uint64_t columns,
                                                   uint64_t padded);

}  // namespace kerr::loops::tiles
