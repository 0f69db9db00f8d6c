"""What tinygrad's JIT launches again and again, as one call: the buffers and programs of a batch are looked up once.

It saves tinygrad's Python between two launches; the launches themselves are the same, one after another. Imports tinygrad.
"""

from typing import Any

from tinygrad.engine.jit import GraphRunner
from tinygrad.engine.realize import get_call_arg_uops
from tinygrad.uop import Ops


class KerrGraph(GraphRunner):
    """A batch of launches on one device. An argument is a buffer that stays or an input of the JIT's function."""

    def __init__(self, linear: Any, input_uops: tuple = ()):
        super().__init__(linear, input_uops)
        self.launches = []
        calls = zip(self.calls, self.runtimes, self.uop_replace, strict=True)
        for (_, program, buffers, numbers), runtime, inputs in calls:
            slot_of = dict(inputs)
            arguments = [None if i in slot_of else buffers[i].get_buf(buffers[i].device) for i in program.arg.globals]
            from_inputs = [(at, slot_of[i]) for at, i in enumerate(program.arg.globals) if i in slot_of]
            values = program.arg.vals if program.arg.vars else None
            self.launches.append((runtime, arguments, from_inputs, values, numbers))

    def __call__(self, input_uops: tuple, var_vals: dict[str, int], wait: bool = False) -> float | None:
        given: dict[int, tuple] = {}
        times = []
        for runtime, arguments, from_inputs, values, numbers in self.launches:
            bound = list(arguments)
            for at, slot in from_inputs:
                if slot not in given:
                    buffer = input_uops[slot].buffer.ensure_allocated()
                    given[slot] = buffer.get_buf(buffer.device)
                bound[at] = given[slot]
            times.append(runtime(*bound, vals=values({**var_vals, **numbers}) if values else (), wait=wait))
        return sum(times) if wait and None not in times else None

    @staticmethod
    def supports_uop(batch_devs: list, new_call: Any) -> bool:
        # A view of an input would have to be made anew in each call.
        views = (u for u in get_call_arg_uops(new_call) if u.op is not Ops.PARAM)
        if any(x.op is Ops.PARAM for u in views for x in u.toposort()):
            return False
        return GraphRunner.supports_uop(batch_devs, new_call)
