"""The tracks of one tile as an SVG text, from the events of a trace file."""

from html import escape

from kerr._errors import InvalidArgument

_WIDTH, _LEFT, _ROW = 900, 110, 16
_COLOURS = {"works": "#4878a8", "busy": "#4878a8", "waits": "#d8c8a8"}


def svg(events: list[dict], tile: str | None) -> str:
    """`tile`: "(1,2)"; None: the one whose units worked longest, or if none did whose harts did."""
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name" and e["args"]["name"].startswith("tile")}
    slices = [e for e in events if e["ph"] == "X" and e["pid"] in names]
    pid = _busiest(slices) if tile is None else next((p for p, name in names.items() if name == f"tile {tile}"), None)
    if pid is None:
        raise InvalidArgument(f"no tile {tile or ''} did anything; there are {', '.join(sorted(names.values())[:8]) or 'none'}")
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["pid"] == pid and e["name"] == "thread_name"}
    of_tile = [e for e in slices if e["pid"] == pid]
    end = max((e["ts"] + e["dur"] for e in of_tile), default=1.0) or 1.0
    rows = []
    for number, (tid, name) in enumerate(sorted(tracks.items())):
        y = 20 + number * _ROW
        rows.append(f'<text x="{_LEFT - 6}" y="{y + 11}" text-anchor="end">{escape(name)}</text>')
        rows += _boxes([e for e in of_tile if e["tid"] == tid], y, (_WIDTH - _LEFT) / end)
    height = 26 + len(tracks) * _ROW
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="sans-serif" font-size="11">'
            f'<text x="{_LEFT}" y="12">{escape(names[pid])}: {end:.2f} us; blue works, sand waits</text>{"".join(rows)}</svg>')


def _busiest(slices: list[dict]) -> int | None:
    busy: dict[int, tuple[float, float]] = {}
    for e in slices:
        units, harts = busy.get(e["pid"], (0.0, 0.0))
        busy[e["pid"]] = (units + e["dur"] * (e["name"] == "busy"), harts + e["dur"] * (e["name"] == "works"))
    return max(busy, key=lambda pid: busy[pid]) if busy else None


def _boxes(slices: list[dict], y: int, scale: float) -> list[str]:
    """One for each stretch of one kind; what is closer than a pixel becomes one, so that a long run makes no huge picture."""
    boxes: list[list] = []  # x, end, kind, title
    for e in sorted(slices, key=lambda e: e["ts"]):
        x, end, kind = e["ts"] * scale, (e["ts"] + e["dur"]) * scale, e["name"].split(":")[0]
        if boxes and boxes[-1][2] == kind and x - boxes[-1][1] < 1:
            boxes[-1][1] = end
        elif boxes and end - boxes[-1][1] < 1:
            continue
        else:
            boxes.append([x, end, kind, e["name"]])
    return [f'<rect x="{_LEFT + x:.1f}" y="{y}" width="{max(end - x, 0.5):.1f}" height="{_ROW - 3}" fill="{_COLOURS.get(kind, "#888")}">'
            f'<title>{escape(title)}</title></rect>' for x, end, kind, title in boxes]
