// Names of C++ as people write them.
#pragma once

#include <string>

namespace kerr::image {

/// "device::read_packet" of "_ZN6device11read_packetEjyjj": without the types of its parameters. Names of C are what
/// they are.
std::string readable(const char* name);

}  // namespace kerr::image
