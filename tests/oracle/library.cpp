#include "tests/oracle/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace kerr::oracle {
namespace {

template <class Function>
void resolve(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) throw std::runtime_error(std::string("the library does not export ") + name);
}

}  // namespace

Library::Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(std::string("cannot load the library: ") + dlerror());
  resolve(handle_, "libttsim_init", init);
  resolve(handle_, "libttsim_exit", exit);
  resolve(handle_, "libttsim_pci_config_rd32", config_rd32);
  resolve(handle_, "libttsim_pci_mem_rd_bytes", mem_rd_bytes);
  resolve(handle_, "libttsim_pci_mem_wr_bytes", mem_wr_bytes);
  resolve(handle_, "libttsim_clock", clock);
}

Library::~Library() { dlclose(handle_); }

std::string library_from_environment() {
  const char* path = std::getenv("KERR_ORACLE");
  return path ? path : "";
}

}  // namespace kerr::oracle
