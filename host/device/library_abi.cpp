#include "host/device/library_abi.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "host/error.hpp"

namespace kerr::host {

namespace {

template <class Function>
void bind(void* handle, Function& function, const char* symbol, const std::string& path) {
  function = reinterpret_cast<Function>(dlsym(handle, symbol));
  if (function == nullptr) host_error(fmt::format("'{}' does not export {}: not a libttsim library", path, symbol));
}

}  // namespace

LibraryAbi::LibraryAbi(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) host_error(fmt::format("cannot load '{}': {}", path, dlerror()));
  try {
    bind(handle_, init, "libttsim_init", path);
    bind(handle_, exit, "libttsim_exit", path);
    bind(handle_, set_dma, "libttsim_set_pci_dma_mem_callbacks", path);
    bind(handle_, config_read, "libttsim_pci_config_rd32", path);
    bind(handle_, config_write, "libttsim_pci_config_wr32", path);
    bind(handle_, read, "libttsim_pci_mem_rd_bytes", path);
    bind(handle_, write, "libttsim_pci_mem_wr_bytes", path);
    bind(handle_, clock, "libttsim_clock", path);
  } catch (...) {
    dlclose(handle_);
    throw;
  }
}

LibraryAbi::~LibraryAbi() { dlclose(handle_); }

}  // namespace kerr::host
