// tt-metal's name.
#pragma once
#include "device/noc/address.hpp"
