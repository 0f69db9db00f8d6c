#pragma once

#include "image/image.hpp"

namespace kerr::image {

/// A linked program as one piece of code that can be put anywhere in L1, while its variables stay at their addresses in
/// local RAM: initial values of .data are behind the code, where the start-up code of device/ finds them; loads and
/// stores that the compiler made relative to the pc are absolute; words that hold addresses of the code itself are in
/// `relocations`, and moved_by() rewrites them. An image that is one segment and has no relocations comes back as it
/// is. Throws Error naming kernel, symbol and section for what cannot work:
/// - variables without start-up code that prepares them, or several segments of code;
/// - segments that overlap, or that are larger than L1;
/// - relocations outside the image, half of an auipc pair, a global offset table, calls of what is not there.
Image kernel_code(Image image);

}  // namespace kerr::image
