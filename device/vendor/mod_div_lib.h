// tt-metal's name.
#pragma once
#include "device/division.hpp"
