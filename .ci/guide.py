#!/usr/bin/env python3
"""Runs the commands of examples/README.md whose outputs stand below them, and compares: words and whole numbers, as iterations and rows; not times and other fractions.
A line "..." stands for any lines, and at a line's end for any rest of it. BUILD=build: the folder in which `make programs` has left them."""
import os, pathlib, re, subprocess, sys, tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
OF_THE_MACHINE = ("autoformat on", "locality -n")  # what they print is what this machine was measured to be


def like(line):
    """The pattern of the lines that are as good as this one"""
    rest = line.endswith("...")
    pattern = re.sub(r"[-+]?\d+\\\.\d+(e[-+]?\d+)?", r"[-+]?\\d+\\.\\d+(e[-+]?\\d+)?", re.escape(line[:-3] if rest else line).replace(r"\-", "-").replace(r"\+", "+"))
    return pattern + (".*" if rest else "")


def blocks(text):
    """Each command, and what the page says that it prints"""
    for found in re.finditer(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", text, re.M):
        yield found[1], [line[4:] for line in found[2].splitlines()]


os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
text = (TOP / "examples/README.md").read_text()
failed = 0
with tempfile.TemporaryDirectory() as folder:
    here = pathlib.Path(folder)
    (here / "build").symlink_to(pathlib.Path(os.environ.get("BUILD", "build")).absolute())
    (here / "examples").symlink_to(TOP / "examples")
    (here / "laplace.py").write_text(re.search(r"```python\n(.*?)```", text, re.S)[1])
    for command, said in blocks(text):
        if any(word in command for word in OF_THE_MACHINE): continue
        if "python3 laplace" in command and subprocess.run(["/usr/bin/python3", "-c", "import petsc4py"], stderr=subprocess.DEVNULL).returncode: continue
        run = subprocess.run(["bash", "-c", command], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        pattern = "".join(r"(.*\n)*" if line == "..." else like(line) + r"\n" for line in said)
        if run.returncode or not re.fullmatch(pattern, run.stdout):
            failed += 1
            print(f"guide: $ {command}\n  the page says:\n    " + "\n    ".join(said) + "\n  printed:\n    " + "\n    ".join(run.stdout.splitlines()[-12:]))
sys.exit(failed > 0)
