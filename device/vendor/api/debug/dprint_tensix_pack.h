// tt-metal's name.
#pragma once
#include "device/debug.hpp"
