#!/usr/bin/env python3
"""Makes floats.txt: what add, sub, mul, fdiv, sqrt, trunc and casts give for numbers at the edges of their
types, by exact rational arithmetic and the rules of docs/reference/loop-programs.md.  ./make.py > floats.txt"""
from fractions import Fraction
from math import isqrt

# bits of exponent, bits of fraction
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
INTEGERS = {"bool": (False, 1), "i8": (True, 8), "u8": (False, 8), "i16": (True, 16), "u16": (False, 16),
            "i32": (True, 32), "u32": (False, 32), "i64": (True, 64), "u64": (False, 64)}
INF, NAN = "inf", "nan"

def size(t): return 1 + sum(FLOATS[t])
def sign_bit(t): return 1 << (size(t) - 1)
def infinity(t): return ((1 << FLOATS[t][0]) - 1) << FLOATS[t][1]
def nan(t): return infinity(t) | 1 << (FLOATS[t][1] - 1)

def unpack(t, bits):
  """(negative, magnitude): a Fraction, INF or NAN."""
  e_bits, f_bits = FLOATS[t]
  negative = bool(bits & sign_bit(t))
  e, f = bits >> f_bits & (1 << e_bits) - 1, bits & (1 << f_bits) - 1
  bias = (1 << (e_bits - 1)) - 1
  if e == (1 << e_bits) - 1: return negative, NAN if f else INF
  if e == 0: return negative, Fraction(f) * Fraction(2) ** (1 - bias - f_bits)
  return negative, (f + (1 << f_bits)) * Fraction(2) ** (e - bias - f_bits)

def is_denormal(t, bits): return bits & infinity(t) == 0

def flushed(t, bits):
  return bits & sign_bit(t) if t in ("f32", "bf16") and is_denormal(t, bits) else bits

def half_even(x):
  low = x.numerator // x.denominator
  rest = x - low
  return low + (1 if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2) else 0)

def pack(t, negative, magnitude):
  """The nearest, of two the even one, with gradual underflow."""
  e_bits, f_bits = FLOATS[t]
  bias = (1 << (e_bits - 1)) - 1
  sign = sign_bit(t) if negative else 0
  if magnitude == NAN: return nan(t)
  if magnitude == INF: return sign | infinity(t)
  if magnitude == 0: return sign
  e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
  if Fraction(2) ** e > magnitude: e -= 1
  e = max(e, 1 - bias)
  f = half_even(magnitude / Fraction(2) ** (e - f_bits))
  if f == 2 << f_bits: e, f = e + 1, f >> 1
  if e > bias: return sign | infinity(t)
  return sign | (f if f < 1 << f_bits else (e + bias << f_bits) + f - (1 << f_bits))

def computed(t): return "f64" if t == "f64" else "f32"

def narrow(t, bits):
  """From the type that is computed in to the type."""
  if t == computed(t): return bits
  return flushed(t, pack(t, *unpack("f32", flushed("f32", bits) if t == "bf16" else bits)))

def widen(t, bits):
  if t == computed(t): return bits
  return pack("f32", *unpack(t, bits))

def signed(x): return -x[1] if x[0] else x[1]

def arithmetic(verb, t, a, b):
  w = computed(t)
  a, b = unpack(w, flushed(w, widen(t, a))), unpack(w, flushed(w, widen(t, b)))
  negative, magnitude = exact(verb, a, b, FLOATS[w][1])
  return narrow(t, flushed(w, pack(w, negative, magnitude)))

