"""Charts as SVG text without a library, the same on every machine: `page` puts charts beside one another; a chart is a function of these."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM = 420, 330, 56, 24, 64
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#555555", "#17becf", "#8c564b", "#e377c2", "#bcbd22", "#7f7fff", "#000000")


def label(x, y, words, anchor="middle", turn=None, size=11):
    words = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"' + (f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else "") + f">{words}</text>"


class Axis:
    """Maps values to places between begin and end."""

    def __init__(self, values, begin, end, log=False):
        values = [v for v in values if not log or v > 0]
        low, high = min(values), max(values)
        self.log, self.begin, self.end = log, begin, end
        if log:
            self.low, self.high = math.floor(math.log10(low)), max(math.ceil(math.log10(high)), math.floor(math.log10(low)) + 1)
            self.ticks = [10.0**d for d in range(self.low, self.high + 1, 1 + (self.high - self.low) // 7)]
        else:
            low = min(low, 0)
            step = 10 ** math.floor(math.log10((high - low) or 1))
            step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= 6 or s == 2 * step)
            self.low, self.high = step * math.floor(low / step), step * math.ceil(high / step) if high > low else low + step
            self.ticks = [self.low + k * step for k in range(round((self.high - self.low) / step) + 1)]

    def at(self, value):
        value = math.log10(max(value, 10.0**self.low)) if self.log else value
        return self.begin + (min(value, self.high) - self.low) / (self.high - self.low) * (self.end - self.begin)


def top(names):
    """Where the frame begins: below the title and the legend, of two names a line."""
    return 30 + (14 * -(-len(names) // 2) if len(names) > 1 else 0)


def frame(title, across, up, x, y, names):
    out = [label(WIDTH / 2, 16, title, size=12), label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 32, across), label(12, (top(names) + HEIGHT - BOTTOM) / 2, up, turn=-90)]
    for v in y.ticks:
        out.append(f'<path d="M{LEFT} {y.at(v):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>' + label(LEFT - 4, y.at(v) + 4, f"{v:g}", "end"))
    for v in x.ticks if x else ():
        out.append(f'<path d="M{x.at(v):.1f} {top(names)}V{HEIGHT - BOTTOM}" stroke="#ddd"/>' + label(x.at(v), HEIGHT - BOTTOM + 14, f"{v:g}"))
    for k, name in enumerate(names if len(names) > 1 else ()):
        left, above = LEFT + (k % 2) * (WIDTH - LEFT - RIGHT) / 2, 22 + 14 * (k // 2)
        out.append(f'<rect x="{left:.1f}" y="{above}" width="9" height="9" fill="{COLOURS[k]}"/>' + label(left + 13, above + 8, name, "start", size=10))
    return out


def path(points, colour):
    return '<path d="M' + "L".join(f"{a:.1f} {b:.1f}" for a, b in points) + f'" fill="none" stroke="{colour}"/>'


def scatter(title, across, up, series, log=(True, True), lines=(), joined=False):
    """series: {name: [(x, y)]}, with joined each a line; lines: [[(x, y)]]"""
    every = [p for points in [*series.values(), *lines] for p in points]
    x = Axis([p[0] for p in every], LEFT, WIDTH - RIGHT, log[0])
    y = Axis([p[1] for p in every], HEIGHT - BOTTOM, top(series), log[1])
    out = frame(title, across, up, x, y, list(series))
    places = lambda points: [(x.at(a), y.at(b)) for a, b in points if (a > 0 or not log[0]) and (b > 0 or not log[1])]
    out += [path(places(points), "#888") for points in lines]
    for colour, points in zip(COLOURS, series.values()):
        out += [path(places(points), colour)] if joined else []
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.3" fill="{colour}" fill-opacity="0.6"/>' for a, b in places(points)]
    return out


def bars(title, up, names, series, curves={}, stacked=False):
    """series: {name: values}, beside one another or on one another for each of the names; curves: {name: shares from 0 to 1}, drawn over the height."""
    known = [*series, *curves]
    y = Axis(list(map(sum, zip(*series.values()))) if stacked else [v for values in series.values() for v in values], HEIGHT - BOTTOM, top(known))
    out = frame(title, "", up, None, y, known)
    place = (WIDTH - RIGHT - LEFT) / len(names)
    width, below = 0.8 * place / (1 if stacked else len(series)), [0] * len(names)
    for k, (colour, values) in enumerate(zip(COLOURS, series.values())):
        for i, v in enumerate(values):
            out.append(f'<rect x="{LEFT + place * (i + 0.1) + (0 if stacked else k * width):.1f}" y="{y.at(below[i] + v):.1f}" width="{width:.1f}" height="{y.at(below[i]) - y.at(below[i] + v):.1f}" fill="{colour}"/>')
        below = [low + v for low, v in zip(below, values)] if stacked else below
    out += [label(LEFT + place * (i + 0.5), HEIGHT - BOTTOM + 8, name, "end", -40, 8) for i, name in enumerate(names)]
    for colour, shares in zip(COLOURS[len(series):], curves.values()):
        out.append(path([(LEFT + place * (i + 0.5), HEIGHT - BOTTOM - v * (HEIGHT - BOTTOM - top(known))) for i, v in enumerate(shares)], colour))
    return out


def page(charts, columns=3):
    rows = -(-len(charts) // columns)
    size = f"{WIDTH * min(columns, len(charts))} {HEIGHT * rows}"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>']
    for k, chart in enumerate(charts):
        out += [f'<g transform="translate({WIDTH * (k % columns)} {HEIGHT * (k // columns)})">', *chart, "</g>"]
    return "\n".join([*out, "</svg>"]) + "\n"


def write(path, charts):
    with open(path, "w") as file:
        file.write(page(charts))
    print(f"picture: {path}")
