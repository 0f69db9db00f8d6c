// Matrices and expressions over them: parsed, run on a chip, compared with float64.
#pragma once

#include "kerr/graph/check.hpp"
#include "kerr/graph/graph.hpp"
#include "kerr/graph/parse.hpp"
#include "kerr/graph/run.hpp"
