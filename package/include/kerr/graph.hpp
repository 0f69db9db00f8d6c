// Matrices and expressions over them: parsed, run on a chip, compared with float64; matrices from NumPy's files and to
// them.
#pragma once

#include "kerr/graph/check.hpp"
#include "kerr/graph/graph.hpp"
#include "kerr/graph/npy/array.hpp"
#include "kerr/graph/npy/show.hpp"
#include "kerr/graph/npy/tensor.hpp"
#include "kerr/graph/parse.hpp"
#include "kerr/graph/run.hpp"
#include "kerr/graph/transfer.hpp"
