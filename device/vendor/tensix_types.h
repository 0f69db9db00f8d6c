// tt-metal's name.
#pragma once
#include "device/formats.hpp"
