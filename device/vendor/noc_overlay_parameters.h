// tt-metal's name.
#pragma once
#include "device/streams.hpp"
