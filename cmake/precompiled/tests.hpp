// The same and GoogleTest, for tests.
#pragma once

#include "cmake/precompiled/library.hpp"

#include <fstream>
#include <iterator>
#include <ostream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
