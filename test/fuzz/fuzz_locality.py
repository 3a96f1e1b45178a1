#!/usr/bin/env python3
"""Mutated matrix files for examples/locality.cxx: no crash and no hang, and what a file says that cannot be is an error.

  fuzz_locality.py PROGRAM [--first 1] [--count 200]

A strict reader here says what a file holds; where it accepts the file, the program's rows and entries must be those. Prints each failing seed and keeps its file."""
import argparse, json, os, random, re, struct, subprocess, sys, tempfile

ap = argparse.ArgumentParser()
ap.add_argument("program")
ap.add_argument("--first", type=int, default=1)
ap.add_argument("--count", type=int, default=200)
args = ap.parse_args()
# each run is a program of its own, also where mpiexec started this one
alone = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX", "PMI_", "OMPI_COMM", "OMPI_APP", "OMPI_UNIVERSE", "OMPI_FIRST", "OMPI_NUM", "OMPI_MCA_orte", "OMPI_MCA_ess", "OMPI_MCA_pmix"))}
CLASS, BIG = 1211216, 2**31 - 1  # of a matrix in PETSc's files; of a PetscInt


def market(rng):
    rows, cols = rng.randint(0, 9), rng.randint(0, 9)
    symmetry = rng.choice(["general", "general", "symmetric", "skew-symmetric"])
    if symmetry != "general":
        cols = rows
    field = rng.choice(["real", "integer", "pattern"])
    places = sorted({(rng.randint(1, rows), rng.randint(1, cols)) for _ in range(rng.randint(0, 20))}) if rows and cols else []
    if symmetry != "general":
        places = sorted({(max(p), min(p)) for p in places if symmetry == "symmetric" or p[0] != p[1]})
    value = lambda: "" if field == "pattern" else f" {rng.randint(-9, 9)}" if field == "integer" else f" {rng.uniform(-9, 9):.6g}"
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", "% a comment"][: rng.randint(1, 2)]
    return "\n".join(lines + [f"{rows} {cols} {len(places)}"] + [f"{i} {j}{value()}" for i, j in places]) + "\n"


def binary(rng):
    rows, cols = rng.randint(0, 9), rng.randint(0, 9)
    columns = [sorted(rng.sample(range(cols), rng.randint(0, cols))) for _ in range(rows)]
    flat = [c for row in columns for c in row]
    return struct.pack(f">4i{rows}i{len(flat)}i{len(flat)}d", CLASS, rows, cols, len(flat), *map(len, columns), *flat, *(rng.uniform(-9, 9) for _ in flat))


def mutate_text(text, rng):
    for _ in range(rng.randint(1, 3)):
        how, numbers = rng.randint(0, 6), list(re.finditer(r"-?\d+(\.\d+)?", text))
        if how == 0 and numbers:
            n = rng.choice(numbers)
            text = text[: n.start()] + rng.choice(["0", "-1", "1e9", "2147483647", "2147483648", "99999999999999999999", "nan", "", "3", "10"]) + text[n.end():]
        elif how == 1 and text:
            text = text[: rng.randint(0, len(text))]
        elif how == 2 and text:
            at = rng.randrange(len(text))
            text = text[:at] + chr(rng.randint(0, 126)) + text[at + 1:]
        else:
            lines = text.split("\n")
            at = rng.randrange(len(lines))
            if how == 3:
                del lines[at]
            elif how == 4:
                lines.insert(at, lines[rng.randrange(len(lines))])
            elif how == 5:
                lines[at] = lines[at] + " " + rng.choice(["1", "x", "%"])
            else:
                lines.insert(at, rng.choice(["", "% x", "\r", " " * 50]))
            text = "\n".join(lines)
    return text


