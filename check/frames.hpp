// Function, file and line of an instruction, as the image's symbols and line table tell them.
#pragma once

#include <cstdint>
#include <vector>

#include "check/finding.hpp"
#include "image/image.hpp"

namespace kerr::check {

/// Innermost first: the building block that was called there, if the image tells one, and what called it. Empty if
/// nothing is known of that address. A function's name ends in "()", a label's does not; files are as the image has
/// them. `address`: as the image was linked.
std::vector<Frame> frames_at(const image::Image& image, uint32_t address);

}  // namespace kerr::check
