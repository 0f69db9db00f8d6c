#include "bindings/c/api.hpp"

#include <fmt/format.h>

namespace kerr::c {

namespace {

// The error that needs no memory: it says that there is none left.
const ErrorObject kNoMemory{
    KERR_OUT_OF_MEMORY, "the host has no memory left",
    R"({"category":"OutOfMemory","text":"the host has no memory left","report":"","memory":"host"})"};
const ErrorObject kStale{
    KERR_INVALID_HANDLE, "this is no error, or one that was freed",
    R"({"category":"InvalidHandle","text":"this is no error, or one that was freed","report":""})"};
const kerr_error kNoMemoryHandle = handle_of<kerr_error>(~uint64_t{0});

const ErrorObject& error_of(kerr_error handle) {
  if (handle == kNoMemoryHandle) return kNoMemory;
  const std::shared_ptr<void> found = Handles::all().find(Kind::Error, number_of(handle));
  return found ? *static_cast<const ErrorObject*>(found.get()) : kStale;  // lives as long as its handle
}

[[noreturn]] void no_handle(std::string_view what, const char* why) {
  throw Failure(KERR_INVALID_HANDLE, fmt::format("this is no {} that can be used: {}", what, why));
}

}  // namespace

int failed(kerr_error* error, std::exception_ptr thrown) noexcept {
  try {
    auto object = std::make_shared<ErrorObject>(describe(std::move(thrown)));
    const int category = object->category;
    if (error != nullptr) *error = handle_of<kerr_error>(Handles::all().put(Kind::Error, std::move(object)));
    return category;
  } catch (...) {
    if (error != nullptr) *error = kNoMemoryHandle;
    return KERR_OUT_OF_MEMORY;
  }
}

std::shared_ptr<Device> find(kerr_device handle) {
  auto found = std::static_pointer_cast<Device>(Handles::all().find(Kind::Device, number_of(handle)));
  if (!found) no_handle("device", "it was closed, or never opened");
  return found;
}

std::shared_ptr<BufferObject> find(kerr_buffer handle) {
  auto found = std::static_pointer_cast<BufferObject>(Handles::all().find(Kind::Buffer, number_of(handle)));
  if (!found) no_handle("buffer", "it was freed, its device was closed, or it was never allocated");
  return found;
}

std::shared_ptr<ProgramObject> find(kerr_program handle) {
  auto found = std::static_pointer_cast<ProgramObject>(Handles::all().find(Kind::Program, number_of(handle)));
  if (!found) no_handle("program", "it was freed, its device was closed, or it was never loaded");
  return found;
}

std::shared_ptr<TensorObject> find(kerr_tensor handle) {
  auto found = std::static_pointer_cast<TensorObject>(Handles::all().find(Kind::Tensor, number_of(handle)));
  if (!found) no_handle("tensor", "it was freed, its device was closed, or it was never made");
  return found;
}

void require(const void* pointer, std::string_view function, std::string_view name) {
  if (pointer == nullptr) invalid_argument(fmt::format("{}: `{}` is NULL", function, name));
}

}  // namespace kerr::c

using namespace kerr::c;

int kerr_error_category(kerr_error error) { return error_of(error).category; }
const char* kerr_error_text(kerr_error error) { return error_of(error).text.c_str(); }
const char* kerr_error_json(kerr_error error) { return error_of(error).json.c_str(); }

int kerr_error_free(kerr_error error) {
  if (error == nullptr || error == kNoMemoryHandle) return KERR_OK;
  return Handles::all().take(Kind::Error, number_of(error)) ? KERR_OK : KERR_INVALID_HANDLE;
}
