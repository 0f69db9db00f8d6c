// tt-metal's name.
#pragma once
#include "device/vendor/dataflow_or_compute.hpp"
