#!/usr/bin/env python3
"""Write include/README.md, the reference of options and functions, from what the library says of itself.

  .ci/reference.py [--check]      BUILD=build: needs $BUILD/lib/libgoza.so and $BUILD/petsc/ksp_ksp_tutorials_ex2 (make check builds both)

Options come from -help, functions and types from include/petscgoza.h, sentences from the man-page comments in src. --check writes nothing and fails
when the page is not what would be written. `make pages` runs this and test/bench/tables.py.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PAGE = TOP / "include/README.md"
LEVELS = ("finest", "intermediate", "coarsest")
INTRO = """\
# Reference: types, options, functions

Made by `.ci/reference.py` (`make pages`) from the library's `-help`, [petscgoza.h](petscgoza.h) and the man-page comments in `src`; do not edit it by hand.

Options are PETSc options: on the command line, in `PETSC_OPTIONS` or in `~/.petscrc`, behind the prefix of the object (`MatSetOptionsPrefix()`,
`KSPSetOptionsPrefix()`, `DMSetOptionsPrefix()`). A value outside its range is a PETSc error that names the option. A Set function on an object of another type does nothing,
and a Get function is an error there; with `PC_SAAMG_ALL_LEVELS` it gets the finest's, and a text is not to be freed. A program that is not linked with the library finds them by name: `PetscObjectQueryFunction((PetscObject)A, "MatCDSSetShare_C", &set)`.
Which settings for which problem: [examples/README.md](../examples/README.md).
"""


# --- what the library says

def help_of(build, *options):
    """The text of -help of PETSc's ksp tutorial ex2 with Goza loaded."""
    program, library = build / "petsc/ksp_ksp_tutorials_ex2", build / "lib/libgoza.so"
    for path in (program, library):
        if not path.exists():
            sys.exit(f"reference: {path} is missing; `make check` builds it")
    command = [str(program), "-m", "4", "-n", "4", "-dll_append", str(library), "-goza_device", "host", *options, "-help"]
    environment = {**os.environ, "PETSC_OPTIONS": "", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=120, env=environment)
    if run.returncode:
        sys.exit(f"reference: {' '.join(command)} ends with {run.returncode}:\n{run.stdout[-2000:]}")
    return run.stdout


OPTION = re.compile(r"^ *-(?P<name>\w+):? *<(?:now )?(?P<now>.*?) : (?:formerly )?(?P<default>.*?)>:? *(?P<text>.*?)"
                    r"(?: *\(choose one of\) *(?P<list>.*?))? *\((?P<function>\w+)\)$")


def options_of(text, pattern):
    """{name: match} of the options in a -help text whose names match, in its order."""
    found = {}
    for line in text.splitlines():
        option = OPTION.match(line)
        if option and re.match(pattern, option["name"]):
            found.setdefault(option["name"], option)
    return found


def number(value):
    return value[:-1] if re.fullmatch(r"-?[0-9]+\.", value) else value


def sentence(text):
    return text.replace("|", "\\|").strip()


# --- man pages and header

class ManPage:
    def __init__(self, path, name, text):
        self.path, self.name = path, name
        head, _, rest = text.partition("\n\n")
        self.line = " ".join(head.split())
        self.sections, self.notes, in_notes = {}, [], False
        for block in re.split(r"\n\s*\n", rest):
            title, _, body = block.strip().partition("\n")
            if title.endswith(":") or title.startswith((".seealso", "Level:")):
                self.sections[title.rstrip(":").lower()] = body
                in_notes = title in ("Note:", "Notes:")
                block = body
            if in_notes:
                self.notes.append(" ".join(block.split()))

    def items(self, *titles):
        """(name, text) of a list such as Input Parameters: each begins with +, . or - in the first columns."""
        for title in titles:
            for item in re.split(r"\n(?=[ ]{0,2}[+.-] ?\S)", "\n" + self.sections.get(title, "")):
                match = re.match(r"\s*[+.-] ?(\S.*?)\s+- (.*)", " ".join(item.split()))
                if match:
                    yield match[1], match[2]


def man_pages():
    pages = {}
    for path in sorted((TOP / "src").rglob("*.c*")):
        for text in re.findall(r"/\*(?:@C?|MC|E)\n(.*?)(?:@|M|E)?\*/", path.read_text(), re.S):
            match = re.match(r"\s*(\w+) *- *(.*)", text, re.S)
            if match:
                pages[match[1]] = ManPage(path.relative_to(TOP), match[1], match[2])
    return pages


