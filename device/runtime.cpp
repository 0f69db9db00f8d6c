// What the compiler calls without being asked, and a kernel links because there is no C library.
#include <stddef.h>

extern "C" {

void* memcpy(void* to, const void* from, size_t bytes) {
  auto* t = static_cast<unsigned char*>(to);
  auto* f = static_cast<const unsigned char*>(from);
  while (bytes-- != 0) *t++ = *f++;
  return to;
}

void* memmove(void* to, const void* from, size_t bytes) {
  auto* t = static_cast<unsigned char*>(to);
  auto* f = static_cast<const unsigned char*>(from);
  if (t < f) return memcpy(to, from, bytes);
  while (bytes-- != 0) t[bytes] = f[bytes];
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  auto* t = static_cast<unsigned char*>(to);
  while (bytes-- != 0) *t++ = static_cast<unsigned char>(value);
  return to;
}

int memcmp(const void* a, const void* b, size_t bytes) {
  auto* x = static_cast<const unsigned char*>(a);
  auto* y = static_cast<const unsigned char*>(b);
  for (; bytes-- != 0; ++x, ++y) {
    if (*x != *y) return *x - *y;
  }
  return 0;
}

// A call of a pure virtual function: nothing to go on with.
void __cxa_pure_virtual() {
  for (;;) asm volatile("ebreak");
}

}  // extern "C"
