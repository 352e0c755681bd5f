"""Reads the diagnostics that DocC has written, and names each that counts as an error.

    diagnostics.py FILE…

Every warning counts, except that of a parameter without a description beside others with one: a parameter that its name explains
needs none (CONTRIBUTING.md).
"""
import json
import sys

faults = 0
for path in sys.argv[1:]:
    with open(path) as file:
        diagnostics = json.load(file)["diagnostics"]
    for diagnostic in diagnostics:
        summary = diagnostic["summary"]
        if diagnostic["severity"] not in ("warning", "error") or (summary.startswith("Parameter '") and summary.endswith("' is missing documentation")):
            continue
        line = diagnostic.get("range", {}).get("start", {}).get("line", 1)
        print(f"{diagnostic.get('source', path).removeprefix('file://')}:{line}: {summary}")
        faults += 1
sys.exit(1 if faults else 0)