def exact(verb, a, b, f_bits):
  if verb == "sub": verb, b = "add", (not b[0], b[1])
  if verb in ("sqrt", "trunc"): b = (False, Fraction(1))
  if NAN in (a[1], b[1]): return False, NAN
  if verb == "add":
    if a[1] == INF and b[1] == INF: return (a[0], INF) if a[0] == b[0] else (False, NAN)
    if INF in (a[1], b[1]): return (a if a[1] == INF else b)[0], INF
    s = signed(a) + signed(b)
    return (s < 0 if s else a[0] and b[0]), abs(s)
  if verb == "mul":
    negative = a[0] != b[0]
    if INF in (a[1], b[1]): return negative, NAN if 0 in (a[1], b[1]) else INF
    return negative, a[1] * b[1]
  if verb == "fdiv":
    negative = a[0] != b[0]
    if a[1] == INF: return negative, NAN if b[1] == INF else INF
    if b[1] == INF: return negative, Fraction(0)
    if b[1] == 0: return negative, NAN if a[1] == 0 else INF
    return negative, a[1] / b[1]
  if verb == "sqrt":
    if a[0] and a[1] != 0: return False, NAN
    if a[1] in (INF, 0): return a
    # Enough bits, the last of which says whether some are missing.
    shift = 4 * (f_bits + 600)
    n = (a[1].numerator << shift) // a[1].denominator
    root = isqrt(n)
    inexact = root * root != n or (a[1].numerator << shift) % a[1].denominator
    return False, Fraction(2 * root + (1 if inexact else 0), 2) / (1 << shift // 2)
  if verb == "trunc":
    return a if a[1] == INF else (a[0], Fraction(a[1].numerator // a[1].denominator))
  raise ValueError(verb)

def cast(to, of, bits):
  if to == of: return bits
  if of in FLOATS and to in FLOATS:
    if of == "bf16" and to == "f32": return bits << 16
    w = pack("f32", *unpack(of, bits))
    if of == "f64": w = flushed("f32", w)
    if to == "f64": return pack("f64", *unpack("f32", w))
    return w if to == "f32" else narrow(to, w)
  if of in FLOATS:
    negative, magnitude = unpack(of, bits)
    if to == "bool": return int(magnitude != 0)
    is_signed, width = INTEGERS["i32" if INTEGERS[to][1] < 32 else to]
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
    if magnitude == NAN: value = high
    elif magnitude == INF: value = low if negative else high
    else:
      value = magnitude.numerator // magnitude.denominator
      value = min(max(-value if negative else value, low), high)
    return value & (1 << INTEGERS[to][1]) - 1
  is_signed, width = INTEGERS[of]
  value = bits - (1 << width) if is_signed and bits >> (width - 1) else bits
  if to in FLOATS:
    w = pack(computed(to), value < 0, Fraction(abs(value)))
    return narrow(to, w)
  if to == "bool": return int(value != 0)
  return value & (1 << INTEGERS[to][1]) - 1

def floats_at_edges(t):
  e_bits, f_bits = FLOATS[t]
  bias = (1 << (e_bits - 1)) - 1
  one, tiny = bias << f_bits, 1 << f_bits
  magnitudes = [0, 1, tiny - 1, tiny, tiny + 1, one - 1, one, one + 1, one + (1 << f_bits - 1), one + tiny + (3 << f_bits - 2),
                (f_bits + bias << f_bits) + 1, (bias // 2 << f_bits) + 3, infinity(t) - 1, infinity(t), nan(t), infinity(t) + 1]
  return magnitudes + [m | sign_bit(t) for m in magnitudes[::2]]

def more_floats(t):
  """For casts: round the limits of integers, and halves."""
  out = floats_at_edges(t)
  for n in (0, 1, 2, 3, 10, 127, 128, 255, 256, 2049, 32768, 65504, 65520, 65536):
    out += [pack(t, s, Fraction(2 * n + 1, 2)) for s in (False, True)]
  for n in (31, 32, 63, 64):
    out += [(pack(t, s, Fraction(1 << n)) + d) & (2 * sign_bit(t) - 1) for s in (False, True) for d in (-1, 0, 1)]
  if t == "f64":
    out += [pack(t, s, Fraction(2) ** e * f) for s in (False, True) for e in (-150, -149, -127, -126, -25, -24, -14, 15, 127)
            for f in (Fraction(1), 2 - Fraction(1, 1 << 24), 1 + Fraction(1, 1 << 11), 2 - Fraction(1, 1 << 52))]
  if t == "f32":
    out += [pack(t, s, Fraction(2) ** e * f) for s in (False, True) for e in (-25, -24, -15, -14, 15, 100, 127)
            for f in (Fraction(1), 1 + Fraction(1, 1 << 8), 1 + Fraction(3, 1 << 8), 1 + Fraction(1, 1 << 11), 2 - Fraction(1, 1 << 23))]
  return sorted(set(out))

def integers_at_edges(t):
  width = INTEGERS[t][1]
  if width == 1: return [0, 1]
  out = {0, 1, 2, 3, 7}
  for n in (8, 11, 16, 24, 25, 31, 32, 53, 54, 63, 64):
    for d in (-1, 0, 1, 1 << max(0, n - 25), 3 << max(0, n - 25), (1 << max(0, n - 25)) + 1): out |= {(1 << n) + d, -(1 << n) + d}
  return sorted({v & (1 << width) - 1 for v in out if -(1 << width - 1) <= v < 1 << width})

def show(head, t, numbers):
  digits = 1 if t == "bool" else (size(t) if t in FLOATS else INTEGERS[t][1]) // 4
  print(head)
  line = ""
  for n in numbers:
    word = f"{n:0{digits}x}"
    if len(line) + 1 + len(word) > 118:
      print(line)
      line = ""
    line += " " + word
  print(line)

print("# Made by make.py. A head, and below it numbers in hexadecimal. Of two operands the second one changes quickest.")
for t in FLOATS:
  edges = floats_at_edges(t)
  show(f"numbers {t}", t, edges)
  for verb in ("sqrt", "trunc"): show(f"unary {verb} {t}", t, [arithmetic(verb, t, a, 0) for a in edges])
  for verb in ("add", "sub", "mul", "fdiv"): show(f"binary {verb} {t}", t, [arithmetic(verb, t, a, b) for a in edges for b in edges])
for of in (*FLOATS, *INTEGERS):
  edges = more_floats(of) if of in FLOATS else integers_at_edges(of)
  show(f"numbers {of}", of, edges)
  for to in (*FLOATS, *INTEGERS):
    if of in FLOATS or to in FLOATS: show(f"cast {to} {of}", to, [cast(to, of, a) for a in edges])
