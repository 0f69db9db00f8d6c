// tt-metal's name.
#pragma once
#include "device/experimental.hpp"
