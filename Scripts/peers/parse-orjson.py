#!/usr/bin/env python3
"""Parses a file repeatedly with orjson, and prints bytes per second of CPU time, as `curlew-bench parse` does.

parse-orjson.py FILE [SECONDS]
"""
import sys
import time

import orjson

with open(sys.argv[1], "rb") as file:
    data = file.read()
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3.0
for _ in range(2):
    orjson.loads(data)
start, rounds = time.process_time(), 0
while (used := time.process_time() - start) < seconds:
    orjson.loads(data)
    rounds += 1
print(f"orjson value bytes={len(data)} mb_per_s={len(data) * rounds / 1e6 / used:.1f}")
