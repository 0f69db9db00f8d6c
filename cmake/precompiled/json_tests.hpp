// The same and nlohmann's JSON, for tests of what is printed as JSON.
#pragma once

#include "cmake/precompiled/tests.hpp"

#include <nlohmann/json.hpp>
