// What an integer core spends its time on, for a hart of the emulator: a linked list, a small matrix, a state machine
// and a CRC, in the proportions of the usual embedded benchmark. Freestanding and position independent; runs forever,
// with its data 8 KiB behind its first instruction and its stack in local memory.
#include <stddef.h>
#include <stdint.h>

namespace {

struct Node {
  Node* next;
  int16_t key;
  uint16_t data;
};

constexpr int kNodes = 40;
constexpr int kSide = 12;

struct State {
  Node nodes[kNodes];
  int16_t a[kSide][kSide], b[kSide][kSide];
  int32_t c[kSide][kSide];
  char text[64];
  uint32_t states[8];
  volatile uint32_t turns;
};
static_assert(offsetof(State, turns) == 1568);  // programs.hpp

__attribute__((noinline)) uint16_t crc16(uint16_t crc, uint32_t value) {
  for (int i = 0; i < 32; ++i) {
    const bool carry = ((value ^ crc) & 1) != 0;
    crc = static_cast<uint16_t>(crc >> 1);
    if (carry) crc ^= 0xA001;
    value >>= 1;
  }
  return crc;
}

__attribute__((noinline)) Node* find(Node* list, int16_t key) {
  while (list && list->key != key) list = list->next;
  return list;
}

__attribute__((noinline)) Node* reverse(Node* list) {
  Node* out = nullptr;
  while (list) {
    Node* next = list->next;
    list->next = out;
    out = list;
    list = next;
  }
  return out;
}

__attribute__((noinline)) Node* insertion_sort(Node* list) {
  Node* sorted = nullptr;
  while (list) {
    Node* next = list->next;
    Node** at = &sorted;
    while (*at && (*at)->key < list->key) at = &(*at)->next;
    list->next = *at;
    *at = list;
    list = next;
  }
  return sorted;
}

__attribute__((noinline)) int32_t multiply(State& s, int16_t scale) {
  int32_t sum = 0;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      int32_t dot = 0;
      for (int k = 0; k < kSide; ++k) dot += s.a[i][k] * s.b[k][j];
      s.c[i][j] = dot;
      sum += (dot >> 2 & 15) * (dot >> 5 & 127) + scale;
    }
  }
  return sum;
}

enum Kind { kStart, kInteger, kFloat, kExponent, kSign, kInvalid };

__attribute__((noinline)) Kind scan(const char*& p) {
  Kind kind = kStart;
  for (; *p; ++p) {
    const char c = *p;
    if (c == ',') {
      ++p;
      break;
    }
    const bool digit = c >= '0' && c <= '9';
    switch (kind) {
      case kStart: kind = digit ? kInteger : c == '+' || c == '-' ? kSign : c == '.' ? kFloat : kInvalid; break;
      case kSign: kind = digit ? kInteger : c == '.' ? kFloat : kInvalid; break;
      case kInteger: kind = digit ? kInteger : c == '.' ? kFloat : kInvalid; break;
      case kFloat: kind = digit ? kFloat : c == 'e' || c == 'E' ? kExponent : kInvalid; break;
      case kExponent: kind = digit || c == '-' || c == '+' ? kExponent : kInvalid; break;
      case kInvalid: break;
    }
  }
  return kind;
}

void fill(State& s) {
  uint32_t seed = 0x1234567;
  const auto random = [&seed] { return seed = seed * 1664525 + 1013904223, seed >> 16; };
  for (Node& n : s.nodes) n = {&n + 1, static_cast<int16_t>(random() & 0x3FF), static_cast<uint16_t>(random())};
  s.nodes[kNodes - 1].next = nullptr;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      s.a[i][j] = static_cast<int16_t>(random() & 0xFF);
      s.b[i][j] = static_cast<int16_t>(random() & 0xFF);
    }
  }
  const char sample[] = "5012,-874,+.7e-3,35.54400,.1234500,-110.700,+0.64400,T0.3e-1F,1";
  for (unsigned i = 0; i < sizeof(sample); ++i) s.text[i] = sample[i];
}

}  // namespace

extern "C" void run(State& s) {
  fill(s);
  Node* list = &s.nodes[0];
  uint16_t crc = 0;
  for (uint32_t turn = 0;; ++turn) {
    for (int i = 0; i < 8; ++i) {
      if (const Node* n = find(list, s.nodes[(turn + 7 * static_cast<uint32_t>(i)) % kNodes].key)) crc = crc16(crc, n->data);
      list = reverse(list);
    }
    s.nodes[turn % kNodes].key = static_cast<int16_t>(crc & 0x3FF);
    list = insertion_sort(list);
    crc = crc16(crc, static_cast<uint32_t>(multiply(s, static_cast<int16_t>(crc))));
    for (const char* p = s.text; *p;) ++s.states[scan(p)];
    crc = crc16(crc, s.states[kFloat]);
    s.turns = turn;
  }
}

asm(".section .text.start, \"ax\"\n"
    ".globl start\n"
    "start:\n"
    "  auipc a0, 2\n"
    "  li sp, 0xFFB00FF0\n"
    "  j run\n");
