// tt-metal's name.
#pragma once
#include "device/position.hpp"