def mutate_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        how = rng.randint(0, 3)
        if how == 0 and len(data) >= 4:  # a whole number
            at = 4 * rng.randrange(len(data) // 4)
            data[at: at + 4] = struct.pack(">i", rng.choice([0, -1, 1, 3, 9, 10, 1000, BIG, -BIG - 1]))
        elif how == 1:
            del data[rng.randint(0, len(data)):]
        elif how == 2 and data:
            data[rng.randrange(len(data))] = rng.randint(0, 255)
        else:
            data[rng.randint(0, len(data)): 0] = bytes(rng.randint(0, 255) for _ in range(rng.randint(1, 8)))
    return bytes(data)


def read_binary(data):
    """(rows, entries), or None where the file cannot be a matrix"""
    if len(data) < 16:
        return None
    kind, rows, cols, count = struct.unpack(">4i", data[:16])
    if kind != CLASS or rows < 0 or cols < 0 or count < 0 or len(data) < 16 + 4 * rows + 12 * count:
        return None
    lengths = struct.unpack(f">{rows}i", data[16: 16 + 4 * rows])
    columns = struct.unpack(f">{count}i", data[16 + 4 * rows: 16 + 4 * rows + 4 * count])
    if any(l < 0 for l in lengths) or sum(lengths) != count or any(not 0 <= c < cols for c in columns):
        return None
    at, entries = 0, 0
    for l in lengths:
        if len(set(columns[at: at + l])) != l:
            return "unsure"  # a place twice
        at += l
    return rows, count


def read_market(text):
    lines = text.split("\n")
    head = lines[0].split()
    if len(head) != 5 or [w.lower() for w in head[:3]] != ["%%matrixmarket", "matrix", "coordinate"]:
        return "unsure" if lines[0][:2] == "%%" else None
    field, symmetry = head[3].lower(), head[4].lower()
    if field not in ("real", "integer", "pattern") or symmetry not in ("general", "symmetric", "skew-symmetric"):
        return None
    if any(l and l != "\r" and not l.strip() for l in lines):
        return "unsure"  # a line of blanks
    rest = [l for l in lines[1:] if l.strip() and l[0] != "%"]
    numbers = [l.split() for l in rest]
    want = 2 if field == "pattern" else 3
    if not all(re.fullmatch(r"\d+", w) for n in numbers[:1] for w in n) or not numbers or len(numbers[0]) != 3:
        return "unsure"
    rows, cols, count = map(int, numbers[0])
    entries = numbers[1: 1 + count]
    if len(numbers) != 1 + count or any(len(e) != want or not re.fullmatch(r"\d+", e[0]) or not re.fullmatch(r"\d+", e[1]) or not re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", e[-1]) for e in entries):
        return None if len(numbers) < 1 + count else "unsure"
    if any(not (1 <= int(e[0]) <= rows and 1 <= int(e[1]) <= cols) for e in entries):
        return None
    if max(rows, cols, count) >= BIG:
        return None
    places = {(int(e[0]), int(e[1])) for e in entries}
    if symmetry != "general":
        if rows != cols:
            return "unsure"
        places |= {(j, i) for i, j in places}
    return rows, len(places)


def one(seed, folder):
    rng = random.Random(seed)
    is_text = rng.random() < 0.5
    data = market(rng).encode() if is_text else binary(rng)
    if rng.random() < 0.9:
        data = mutate_text(data.decode(), rng).encode() if is_text else mutate_bytes(data, rng)
    file, report = os.path.join(folder, "m.mtx" if is_text else "m.petsc"), os.path.join(folder, "report.json")
    with open(file, "wb") as f:
        f.write(data)
    if os.path.exists(report):
        os.remove(report)
    try:
        done = subprocess.run([args.program, "-file", file, "-json", report, "-no_signal_handler"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, env=alone)
    except subprocess.TimeoutExpired:
        return "no end after 60 s", file
    if done.returncode < 0 or done.returncode == 134 or done.returncode == 139 or b"Sanitizer" in done.stdout:
        return f"crash ({done.returncode})", file
    try:
        want = (read_market(data.decode()) if data[:2] == b"%%" or is_text else read_binary(data)) if len(data) < 10**6 else "unsure"
    except (UnicodeDecodeError, IndexError):
        want = "unsure"
    if want == "unsure":
        return None, file
    if want is None:
        return (None if done.returncode else "taken, and it cannot be a matrix"), file
    if done.returncode:  # a matrix with more rows than there is memory for may be refused
        return (None if want[0] > 10**7 else "refused: " + done.stdout.decode(errors="replace")[-300:]), file
    got = json.load(open(report))
    return (None if (got["rows"], got["nnz"]) == want else f"{got['rows']} rows and {got['nnz']} entries instead of {want}"), file


wrong = 0
with tempfile.TemporaryDirectory() as folder:
    for seed in range(args.first, args.first + args.count):
        text, file = one(seed, folder)
        if text:
            wrong += 1
            kept = os.path.join(tempfile.gettempdir(), f"fuzz_locality_{seed}{os.path.splitext(file)[1]}")
            os.replace(file, kept)
            print(f"FAILED seed {seed}: {text}; the file is {kept}")
print(f"fuzz_locality: {args.count} files from seed {args.first}, {wrong} fail")
sys.exit(1 if wrong else 0)
