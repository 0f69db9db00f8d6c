// Writes soc_descriptor.yaml: write_soc_descriptor FILE
#include <fstream>
#include <iostream>

#include "arch/soc_descriptor.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_soc_descriptor FILE\n";
    return 2;
  }
  std::ofstream file(argv[1]);
  file << kerr::arch::soc_descriptor();
  if (!file.flush()) {
    std::cerr << "write_soc_descriptor: cannot write '" << argv[1] << "'\n";
    return 1;
  }
  return 0;
}
