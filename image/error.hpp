#pragma once

#include <stdexcept>

namespace kerr::image {

/// A file that is no usable program image. what() names the file, the part at fault, and what was expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kerr::image
