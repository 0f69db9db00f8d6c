#include "check/waiting_load.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "isa/asm/assembler.hpp"

namespace kerr::check {
namespace {

}  // namespace
}  // namespace kerr::check
