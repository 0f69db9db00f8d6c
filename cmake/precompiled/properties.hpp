// The same and RapidCheck, for test programs with properties.
#pragma once

#include "cmake/precompiled/tests.hpp"

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
