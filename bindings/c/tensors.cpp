// Matrices that stay on the device.
#include <fmt/format.h>

#include <utility>

#include "bindings/c/api.hpp"
#include "bindings/c/matrices.hpp"
#include "bindings/c/options.hpp"

namespace kerr::c {

kerr_tensor tensor_handle(const std::shared_ptr<Device>& device, graph::DeviceMatrix matrix) {
  auto made = std::make_shared<TensorObject>(TensorObject{device, std::move(matrix)});
  return handle_of<kerr_tensor>(Handles::all().put(Kind::Tensor, std::move(made), device.get()));
}

}  // namespace kerr::c

using namespace kerr::c;

int kerr_tensor_make(kerr_device device, const kerr_matrix* matrix, const char* options, kerr_tensor* tensor,
                     kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<Device> found = find(device);
    require(matrix, "kerr_tensor_make()", "matrix");
    require(tensor, "kerr_tensor_make()", "tensor");
    Options given(options, "kerr_tensor_make()");
    const kerr::graph::Format format = float_format(given);
    given.end();
    const kerr::graph::Tensor numbers = tensor_of(*matrix, format, "the matrix");
    found->call("tensor", [&] {
      kerr::host::Buffer tiles = found->with_room([&] { return kerr::graph::upload(found->chip(), numbers); });
      *tensor = tensor_handle(found, {numbers.rows, numbers.columns, numbers.format, std::move(tiles), 0.0});
    });
  });
}

int kerr_tensor_free(kerr_tensor tensor, kerr_error* error) {
  return answer(error, [&] {
    find(tensor)->device->require_own_process();
    const std::shared_ptr<void> taken = Handles::all().take(Kind::Tensor, number_of(tensor));
    if (!taken) throw Failure(KERR_INVALID_HANDLE, "another thread has freed this tensor");
  });
}

int kerr_tensor_read(kerr_tensor tensor, const char* type, void* data, uint64_t bytes, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<TensorObject> found = find(tensor);
    require(data, "kerr_tensor_read()", "data");
    const kerr::graph::DeviceMatrix& m = found->matrix;
    kerr::graph::Tensor numbers{m.rows, m.columns, m.format, {}};
    require_numbers(numbers, type, bytes);
    found->device->call("read",
                        [&] { numbers = kerr::graph::download(found->device->chip(), m.buffer, std::move(numbers)); });
    write_numbers(numbers, type, data);
  });
}

int kerr_tensor_describe(kerr_tensor tensor, kerr_tensor_info* info, kerr_error* error) {
  return answer(error, [&] {
    const std::shared_ptr<TensorObject> found = find(tensor);
    require(info, "kerr_tensor_describe()", "info");
    const kerr::graph::DeviceMatrix& m = found->matrix;
    *info = {m.rows, m.columns, kerr::kernels::info(m.format).name.data(), place_of(m.buffer)};
  });
}
