#!/usr/bin/env python3
"""What a page names is there: the targets of its links, the paths in backquotes that begin with a folder of the tree, and the functions in the tour of the
sources, which are ours or declared by PETSc where we call them. Prints each that is not."""
import pathlib, re, subprocess, sys

broken = 0
for page in map(pathlib.Path, subprocess.run(["git", "ls-files", "*.md"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    links = [page.parent / link for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)]
    named = [pathlib.Path(name) for name in re.findall(r"`((?:src|include|examples|test|\.ci)/[\w./-]+)`", text)]
    for path in links + named:
        if not path.exists():
            broken += 1
            print(f"{page}: {path} is not there")
code = "".join(path.read_text() for path in pathlib.Path("src").rglob("*.*") if path.suffix in (".hpp", ".cxx", ".cu"))
code = re.sub(r"/\*.*?\*/|//[^\n]*", "", code, flags=re.S)
for name in re.findall(r"`[\w:]*?(\w+)\(\)`", pathlib.Path("src/README.md").read_text()):
    if not re.search(rf"\b{name}\b", code):
        broken += 1
        print(f"src/README.md: there is no {name}()")
sys.exit(broken > 0)
