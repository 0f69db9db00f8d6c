// The same and JSON, for the rooms that print it.
#pragma once

#include "cmake/precompiled/library.hpp"

#include <nlohmann/json.hpp>
