// kerr timing show: the numbers of the cost model.
#pragma once

namespace kerr::cli {

int timing_command(bool json);

}  // namespace kerr::cli
