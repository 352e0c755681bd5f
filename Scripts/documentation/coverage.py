"""Counts the public symbols of symbol graphs, and names those without a doc comment.

    coverage.py FOLDER    a folder with one folder of symbol graphs for each module

A declaration counts if it is written in the source: what the compiler derives has no location, and an extension has no comment of its
own. The exit status is 1 unless every declaration has a comment.
"""
import json
import pathlib
import sys


def undocumented(graph):
    """Returns the number of declarations in a graph, and the places of those without a comment."""
    count, missing = 0, []
    for symbol in graph["symbols"]:
        location = symbol.get("location")
        if symbol.get("kind", {}).get("identifier") == "swift.extension":
            continue
        if location is None or symbol["accessLevel"] not in ("public", "open") or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue
        count += 1
        if not symbol.get("docComment", {}).get("lines"):
            line = location["position"]["line"] + 1
            missing.append(f"{location['uri'].removeprefix('file://')}:{line}: {'.'.join(symbol['pathComponents'])}")
    return count, missing


total, without = 0, []
for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*.symbols.json")):
    count, missing = undocumented(json.loads(path.read_text()))
    total += count
    without += missing
for place in without:
    print(f"{place} has no doc comment")
print(f"documented: {total - len(without)} of {total} public declarations")
sys.exit(1 if without or total == 0 else 0)
