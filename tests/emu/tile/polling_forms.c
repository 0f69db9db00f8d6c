// Loops that wait, as programs for the device write them, for polling_forms_test.cpp. Form k begins at 0x8000 + 0x400 * k. All end by
// setting RESULT to 1.
#include <stdint.h>

#define REG(address) (*(volatile uint32_t*)(address))
#define RESULT REG(0x1000)
#define FLAG REG(0x2000)
#define CLOCK_LOW REG(0xFFB121F0)
#define CLOCK_HIGH REG(0xFFB121F8)
#define STREAM8(index) REG(0xFFB48000 + 4 * (index))

// A stack in local memory, then the form.
#define FORM(k)                                                                                                     \
  __asm__(".pushsection .text.start" #k ",\"ax\"\n li sp, 0xFFB00F00\n j form" #k "\n .popsection");                \
  __attribute__((section(".text.form" #k))) void form##k(void)

static void done(void) {
  RESULT = 1;
  for (;;) {
  }
}

static uint64_t now(void) {
  const uint32_t low = CLOCK_LOW;
  return (uint64_t)CLOCK_HIGH << 32 | low;
}

__attribute__((noinline)) static int ready(volatile uint32_t* word, uint32_t wanted) { return *word == wanted; }

FORM(0) {  // a word of L1
  while (FLAG == 0) {
  }
  done();
}

FORM(1) {  // a byte, past the data cache
  do {
    __asm__ volatile("fence" ::: "memory");
  } while (*(volatile uint8_t*)0x2003 != 0x80);
  done();
}

FORM(2) {  // one of several, looked for in a loop
  for (int found = 0; !found;) {
    for (int i = 0; i < 4; ++i) {
      if (((volatile uint32_t*)0x2000)[i] != 0) found = 1;
    }
  }
  done();
}

FORM(3) {  // the difference of two stream registers: a circular buffer
  while ((uint16_t)(STREAM8(10) - STREAM8(9)) < 2) {
  }
  done();
}

FORM(4) {  // a NIU counter against what was sent
  uint32_t sent = 1;
  while (REG(0xFFB20208) != sent) {
  }
  done();
}

FORM(5) {  // whether a mailbox holds something
  while (!REG(0xFFEC1004)) {
  }
  done();
}

FORM(6) {  // through a function
  while (!ready((volatile uint32_t*)0x2000, 7)) {
  }
  done();
}

FORM(7) {  // a semaphore
  while (REG(0xFFE80024) == 0) {
  }
  done();
}

FORM(8) {  // a delay
  const uint32_t start = CLOCK_LOW;
  while (CLOCK_LOW - start < 20000) {
  }
  done();
}

FORM(9) {  // a deadline
  const uint32_t deadline = CLOCK_LOW + 20000;
  while ((int32_t)(CLOCK_LOW - deadline) < 0) {
  }
  done();
}

FORM(10) {  // a delay in 64 bits
  const uint64_t start = now();
  while (now() < start + 20000) {
  }
  done();
}

FORM(11) {  // a word with a time-out
  const uint32_t start = CLOCK_LOW;
  while (FLAG == 0) {
    if (CLOCK_LOW - start > 20000) break;
  }
  done();
}

FORM(12) {  // the hart's own cycle counter
  uint32_t start, cycle;
  __asm__ volatile("csrr %0, mcycle" : "=r"(start));
  do {
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycle));
  } while (cycle - start < 20000);
  done();
}

FORM(13) {  // a word that appears late, in 64 bits, through a function
  const uint64_t end = now() + 40000;
  while (now() < end && !ready((volatile uint32_t*)0x2000, 7)) {
    __asm__ volatile("fence" ::: "memory");
  }
  done();
}
