// What is wrong with an expression, and where.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace kerr::graph {

/// A sentence about the character `at` of an expression; the parser shows the place.
class Mistake : public std::invalid_argument {
 public:
  Mistake(size_t at_character, const std::string& sentence) : std::invalid_argument(sentence), at(at_character) {}
  size_t at;  // from 0
};

}  // namespace kerr::graph
