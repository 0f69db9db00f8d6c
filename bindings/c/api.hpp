// What the functions of kerr.h are made of.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/c/device.hpp"
#include "bindings/c/failure.hpp"
#include "bindings/c/handles.hpp"
#include "bindings/c/kerr.h"

namespace kerr::c {

/// The category of what was thrown; `error` gets an object of it.
int failed(kerr_error* error, std::exception_ptr thrown) noexcept;

/// Runs a function's body.
template <class Body>
int answer(kerr_error* error, Body&& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    body();
    return KERR_OK;
  } catch (...) {
    return failed(error, std::current_exception());
  }
}

template <class T>
uint64_t number_of(T* handle) {
  return reinterpret_cast<uintptr_t>(handle);
}
template <class T>
T handle_of(uint64_t number) {
  return reinterpret_cast<T>(static_cast<uintptr_t>(number));
}

/// All throw Failure (InvalidHandle).
std::shared_ptr<Device> find(kerr_device handle);
std::shared_ptr<BufferObject> find(kerr_buffer handle);
std::shared_ptr<ProgramObject> find(kerr_program handle);
std::shared_ptr<TensorObject> find(kerr_tensor handle);

/// A handle of a matrix in the device's memory.
kerr_tensor tensor_handle(const std::shared_ptr<Device>& device, graph::DeviceMatrix matrix);

/// Throws Failure (InvalidArgument): "kerr_compile(): `text` is NULL".
void require(const void* pointer, std::string_view function, std::string_view name);

}  // namespace kerr::c
