"""Tables of the papers that are computed from counts and indices rather than measured times. Each function returns the lines of a table, the first of which is the head."""
import math
import statistics


def percent(share):
    return f"{100 * share:.2f} %"


def diagonal_places(grid):
    """Paper P1: 27 diagonals of a box of nodes; what its count of nonzeros is, and what couples neighbours."""
    out = [["nodes", "places of 27 diagonals", "the paper's nonzeros: places inside the matrix", "entries that couple neighbours", "padding by the paper's count", "by ours"]]
    for nx, ny, nz in grid:
        places, inside, entries = 27 * nx * ny * nz, 27 * nx * ny * nz - (18 * nx * ny + 6 * nx + 2), (3 * nx - 2) * (3 * ny - 2) * (3 * nz - 2)
        name = f"{nx}^3" if nx == ny == nz else f"{nx}x{ny}x{nz}"
        out.append([name, f"{places:,}", f"{inside:,}", f"{entries:,}", percent(1 - inside / places), percent(1 - entries / places)])
    return out


# --- paper P2: eq. 1 on a C2050, 4-byte values and indices, lines of 128 bytes

def speed(hit, S):
    return 1 / (4 / 2 + 4 / 2 + (1 - hit) * 128 / S)


def hit_of_x(hit):
    """The paper's: a third of the rate of all reads, of which those of values and indices nearly all hit. Ours is the rate of x alone."""
    return (2 + hit) / 9


def what_if(rows):
    """Figures 5 and 15: gain of the model's speed over the matrices of the study, in Fold's order."""
    study = [r for r in rows if r["indices"] == "fold"]
    out = [["hits of x", "mean rate", "30 % more hits: mean gain", "largest", "above 30 %", "30 % fewer: mean", "largest", "S = 32: mean gain", "S = 32 gains more in"]]
    for name, rate in (("by reuse intervals", lambda h: h), ("a third of all reads' hits, as the paper", hit_of_x)):
        more, fewer, full = ([speed(min(1, factor * rate(r["hit"])), S(r["spatial"])) / speed(rate(r["hit"]), r["spatial"]) - 1 for r in study]
                             for factor, S in ((1.3, lambda s: s), (0.7, lambda s: s), (1, lambda s: max(32, s))))
        out.append([name, percent(statistics.mean(rate(r["hit"]) for r in study)), percent(statistics.mean(more)), percent(max(more)), f"{sum(g > 0.3 for g in more)} of {len(study)}",
                    percent(statistics.mean(fewer)), percent(min(fewer)), f"{1 + statistics.mean(full):.1f}x", f"{sum(f > m for f, m in zip(full, more))} of {len(study)}"])
    out.append(["the paper", "", "12.6 %", "", "5 of 115", "", "none below -30 %", "", "all"])
    return out


def hit_lines(rows):
    """Figure 4: hit rate of x against the temporal index, a line below and one above 70 000 rows; the paper prints neither."""
    out = [["rows", "order", "matrices", "hit rate of x = a + b log10(temporal index): a", "b", "correlation", "within 0.3 of the line"]]
    for order in ("csr", "fold"):
        for name, some in (("below 70 000", [r for r in rows if r["rows"] < 70000]), ("70 000 and above", [r for r in rows if r["rows"] >= 70000])):
            points = [(math.log10(r["temporal"]), r["hit"]) for r in some if r["indices"] == order and r["temporal"] > 0]
            x, y = ([p[k] for p in points] for k in (0, 1))
            mx, my = statistics.mean(x), statistics.mean(y)
            xx, yy, xy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y), sum((a - mx) * (b - my) for a, b in points)
            slope = xy / xx
            out.append([name, order, str(len(points)), f"{my - slope * mx:.2f}", f"{slope:.3f}", f"{xy / math.sqrt(xx * yy):.2f}", f"{sum(abs(b - my - slope * (a - mx)) < 0.3 for a, b in points)}"])
    return out
