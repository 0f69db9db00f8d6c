"""tinygrad's list of UOps as the text of a loop program (docs/reference/loop-programs.md).

Names are translated and nothing else: no analysis, no optimisation. Of UOps this file knows the names of operations, types and
address spaces, never their numbers, because those change with each release; it imports nothing of tinygrad.
"""

import math
import struct
from typing import Any, Iterable, NamedTuple


class UnsupportedUOp(Exception):
    """A UOp that loop programs have no word for."""


# The names of tinygrad's types in C, which no release has changed.
TYPES = {
    "bool": "bool", "signed char": "i8", "unsigned char": "u8", "short": "i16", "unsigned short": "u16",
    "int": "i32", "unsigned int": "u32", "long": "i64", "unsigned long": "u64",
    "half": "f16", "__bf16": "bf16", "float": "f32", "double": "f64",
}
SIZES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8,
         "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
FLOATS = {"f16", "bf16", "f32", "f64"}

# What the renderer claims to know, so that tinygrad does not take it apart. MULACC is not among them: it would round
# once.
CLAIMED = ("ADD", "SUB", "MUL", "NEG", "MAX", "CDIV", "CMOD", "IDIV", "MOD", "SHL", "SHR", "AND", "OR", "XOR", "CMPLT", "CMPNE",
           "CMPEQ", "WHERE", "FDIV", "SQRT", "TRUNC", "EXP2", "LOG2", "SIN", "THREEFRY")
VERBS = {name: name.lower() for name in CLAIMED} | {"IDIV": "cdiv", "MOD": "cmod"}
COMPARISONS = {"CMPLT", "CMPNE", "CMPEQ"}
RECIPROCALS = {"RECIP", "RECIPROCAL"}

AXES = {"WEAK": "weak", "LOOP": "loop", "GLOBAL": "global", "REDUCE": "reduce", "GROUP_REDUCE": "reduce", "UPCAST": "upcast",
        "UNROLL": "unroll", "LOCAL": "loop", "WARP": "loop", "THREAD": "loop", "DEVICE": "loop"}

PARAMETERS = {"DEFINE_GLOBAL", "PARAM"}
REGISTERS = {"DEFINE_REG", "DEFINE_LOCAL", "BUFFER"}
NO_CODE = {"NOOP", "GROUP", "BARRIER", "SINK"}


class _Address(NamedTuple):
    """An element of a buffer. `unit`: what `index` counts; None: the buffer itself, no element yet."""

    name: str
    unit: str
    index: str | None = None
    stored: str = ""  # the type that the buffer was declared with
    lanes: int = 1
    gate: str | None = None

    def text(self, accessed: str) -> str:
        unit = "" if self.unit == self.stored else f"~{self.unit}"
        seen_as = "" if accessed == self.unit else f"~{accessed}"
        return f"{self.name}{unit}[{self.index}]{seen_as}"


class _Value(NamedTuple):
    text: str
    type: str
    lanes: int = 1


def type_name(dtype: Any) -> str:
    """Of a scalar, of the elements of a vector, or of what a pointer points to."""
    dtype = getattr(dtype, "base", dtype)
    scalar = getattr(dtype, "scalar", None)
    name = (scalar() if scalar is not None else dtype).name
    if name not in TYPES:
        raise UnsupportedUOp(f"loop programs have no type {name!r}")
    return TYPES[name]


def literal(type: str, value: Any) -> str:
    """`value` may be of another kind than `type` and beyond its range."""
    if type == "bool":
        return f"bool:{bool(value)}"
    if type in FLOATS:
        try:
            value = float(value)
            if type != "f64" and math.isfinite(value):
                struct.pack("<f", value)
        except OverflowError:
            value = math.inf if value > 0 else -math.inf
        return f"{type}:{'nan' if math.isnan(value) else repr(value)}"
    if isinstance(value, float) and not math.isfinite(value):
        raise UnsupportedUOp(f"{value} is no number of type {type}")
    bits = 8 * SIZES[type]
    number = int(value) % (1 << bits)
    if type[0] == "i" and number >> (bits - 1):
        number -= 1 << bits
    return f"{type}:{number}"


def _name(x: Any) -> str:
    return x.name if hasattr(x, "name") else str(x).rsplit(".", 1)[-1]


