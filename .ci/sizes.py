#!/usr/bin/env python3
"""What src/ keeps small: files of at most 400 lines, functions of at most 60 lines and 8 parameters; and lines of at most 160 columns, there and in include,
test and examples. Prints each that is larger.
Relies on .clang-format, by which a function's body stands between a { and a } that are alone in their column, or on one line with its head's end."""
import pathlib, re, sys

LINES, BODY, PARAMETERS, WIDTH = 400, 60, 8, 160
broken = []
for path in sorted(pathlib.Path("src").rglob("*.[ch]*")):
    if path.suffix not in (".hpp", ".cxx", ".cu"): continue
    lines = path.read_text().splitlines()
    if len(lines) > LINES: broken.append(f"{path}: {len(lines)} lines")
    for begin, line in enumerate(lines):
        short = re.match(r"(?!\s*(?:if|for|while|switch|return|else|do|case)\b)(.*\)[^{;=]*)\{(?: .*|\s*)\}$", line)
        if line.strip() != "{" and not short: continue
        top = begin
        while top and lines[top - 1].strip() and not re.search(r"([;}]|\*/|^#.*)$", lines[top - 1]): top -= 1
        head = " ".join(lines[top:begin] + ([short[1]] if short else []))
        head = re.sub(r"__launch_bounds__\([^)]*\)|operator\(\)|//.*", " ", head)
        if short and re.search(r"[^=!<>]=[^=]", re.sub(r"template <[^(]*?> ", "", head).split("(")[0]): continue  # a lambda, or an initialiser
        if "(" not in head or re.match(r"\s*(inline )?(namespace|union)\b", head): continue
        end = begin if short else lines.index(line.replace("{", "}"), begin)
        depth = commas = 0
        for c in head[head.index("("):].replace("->", "  "):  # up to the end of the first parentheses
            depth += (c in "(<[{") - (c in ")>]}")
            commas += c == "," and depth == 1
            if not depth: break
        if end - begin + 1 > BODY: broken.append(f"{path}:{top + 1}: a function of {end - begin + 1} lines")
        if commas + 1 > PARAMETERS: broken.append(f"{path}:{top + 1}: a function of {commas + 1} parameters")
for path in (path for top in ("src", "include", "test", "examples") for path in sorted(pathlib.Path(top).rglob("*.[ch]*"))):
    if path.suffix not in (".h", ".hpp", ".cxx", ".cu"): continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if len(line) > WIDTH: broken.append(f"{path}:{number}: {len(line)} columns")
print("\n".join(broken), end="\n" * bool(broken))
sys.exit(bool(broken))
