// What kernels use of the standard header; there is no C++ library for the harts.
#pragma once
#include <cstring>
