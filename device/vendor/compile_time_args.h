// tt-metal's name.
#pragma once
#include "device/arguments.hpp"
