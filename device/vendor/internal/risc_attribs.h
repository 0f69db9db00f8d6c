// tt-metal's name.
#pragma once
#include "device/hart.hpp"
