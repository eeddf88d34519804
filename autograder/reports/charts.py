"""Pictures of a class as SVG elements: numbers and names go in, escaped markup comes out; the style sheet gives the colours."""

import math

from markupsafe import Markup

from autograder.reports.text import counted, cut, points, seconds

WIDE, HIGH = 480, 216  # of a chart's own units
LEFT, RIGHT, TOP, BOTTOM = 40, 14, 18, 40  # margins


def histogram(counts, max_score):
    """Bars of a histogram's counts; the last bar, full marks, stands apart."""
    step = (WIDE - LEFT - RIGHT) / (len(counts) + 0.4)
    top = _nice(max(counts, default=0))
    parts = [_grid(top)]
    for n, count in enumerate(counts):
        full = n == len(counts) - 1
        x = LEFT + (n + 0.4 * full) * step
        y = _height(count, top)
        low, high = points(max_score * n / (len(counts) - 1)), points(max_score * (n + 1) / (len(counts) - 1))
        title = f"{count} with {low} points" if full else f"{count} from {low} to less than {high} points"
        parts.append(Markup('<g><title>{}</title><rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2"/>').format(
            title, "bar full" if full else "bar", x + 2, y, step - 4, HIGH - BOTTOM - y))
        if count:
            parts.append(Markup('<text class="count" x="{:.1f}" y="{:.1f}">{}</text>').format(x + step / 2, y - 5, count))
        parts.append(Markup("</g>"))
        parts.append(_below(LEFT + n * step, low))
    parts.append(_below(WIDE - RIGHT - step / 2, "full"))
    parts.append(_axis("points"))
    described = ", ".join(f"{count} from {points(max_score * n / (len(counts) - 1))}" for n, count in enumerate(counts) if count)
    return _svg("Histogram of the scores: " + (described or "no submissions"), parts)


def scatter(results):
    """A point for each result: time to the right on a logarithmic axis, memory upwards. A triangle is one that ran into the time limit."""
    if not results:
        return _svg("No submission was run", [])
    times = [max(result.duration_s, 0.01) for result in results]
    memory = [result.peak_memory_bytes / (1 << 20) for result in results]
    low, high = math.log10(min(times)) - 0.05, math.log10(max(times)) + 0.05
    scale = _Scale(memory)
    parts = [_line(value, scale.height(value)) for value in scale.ticks]
    parts += [_below(_along(time, low, high), f"{time:g}") for time in _time_ticks(low, high)]
    for result, time, mebibytes in zip(results, times, memory):
        x, y = _along(time, low, high), scale.height(mebibytes)
        late = any(test.status == "timeout" for test in result.tests)
        shape = Markup('<path class="late" d="M{:.1f} {:.1f}l4.5 8h-9z"/>').format(x, y - 5) if late else \
            Markup('<circle cx="{:.1f}" cy="{:.1f}" r="3.5"/>').format(x, y)
        title = f"{cut(result.name, 48)}: {seconds(result.duration_s)}, {mebibytes:.0f} MiB"
        parts.append(Markup("<g><title>{}</title>{}</g>").format(title, shape))
    parts.append(_axis("seconds"))
    parts.append(Markup('<text class="tick start" x="2" y="8">MiB</text>'))
    return _svg(f"Time and memory of {counted(len(results), 'submission', 'submissions')}, "
                f"from {seconds(min(times))} to {seconds(max(times))} and from {min(memory):.0f} to {max(memory):.0f} MiB", parts)


class _Scale:
    """A vertical axis for values that need not begin at 0: round ticks around them."""

    def __init__(self, values):
        spread = max(max(values) - min(values), 0.1 * max(values), 1)
        step = _nice(spread / 3)
        self.low = max(0, math.floor((min(values) - 0.1 * spread) / step) * step)
        count = math.ceil((max(values) + 0.05 * spread - self.low) / step)
        self.ticks = [self.low + n * step for n in range(count + 1)]

    def height(self, value):
        return _height(value - self.low, self.ticks[-1] - self.low)


def _time_ticks(low, high):
    """Round times between two powers of ten (given as exponents): 1, 2, 5, 10, … or 1, 10, … where that would be too many."""
    factors = (1, 2, 5) if high - low < 2.5 else (1,)
    times = (factor * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for factor in factors)
    return [time for time in times if low <= math.log10(time) <= high]


def _svg(label, parts):
    return Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(WIDE, HIGH, label, Markup("").join(parts))


def _grid(top):
    """Horizontal lines with their numbers, from 0 to top."""
    count = next(n for n in (4, 5, 3, 2, 1) if top % n == 0)
    return Markup("").join(_line(top * n / count, _height(top * n / count, top)) for n in range(count + 1))


def _line(value, y):
    return Markup('<path class="{}" d="M{} {:.1f}H{}"/><text class="tick end" x="{}" y="{:.1f}">{:g}</text>').format(
        "line" if value else "line zero", LEFT, y, WIDE - RIGHT, LEFT - 6, y + 4, value)


def _axis(name):
    return Markup('<text class="axis" x="{}" y="{}">{}</text>').format(LEFT + (WIDE - LEFT - RIGHT) / 2, HIGH - 4, name)


def _below(x, text):
    return Markup('<text class="tick" x="{:.1f}" y="{}">{}</text>').format(x, HIGH - BOTTOM + 16, text)


def _height(value, top):
    return HIGH - BOTTOM - (HIGH - BOTTOM - TOP) * value / top


def _along(time, low, high):
    return LEFT + 6 + (WIDE - LEFT - RIGHT - 12) * (math.log10(time) - low) / (high - low)


def _nice(largest):
    """The end of an axis: the first of 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, … that is not below the largest value."""
    power = 10 ** max(0, math.floor(math.log10(max(largest, 1))) - 1)
    steps = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 25, 30, 40, 50, 60, 80, 100)
    return next(step * power for step in steps if step * power >= largest)
