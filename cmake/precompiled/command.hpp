// The same, JSON, and the parser of command lines, for the command.
#pragma once

#include "cmake/precompiled/json.hpp"

#include <CLI/CLI.hpp>
