// Bytes for memory from files, and files from the bytes of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/run/elements.hpp"

namespace kerr::jobs {

/// What a file holds for the device: the numbers of a .npy file (known by its first bytes) in row-major order, each
/// converted to `element`, or as they are if none is given; of any other file its bytes. `name`: for messages. Throws
/// std::invalid_argument: also for a number that is no number of an integer element.
std::vector<std::byte> data_of(std::string_view content, const std::string& name, std::optional<Element> element);

/// A .npy file of shape (rows, elements of each), or of shape (elements) if there is one row: FP16 and BF16 as float32,
/// which holds them exactly, all else as it is. `bytes`: whole rows of whole elements.
std::string npy_of(std::span<const std::byte> bytes, Element element, uint64_t rows);

}  // namespace kerr::jobs
