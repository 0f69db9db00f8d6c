// tt-metal's name.
#pragma once
#include "device/bfloat16.hpp"
