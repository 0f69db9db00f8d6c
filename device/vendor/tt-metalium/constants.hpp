// tt-metal's name.
#pragma once
#include "device/constants.hpp"
