// A function of a library, which is inlined.
__attribute__((always_inline)) static inline unsigned polled(volatile unsigned* word) {
  unsigned turns = 0;
  for (;; ++turns) {
    if (*word != 0) return turns;
  }
}