def _space(u: Any) -> str:
    """The address space of a PARAM or BUFFER."""
    space = getattr(u.arg, "addrspace", None)
    if space is None:
        space = getattr(u.dtype, "addrspace", None)
    return _name(space) if space is not None else "GLOBAL"


def _elements(u: Any) -> int:
    size = getattr(u.dtype, "size", None)
    count = u.max_numel() if size is None else size
    if count < 0:
        raise UnsupportedUOp(f"{_name(u.op)} {_slot(u)} has no size: its pointer type needs one")
    return count


def _slot(u: Any) -> int:
    return getattr(u.arg, "slot", u.arg)


def _is_variable(u: Any) -> bool:
    return _name(u.op) == "DEFINE_VAR" or (_name(u.op) == "PARAM" and _space(u) == "ALU")


def _variable(u: Any) -> tuple[str, int, int]:
    if _name(u.op) == "DEFINE_VAR":
        return u.arg[0], int(u.arg[1]), int(u.arg[2])
    bits = 8 * SIZES[type_name(u.dtype)]
    low, high = u.arg.vmin_vmax or (-1 << (bits - 1), (1 << (bits - 1)) - 1)
    return u.arg.name or f"v{u.arg.slot}", int(low), int(high)


class _Translation:
    def __init__(self, uops: list[Any], attributes: str):
        self.lines: list[str] = []
        self.known: dict[Any, _Value | _Address] = {}
        self.gates: list[str] = []  # of the IFs that are open
        self.last_gate = ""  # of the `if` that ended last
        self.name = "test"
        self._declare(uops)
        for number, u in enumerate(uops):
            self.number = number
            try:
                self._translate(u, _name(u.op))
            except UnsupportedUOp as problem:
                raise UnsupportedUOp(f"kernel {self.name!r}, UOp {number} {_name(u.op)}: {problem}") from None
        self.lines.insert(0, f"kernel {self.name}{attributes}")

    # -- declarations: a launch passes buffers by ascending slot, and variables in tinygrad's order

    def _declare(self, uops: list[Any]) -> None:
        for u in uops:
            if _name(u.op) == "SINK" and u.arg is not None:
                self.name = u.arg.function_name
        parameters = [u for u in uops if _name(u.op) in PARAMETERS and not _is_variable(u)]
        for slot in sorted({_slot(u) for u in parameters}):
            same = [u for u in parameters if _slot(u) == slot]
            stored = type_name(same[0].dtype)
            size = max(_elements(u) * SIZES[type_name(u.dtype)] for u in same)
            self.lines.append(f"param p{slot} {stored} {-(-size // SIZES[stored])}")
            for u in same:
                self.known[u] = _Address(f"p{slot}", type_name(u.dtype), stored=stored)
        variables = [u for u in uops if _is_variable(u)]
        variables.sort(key=lambda u: u.arg if _name(u.op) == "DEFINE_VAR" else u.arg.slot)
        for u in variables:
            name, low, high = _variable(u)
            type = type_name(u.dtype)
            if type not in ("i32", "i64"):
                raise UnsupportedUOp(f"kernel {self.name!r}: variable {name} is {type}; loop programs have i32 and i64")
            value = f"%{uops.index(u)}"
            self.lines.append(f"var {value} {type} {name} {low} {high}")
            self.known[u] = _Value(value, type)
        for number, u in enumerate(u for u in uops if _name(u.op) in REGISTERS):
            type = type_name(u.dtype)
            self.lines.append(f"reg r{number} {type} {_elements(u)}")
            self.known[u] = _Address(f"r{number}", type, stored=type)

    # -- operands

    def _value(self, u: Any, type: str | None = None) -> _Value:
        """What `u` has computed. `type`: of a number whose own type is weak."""
        found = self.known.get(u)
        if isinstance(found, _Value):
            return found
        if found is not None:
            raise UnsupportedUOp(f"{_name(u.op)} is used as a number, but is an address")
        if _name(u.op) == "CONST":
            if u.dtype.name not in TYPES and type is None:
                type = "bool" if isinstance(u.arg, bool) else "f32" if isinstance(u.arg, float) else "i32"
            type = TYPES.get(u.dtype.name, type)
            return _Value(literal(type, u.arg), type)
        raise UnsupportedUOp(f"{_name(u.op)} is used before it is computed")

    def _values(self, sources: Iterable[Any]) -> list[_Value]:
        """Operands of one type; weak numbers take that of the others."""
        sources = list(sources)
        strong = next((self._value(u).type for u in sources if _name(u.op) != "CONST" or u.dtype.name in TYPES), None)
        return [self._value(u, strong) for u in sources]

    def _address(self, u: Any, what: str) -> _Address:
        found = self.known.get(u)
        if not isinstance(found, _Address) or found.index is None:
            raise UnsupportedUOp(f"{what} needs the address of an element, not {_name(u.op)}")
        return found

    def _is_operand(self, u: Any) -> bool:
        """Other sources of a load or store say only what comes before it."""
        return _name(u.op) == "CONST" or (isinstance(self.known.get(u), _Value) and _name(u.op) != "RANGE")

    # -- lines

    def _line(self, u: Any, type: str, verb: str, rest: str, lanes: int = 1, line_type: str | None = None) -> None:
        """`type`: of the result. `line_type`: the one that the line names, where it is another."""
        vector = f"x{lanes}" if lanes > 1 else ""
        self.lines.append(f"%{self.number} = {verb} {line_type or type}{vector} {rest}")
        self.known[u] = _Value(f"%{self.number}", type, lanes)

    def _translate(self, u: Any, op: str) -> None:
        if u in self.known or op in NO_CODE or op == "CONST" or (op == "STACK" and not u.src):
            return
        if op in ("AFTER", "PRECAST"):
            self._pass_on(u)
        elif op in ("INDEX", "SHRINK"):
            self._index(u, op)
        elif op == "LOAD":
            self._load(u)
        elif op == "STORE":
            self._store(u)
        elif op == "RANGE":
            self._loop(u)
        elif op in ("END", "ENDRANGE"):
            self._end(u, op)
        elif op == "IF":
            self.gates.append(self._value(u.src[0]).text)
        elif op == "ENDIF":
            self.gates.pop()
        elif op in ("CAST", "BITCAST"):
            self._cast(u, op)
        elif op in ("STACK", "VECTORIZE"):
            values = self._values(u.src)
            self._line(u, values[0].type, "pack", " ".join(v.text for v in values), len(values))
        elif op == "GEP":
            lanes = u.arg if isinstance(u.arg, tuple) else (u.arg,)
            if len(lanes) != 1:
                raise UnsupportedUOp(f"it takes {len(lanes)} lanes at once")
            self._lane(u, self._value(u.src[0]), lanes[0])
        elif op in VERBS:
            self._compute(u, op)
        elif op in RECIPROCALS:
            value = self._value(u.src[0])
            if value.lanes > 1:
                raise UnsupportedUOp("it is a vector")
            self._line(u, value.type, "fdiv", f"{value.type}:1.0 {value.text}")
        else:
            raise UnsupportedUOp("loop programs have no such operation")

    def _pass_on(self, u: Any) -> None:
        source = self.known.get(u.src[0])
        if source is not None:
            self.known[u] = source
        elif _name(u.src[0].op) == "CONST":
            self.known[u] = self._value(u.src[0])

    def _lane(self, u: Any, vector: _Value, lane: int) -> None:
        self._line(u, vector.type, "lane", f"{vector.text} i32:{lane}")

    def _index(self, u: Any, op: str) -> None:
        base = self.known.get(u.src[0])
        if isinstance(base, _Value):
            lane = u.src[1].src[0] if _name(u.src[1].op) == "CAST" else u.src[1]
            if op != "INDEX" or _name(lane.op) != "CONST":
                raise UnsupportedUOp("a lane of a vector is taken by a number only")
            self._lane(u, base, int(lane.arg))
            return
        if not isinstance(base, _Address) or base.index is not None:
            raise UnsupportedUOp(f"it needs a buffer, not {_name(u.src[0].op)}")
        if len(u.src) < 2:
            self.known[u] = base
            return
        index = self._value(u.src[1], "i32")
        gate, lanes = None, 1
        if op == "SHRINK":
            lanes = int((u.src[2].src[0] if _name(u.src[2].op) == "CAST" else u.src[2]).arg)
        elif len(u.src) == 3:
            gate = self._value(u.src[2]).text
        elif len(u.src) > 3:
            raise UnsupportedUOp("it has several indices")
        self.known[u] = base._replace(index=index.text, gate=gate, lanes=lanes)

    def _load(self, u: Any) -> None:
        address = self._address(u.src[0], "LOAD")
        type = type_name(u.dtype)
        lanes = max(address.lanes, getattr(u.dtype, "count", 1))
        text = address.text(type)
        # LOAD(address, default, gate) since v0.13, LOAD(address with a gate, default) before.
        operands = [s for s in u.src[1:] if self._is_operand(s)]
        if len(operands) > 1:
            text += f" {self._value(operands[1]).text} {self._value(operands[0], type).text}"
        elif operands and address.gate:
            text += f" {address.gate} {self._value(operands[0], type).text}"
        self._line(u, type, "load", text, lanes)

    def _store(self, u: Any) -> None:
        address = self._address(u.src[0], "STORE")
        value = self._value(u.src[1], address.unit)
        vector = f"x{value.lanes}" if value.lanes > 1 else ""
        line = f"store {value.type}{vector} {address.text(value.type)} {value.text}"
        gates = {*self.gates, address.gate}
        if len(u.src) > 2 and self._is_operand(u.src[2]):
            gates.add(self._value(u.src[2]).text)
        gates.discard(None)
        if len(gates) > 1:
            raise UnsupportedUOp("it has several conditions")
        # Releases differ in what else stands inside an IF; only stores need to.
        gate = gates.pop() if gates else ""
        if not gate:
            self.lines.append(line)
        elif self.lines[-1] == "endif" and self.last_gate == gate:
            self.lines.insert(-1, line)
        else:
            self.lines += [f"if {gate}", line, "endif"]
            self.last_gate = gate

    def _loop(self, u: Any) -> None:
        if u.dtype.name == "void":
            self.lines.append(f"do %{self.number}")
            self.known[u] = _Value(f"%{self.number}", "void")
            return
        type = type_name(u.dtype)
        if isinstance(u.arg, tuple):
            axis = AXES.get(_name(u.arg[-1]))
        else:
            axis = "reduce" if u.arg >= 1000 else "loop"  # v0.11
        if axis is None:
            raise UnsupportedUOp(f"loop programs have no axis {_name(u.arg[-1])}")
        self.lines.append(f"%{self.number} = loop {type} {self._value(u.src[0], type).text} {axis}")
        self.known[u] = _Value(f"%{self.number}", type)

    def _end(self, u: Any, op: str) -> None:
        loop = self._value(u.src[0 if op == "ENDRANGE" else 1])
        if loop.type == "void":
            self.lines.append(f"while {loop.text} {self._value(u.src[2]).text}")
        else:
            self.lines.append(f"end {loop.text}")

    def _cast(self, u: Any, op: str) -> None:
        source = u.src[0]
        if isinstance(address := self.known.get(source), _Address):
            if address.index is None:  # a buffer seen as one of another type
                self.known[u] = address._replace(unit=type_name(u.dtype))
            else:  # the pointer says what is accessed, as the load or store does
                self.known[u] = address
            return
        type = type_name(u.dtype)
        if op == "CAST" and _name(source.op) == "CONST" and source.dtype.name not in TYPES:
            self.known[u] = _Value(literal(type, source.arg), type)
            return
        value = self._value(source)
        if value.type == type:
            self.known[u] = value
        else:
            self._line(u, type, op.lower(), value.text, value.lanes)

    def _compute(self, u: Any, op: str) -> None:
        if op == "WHERE":
            gate, *choices = self._values(u.src[:1]) + self._values(u.src[1:])
            self._line(u, choices[0].type, "where", " ".join(v.text for v in (gate, *choices)), choices[0].lanes)
        elif op in ("SHL", "SHR"):
            value = self._value(u.src[0])
            self._line(u, value.type, VERBS[op], f"{value.text} {self._value(u.src[1], value.type).text}", value.lanes)
        else:
            values = self._values(u.src)
            result = "bool" if op in COMPARISONS else values[0].type
            lanes = max(v.lanes for v in values)
            self._line(u, result, VERBS[op], " ".join(v.text for v in values), lanes, values[0].type)


def loop_program(uops: list[Any], tf32: bool = False) -> str:
    """The text. `tf32`: contractions may be computed in TF32. Raises UnsupportedUOp."""
    return "\n".join(_Translation(uops, " tf32=1" if tf32 else "").lines) + "\n"