def declared(header):
    """(name, argument list) of every function."""
    return [(name, " ".join(args.split())) for name, args in re.findall(r"PETSC_EXTERN\s+PetscErrorCode\s+(\w+)\(([^;]*)\);", header)]


# --- the page

def table(heads, rows):
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def value_of(option):
    """What follows the option: its words, or n (integer), r (real), text."""
    if option["list"]:
        return " " + "|".join(option["list"].split())
    for pattern, value in (("TRUE|FALSE", ""), (r"-?[0-9]+", " n"), (r"-?[0-9.]+(e[+-]?[0-9]+)?", " r")):
        if re.fullmatch(pattern, option["default"]):
            return value
    return " text"


def option_row(option, levels):
    name = f"`-{option['name']}{value_of(option)}`".replace("|", "\\|")
    default = {"TRUE": "on", "FALSE": "off"}.get(option["default"], number(option["default"]))
    own = {level: number(option["default"]) for level, option in levels.items()}
    if any(value != default for value in own.values()):
        default = ", ".join(f"{level} {value}" for level, value in own.items())
    return [name, default, sentence(option["text"]).removesuffix(", on all levels"), f"`{option['function']}()`"]


def option_table(options):
    rows = []
    by_level = re.compile(rf"(\w+?)_({'|'.join(LEVELS)})_(\w+)")
    for name, option in options.items():
        if by_level.fullmatch(name):
            continue
        levels = {level: options[key] for level in LEVELS for key in [name.replace("pc_saamg_", f"pc_saamg_{level}_")] if key != name and key in options}
        rows.append(option_row(option, levels))
    return table(["option", "default", "what it sets", "function"], rows)


def types_table(header, pages):
    rows = []
    for macro, name in re.findall(r'#define ((?:MAT|PC|KSP)\w+)\s+"(\w+)"', header):
        if re.match(r"MAT(SEQ|MPI)AIJ", macro):
            continue
        kind = {"M": "Mat", "P": "PC", "K": "KSP"}[macro[0]]
        page = pages.get(macro)
        line = re.sub(rf'^({macro} = )?"{name}"(:| -) *', "", page.line) if page else ""
        line = re.sub(r'; "seqaij.*', "", line)
        names = f"`{name}`" + (f"; `seqaij{name}` on one rank, `mpiaij{name}` on several" if kind == "Mat" and not macro.startswith("MATOWN") else "")
        rows.append([f"`{kind}`", names, f"[`{macro}`](../{page.path})" if page else f"`{macro}`", sentence(line)])
    return table(["class", "name", "macro", "what it is"], rows)


def function_rows(functions, pages):
    """A row for a function; Get beside its Set."""
    names = dict(functions)
    for name, args in functions:
        partner = name.replace("Set", "Get", 1)
        if "Get" in name and name.replace("Get", "Set", 1) in names:
            continue
        page = pages.get(name)
        cell = f"[`{name}`](../{page.path})`({args})`" if page else f"`{name}({args})`"
        if partner != name and partner in names:
            cell += f"; `{partner}()`"
        text = page.line if page else ""
        if page:
            parameters = [f"*{what}*: {of}" for what, of in page.items("input parameter", "input parameters") if what not in ("A", "pc", "mat", "assembly", "comm", "levels")]
            text += "".join(". " + parameter for parameter in parameters)
        yield [cell, sentence(text)]


def notes(names, pages):
    """What the man pages say beyond one sentence; pages that say the same share an item."""
    said = {}
    for name in names:
        text = " ".join(" ".join(pages[name].notes).replace("Does nothing for other matrix types.", "").split()) if name in pages else ""
        if text:
            said.setdefault(text, []).append(f"`{name}`")
    return "".join(f"- {', '.join(names)}: {text}\n" for text, names in said.items())


def enums(header):
    for body, name in re.findall(r"typedef enum \{(.*?)\} (\w+);", header, re.S):
        values = re.findall(r"(\w+),?[ \t]*(?:/\*(.*?)\*/)?\s*", body)
        yield [f"`{name}`", "; ".join(f"`{value}`" + (f" ({sentence(comment)})" if comment else "") for value, comment in values)]


