// tt-metal's name.
#pragma once
#include "device/noc/tensor_accessor.hpp"
