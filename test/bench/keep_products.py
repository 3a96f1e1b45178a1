#!/usr/bin/env python3
"""Of bench_locality's JSON files what fit_model reads, for test/bench/results/:  keep_products.py FILE... > results/products_NAME.json

Only of whole runs; paper P2's two predictions stay, for the table of models."""
import json
import sys

DROPPED = ("copies", "first", "bytes", "copy_TBs", "gflops", "analysis", "spatial", "unpadded", "temporal", "cols")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        with open(name) as file:
            lines = [json.loads(line) for line in file]
        if not any(line.get("run") == "whole" for line in lines):
            sys.exit(f"{name} is of a run that was cut off")
        for line in lines:
            if "indices" in line or line.get("format", "").startswith("auto"):
                continue
            kept = {key: value for key, value in line.items() if key not in DROPPED}
            if line.get("format") == "cds-half":  # fit_model leaves out those that were not possible
                kept["what"] = "half" if line["copies"][0]["what"].startswith("half") else "full"
            print(json.dumps(kept))


main()
