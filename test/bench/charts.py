"""Charts as SVG text without a library, the same on every machine: `page` puts charts beside one another; a chart is a function of these."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 300, 56, 24, 30, 50
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#555555")


def label(x, y, words, anchor="middle", turn=None, size=11):
    words = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"' + (f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else "") + f">{words}</text>"


class Axis:
    """Maps values to places between begin and end."""

    def __init__(self, values, begin, end, log=False, bounds=None):
        values = [v for v in values if not log or v > 0]
        low, high = bounds or (min(values), max(values))
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


def frame(title, across, up, x, y):
    out = [label(WIDTH / 2, 16, title, size=12), label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, across), label(12, (TOP + HEIGHT - BOTTOM) / 2, up, turn=-90)]
    for v in y.ticks:
        out.append(f'<path d="M{LEFT} {y.at(v):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>' + label(LEFT - 4, y.at(v) + 4, f"{v:g}", "end"))
    for v in x.ticks if x else ():
        out.append(f'<path d="M{x.at(v):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>' + label(x.at(v), HEIGHT - BOTTOM + 14, f"{v:g}"))
    return out


def legend(names):
    return [f'<rect x="{LEFT + 6}" y="{TOP + 5 + 14 * k}" width="9" height="9" fill="{COLOURS[k]}"/>' + label(LEFT + 19, TOP + 13 + 14 * k, name, "start", size=10) for k, name in enumerate(names)]


def scatter(title, across, up, series, log=(True, True), lines=(), bounds=(None, None)):
    """series: {name: [(x, y)]}; lines: [[(x, y)]]"""
    every = [p for points in [*series.values(), *lines] for p in points]
    x = Axis([p[0] for p in every], LEFT, WIDTH - RIGHT, log[0], bounds[0])
    y = Axis([p[1] for p in every], HEIGHT - BOTTOM, TOP, log[1], bounds[1])
    out = frame(title, across, up, x, y)
    for points in lines:
        out.append('<path d="M' + "L".join(f"{x.at(a):.1f} {y.at(b):.1f}" for a, b in points) + '" fill="none" stroke="#888"/>')
    for colour, points in zip(COLOURS, series.values()):
        out += [f'<circle cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="2.3" fill="{colour}" fill-opacity="0.6"/>' for a, b in points if (a > 0 or not log[0]) and (b > 0 or not log[1])]
    return out + (legend(series) if len(series) > 1 else [])


def bars(title, up, names, series, curve=None):
    """series: {name: values}, beside one another for each of the names; curve: (name, shares from 0 to 1), drawn over the height."""
    y = Axis([v for values in series.values() for v in values], HEIGHT - BOTTOM, TOP)
    out = frame(title, "", up, None, y)
    place = (WIDTH - RIGHT - LEFT) / len(names)
    for k, (colour, values) in enumerate(zip(COLOURS, series.values())):
        width = 0.8 * place / len(series)
        out += [f'<rect x="{LEFT + place * (i + 0.1) + k * width:.1f}" y="{y.at(v):.1f}" width="{width:.1f}" height="{HEIGHT - BOTTOM - y.at(v):.1f}" fill="{colour}"/>' for i, v in enumerate(values)]
    out += [label(LEFT + place * (i + 0.5), HEIGHT - BOTTOM + 8, name, "end", -40, 8) for i, name in enumerate(names)]
    if curve:
        points = "L".join(f"{LEFT + place * (i + 0.5):.1f} {HEIGHT - BOTTOM - v * (HEIGHT - BOTTOM - TOP):.1f}" for i, v in enumerate(curve[1]))
        out.append(f'<path d="M{points}" fill="none" stroke="{COLOURS[len(series)]}" stroke-width="1.5"/>')
    return out + legend([*series, *([curve[0]] if curve else [])])


def page(charts, columns=3):
    rows = -(-len(charts) // columns)
    size = f"{WIDTH * min(columns, len(charts))} {HEIGHT * rows}"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>']
    for k, chart in enumerate(charts):
        out += [f'<g transform="translate({WIDTH * (k % columns)} {HEIGHT * (k // columns)})">', *chart, "</g>"]
    return "\n".join([*out, "</svg>"]) + "\n"
