#include "graph/parse.hpp"

int main() { return kerr::graph::parse("x", [](std::string_view) { return kerr::graph::Shape{32, 32}; }).nodes().empty(); }
