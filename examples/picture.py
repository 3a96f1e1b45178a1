#!/usr/bin/env python3
"""The surface of a solid, deformed, coloured by its von Mises stress, as SVG: from a file that `elasticity -mesh plex -output` wrote.

    picture.py hook.vtu hook.svg [--scale 3] [--azimuth -60] [--elevation 20]
"""
import argparse
import math
import struct
import xml.etree.ElementTree as ElementTree

FACES = {  # by VTK's number of the cell type
    10: ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
    12: ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
}
WORDS = {"Float64": "d", "Float32": "f", "Int32": "i", "Int64": "q", "UInt8": "B"}
COLOURS = ((59, 76, 192), (221, 221, 221), (180, 4, 38))  # from no stress to the largest


def read(name):
    """The pieces of a VTU file, one a rank, as arrays by name; their data follow the text, raw, each after its length in bytes."""
    text, _, raw = open(name, "rb").read().partition(b'<AppendedData encoding="raw">')
    raw = raw[raw.index(b"_") + 1 :]
    for piece in ElementTree.fromstring(text + b"</VTKFile>").iter("Piece"):
        arrays = {}
        for array in piece.iter("DataArray"):
            at = int(array.get("offset"))
            (length,) = struct.unpack_from("<i", raw, at)
            word = WORDS[array.get("type")]
            values = struct.unpack_from(f"<{length // struct.calcsize(word)}{word}", raw, at + 4)
            n = int(array.get("NumberOfComponents"))
            arrays[array.get("Name")] = [values[k : k + n] for k in range(0, len(values), n)] if n > 1 else values
        yield arrays


def join(pieces):
    """One mesh: nodes at the same place are one, and so are cells of the same corners, which ranks that overlap both write. Returns places, displacements and stresses of the nodes, and (type, corners) of the cells."""
    number, x, u, stress, cells, known = {}, [], [], [], [], set()
    for arrays in pieces:
        displacement = next(v for k, v in arrays.items() if k.endswith("displacement"))
        mises = next(v for k, v in arrays.items() if "von_mises" in k)
        for at, moved, s in zip(arrays["Position"], displacement, mises):
            if at not in number:
                number[at] = len(x)
                x.append(at)
                u.append(moved)
                stress.append(s)
        begin = 0
        for end, kind in zip(arrays["offsets"], arrays["types"]):
            corners = [number[arrays["Position"][k]] for k in arrays["connectivity"][begin:end]]
            if frozenset(corners) not in known:
                known.add(frozenset(corners))
                cells.append((kind, corners))
            begin = end
    return x, u, stress, cells


def surface(cells):
    """Faces that only one cell has, their corners in turn."""
    once = {}
    for kind, cell in cells:
        for face in FACES[kind]:
            corners = [cell[k] for k in face]
            key = tuple(sorted(corners))
            once[key] = None if key in once else corners
    return [corners for corners in once.values() if corners]


def colour(t):
    half = min(int(2 * t), 1)
    return "#%02x%02x%02x" % tuple(round(a + (2 * t - half) * (b - a)) for a, b in zip(COLOURS[half], COLOURS[half + 1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vtu")
    parser.add_argument("svg")
    parser.add_argument("--scale", type=float, default=3, help="of the displacement")
    parser.add_argument("--azimuth", type=float, default=-60)
    parser.add_argument("--elevation", type=float, default=20)
    options = parser.parse_args()

    place, displacement, stress, cells = join(read(options.vtu))
    a, e = math.radians(options.azimuth), math.radians(options.elevation)
    right = (-math.sin(a), math.cos(a), 0)
    to_eye = (math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e))
    up = (-math.cos(a) * math.sin(e), -math.sin(a) * math.sin(e), math.cos(e))

    def seen(scale):  # right, up, towards the eye
        moved = [[p + scale * d for p, d in zip(x, u)] for x, u in zip(place, displacement)]
        return [[sum(p * q for p, q in zip(axis, x)) for axis in (right, up, to_eye)] for x in moved]

    faces, before, after = surface(cells), seen(0), seen(options.scale)
    both = before + after
    left, top = min(p[0] for p in both), max(p[1] for p in both)
    size = 560 / max(max(p[0] for p in both) - left, top - min(p[1] for p in both))
    largest = max(stress)

    def corners(face, points):
        return " ".join(f"{20 + size * (points[k][0] - left):.1f},{20 + size * (top - points[k][1]):.1f}" for k in face)

    width, height = (max(p[0] for p in both) - left) * size + 170, (top - min(p[1] for p in both)) * size + 40
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="13">']
    lines.append('<g fill="none" stroke="#bbb" stroke-width="0.4">')
    lines += [f'<polygon points="{corners(f, before)}"/>' for f in faces]
    lines.append('</g><g stroke="#333" stroke-width="0.4" stroke-linejoin="round">')
    for f in sorted(faces, key=lambda f: sum(after[k][2] for k in f) / len(f)):
        lines.append(f'<polygon points="{corners(f, after)}" fill="{colour(sum(stress[k] for k in f) / len(f) / largest)}"/>')
    lines.append("</g>")
    bar, steps = width - 110, 24
    lines.append(f'<text x="{bar:.0f}" y="34">von Mises stress</text>')
    for k in range(steps):
        lines.append(f'<rect x="{bar:.0f}" y="{44 + 8 * k}" width="18" height="8.5" fill="{colour(1 - (k + 0.5) / steps)}"/>')
    for k in range(4):
        lines.append(f'<text x="{bar + 24:.0f}" y="{48 + 8 * steps * k / 3:.0f}">{largest * (1 - k / 3):.3f}</text>')
    lines.append("</svg>")
    with open(options.svg, "w") as out:
        out.write("\n".join(lines) + "\n")


main()