def page_of(build):
    header = (TOP / "include/petscgoza.h").read_text()
    pages = man_pages()
    mats = [name for macro, name in re.findall(r'#define (MAT\w+)\s+"(\w+)"', header) if not re.match(r"MAT(SEQ|MPI)AIJ|MATOWN", macro)]
    ksps = re.findall(r'#define KSP\w+\s+"(\w+)"', header)
    helps = {mat: help_of(build, "-mat_type", mat, "-pc_type", "saamg", "-ksp_type", ksps[0]) for mat in mats}
    first = next(iter(helps.values()))
    plain = help_of(build, "-mat_type", "aij", "-pc_type", "none", "-ksp_type", "cg")

    out = [INTRO, "## Types\n", types_table(header, pages), notes([macro for macro, _ in re.findall(r'#define (\w+)\s+"(\w+)"', header)], pages)]
    out += ["## Options of the library\n", option_table(options_of(first, "goza_"))]
    known = options_of(plain, "mat_")
    own = {mat: {name: option for name, option in options_of(text, "mat_").items() if name not in known} for mat, text in helps.items()}
    common = {name: option for name, option in own[mats[0]].items() if all(name in options for options in own.values())}
    if common:
        out += ["## Options of every matrix type\n", option_table(common)]
    for mat, options in own.items():
        out += [f"## Options of `{mat}`\n", option_table({name: option for name, option in options.items() if name not in common})]
    out += ["## Options of `saamg`\n", option_table(options_of(first, "pc_saamg_"))]
    out += [f"From `-pc_saamg_smoother` on, each option exists by level as well: `-pc_saamg_{LEVELS[0]}_...`, `-pc_saamg_{LEVELS[1]}_...`, `-pc_saamg_{LEVELS[2]}_...` "
            "(the last where the coarsest level is smoothed and not solved).\n"]
    for ksp in ksps:
        text = help_of(build, "-mat_type", mats[0], "-pc_type", "saamg", "-ksp_type", ksp)
        own = {name: option for name, option in options_of(text, "ksp_").items() if name not in options_of(plain, "ksp_")}
        if own:
            out += [f"## Options of `{ksp}`\n", option_table(own)]
    out += keys_without_help(pages, helps.values())
    out += ["## Functions\n"]
    groups = {"GozaAssembly": "Assembly", "Goza": "Package", "Mat": "Matrices", "PC": "Preconditioner", "KSP": "Krylov methods"}
    for prefix, title in groups.items():
        mine = [(name, args) for name, args in declared(header) if next(p for p in groups if name.startswith(p)) == prefix]
        if mine:
            out += [f"### {title}\n", table(["function", "what it does"], function_rows(mine, pages)), notes([name for name, _ in mine], pages)]
    out += ["## Enumerations\n", table(["type", "values"], enums(header))]
    return "\n".join(part for part in out if part)


def keys_without_help(pages, helps):
    """Options that a man page names and -help does not show."""
    shown = set().union(*({name for name in options_of(text, "")} for text in helps))
    rows = {}
    for page in pages.values():
        for key, text in page.items("options database key", "options database keys"):
            name = key.split()[0].lstrip("-")
            if re.match(r"goza_|mat_(?!type|view)|pc_saamg_(?!LEVEL)|ksp_fused|assembly_", name) and name not in shown:
                rows.setdefault(name, [f"`{key}`".replace("|", "\\|"), sentence(text), f"[`{page.name}`](../{page.path})"])
    return ["## Further options\n", table(["option", "what it sets", "described at"], rows.values())] if rows else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail when the page is not current")
    check = parser.parse_args().check
    text = page_of(Path(os.environ.get("BUILD", TOP / "build")).resolve())
    before = PAGE.read_text() if PAGE.exists() else ""
    if not check:
        PAGE.write_text(text)
    elif text != before:
        sys.stdout.writelines(list(difflib.unified_diff(before.splitlines(True), text.splitlines(True), "include/README.md", "what the library says"))[:60])
        sys.exit("reference: include/README.md is not current: `make pages`")
    print(f"reference: {PAGE.relative_to(TOP)}: {'current' if check else 'written'}")


if __name__ == "__main__":
    main()
