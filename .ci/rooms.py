#!/usr/bin/env python3
"""The include rule: a room of src/ includes only itself and the rooms below it, in the order of src/README.md. Prints each line that breaks it."""
import pathlib, re, sys

ROOMS = ["register.cxx", "ksp", "pc", "assembly", "choice", "locality", "mat", "parallel", "petsc", "core"]  # from the top down
broken = 0
for path in sorted(pathlib.Path("src").rglob("*.[ch]*")):
    if path.suffix not in (".hpp", ".cxx", ".cu"): continue
    room = path.parts[1]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r'#include "(?:\.\./|([a-z]+)/)', line)
        if found and (found[1] not in ROOMS or ROOMS.index(found[1]) < ROOMS.index(room)):
            broken += 1
            print(f"{path}:{number}: {room} may not include this: {line}")
sys.exit(broken > 0)
