// kerr-bench --markdown: the tables of docs/performance.md.
#pragma once

#include <string>
#include <vector>

namespace kerr::bench {

/// Reads files that this program (--benchmark_out, --against ... --json) and bench/profile_matmul.sh have written, and prints
/// a table for each: the targets, the comparison, where a matmul's time goes. Exit status 2 if one cannot be read.
int print_tables(const std::vector<std::string>& files);

}  // namespace kerr::bench
