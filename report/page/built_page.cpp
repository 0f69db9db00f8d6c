#include "report/page/built_page.hpp"

#ifdef KERR_PAGE
asm(R"(
  .section .rodata
  .global kerr_page_begin
  .global kerr_page_end
kerr_page_begin:
  .incbin ")" KERR_PAGE R"("
kerr_page_end:
  .byte 0
  .previous
)");

extern "C" const char kerr_page_begin[], kerr_page_end[];

std::string_view kerr::report::built_page() {
  return {kerr_page_begin, static_cast<size_t>(kerr_page_end - kerr_page_begin)};
}
#else
std::string_view kerr::report::built_page() { return {}; }
#endif
