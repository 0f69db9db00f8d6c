// What an observed device did: timelines, utilisation, critical path, heat map, trace files.
#pragma once

#include "kerr/report/timeline/critical_path.hpp"
#include "kerr/report/timeline/heat_map.hpp"
#include "kerr/report/timeline/timeline.hpp"
#include "kerr/report/timeline/trace_file.hpp"
#include "kerr/report/timeline/utilisation.hpp"
