#!/usr/bin/env python3
"""Every file that a page names is there: the targets of its links, and the paths in backquotes that begin with a folder of the tree. Prints each that is not."""
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
sys.exit(broken > 0)
