#pragma once

// KERR_EACH(M, (a, b), (c, d)) expands to M(a, b) M(c, d): what turns the operand list of a table row into
// declarations. Each step leaves the next one for another scan of its text; there are 16 and more scans.

#define KERR_EACH(M, ...) __VA_OPT__(KERR_SCAN_16(KERR_EACH_STEP(M, __VA_ARGS__)))
#define KERR_EACH_STEP(M, a, ...) M a __VA_OPT__(KERR_EACH_LATER KERR_EACH_PARENTHESES(M, __VA_ARGS__))
#define KERR_EACH_LATER() KERR_EACH_STEP
#define KERR_EACH_PARENTHESES ()
#define KERR_SCAN_16(...) KERR_SCAN_4(KERR_SCAN_4(KERR_SCAN_4(KERR_SCAN_4(__VA_ARGS__))))
#define KERR_SCAN_4(...) KERR_SCAN(KERR_SCAN(KERR_SCAN(KERR_SCAN(__VA_ARGS__))))
#define KERR_SCAN(...) __VA_ARGS__
