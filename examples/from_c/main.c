// A loop program on buffers of an emulated P100A, then a matrix product.
#include <kerr.h>

#include <stdio.h>
#include <stdlib.h>

static const char* const kProgram =
    "kernel axpy\n"
    "param p0 f32 1000\n"
    "param p1 f32 1000\n"
    "%1 = loop i32 i32:1000 weak\n"
    "%2 = load f32 p1[%1]\n"
    "%3 = mul f32 %2 f32:2.0\n"
    "%4 = load f32 p0[%1]\n"
    "%5 = add f32 %4 %3\n"
    "store f32 p0[%1] %5\n"
    "end %1\n";

static void check(int category, kerr_error error) {
  if (category == KERR_OK) return;
  printf("%s: %s\n", kerr_category_name(category), kerr_error_text(error));
  exit(1);
}

int main(void) {
  kerr_error error;
  kerr_device device;
  check(kerr_device_open("{\"board\": \"p100a\"}", &device, &error), error);

  float x[1000], y[1000];
  for (int i = 0; i < 1000; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  kerr_buffer on_device[2];
  float* const arrays[2] = {y, x};
  for (int i = 0; i < 2; ++i) {
    check(kerr_buffer_alloc(device, sizeof x, &on_device[i], &error), error);
    check(kerr_buffer_write(on_device[i], 0, arrays[i], sizeof x, &error), error);
  }
  void* blob;  // may be kept: it is for this version of the library and this board
  size_t blob_bytes;
  check(kerr_compile("p100a", kProgram, NULL, &blob, &blob_bytes, &error), error);
  kerr_program program;
  check(kerr_program_load(device, blob, blob_bytes, &program, &error), error);
  const kerr_view views[2] = {{on_device[0], 0, sizeof y}, {on_device[1], 0, sizeof x}};
  check(kerr_launch(program, views, 2, NULL, 0, "{\"timeout_ms\": 10000}", NULL, &error), error);
  check(kerr_buffer_read(on_device[0], 0, y, sizeof y, &error), error);
  printf("1 + 2 * 999 = %g\n", (double)y[999]);

  const kerr_matrix a = {NULL, "float32", x, 10, 100}, b = {NULL, "float32", y, 100, 10};
  kerr_matrix product;
  char* report;
  check(kerr_matmul(device, &a, &b, "{\"format\": \"bf16\", \"check\": true}", &product, &report, &error), error);
  printf("product: %d x %d\n%s\n", (int)product.rows, (int)product.columns, report);
  kerr_free(product.data);
  kerr_free(report);
  kerr_free(blob);

  // What goes wrong is a value, and so is a handle that is used too late.
  int category = kerr_launch(program, views, 1, NULL, 0, NULL, NULL, &error);
  printf("%s: %s\n", kerr_category_name(category), kerr_error_text(error));
  kerr_error_free(error);
  check(kerr_device_close(device, &error), error);
  category = kerr_buffer_free(on_device[0], NULL);
  printf("%s\n", kerr_category_name(category));
  return y[999] == 1999 && category == KERR_INVALID_HANDLE ? 0 : 1;
}
