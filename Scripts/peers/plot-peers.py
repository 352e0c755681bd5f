#!/usr/bin/env python3
"""Prints the table of `Scripts/bench peers` as Markdown and draws it as SVG.

plot-peers.py RESULTS.tsv PLOT.svg --title TEXT

A line of the results is: task, peer, count, wall seconds, CPU seconds, peak memory in MB. The best line of a task and a peer
counts, by CPU time; for a start, by wall time.
"""
import argparse
from xml.sax.saxutils import escape

NAMES = {
    "curlew": "Curlew", "curlew-8.14": "Curlew on libcurl 8.14.1", "async-http-client": "async-http-client",
    "urlsession": "URLSession", "curl": "curl", "aiohttp": "aiohttp (Python)", "go": "net/http (Go)",
}
PROTOCOLS = {"HTTP/1.1": "HTTP/1.1", "HTTP/2.0": "HTTP/2"}


def microseconds(row):
    return row["cpu"] / row["count"] * 1e6


# Each task: its name, its heading, the plotted figure with its unit, and the text of a cell in the table.
TASKS = [
    ("turn", "1 kB, one after another", microseconds, "µs of CPU per request",
     lambda row: f"{microseconds(row):.0f} µs, {row['count'] / row['wall']:,.0f}/s"),
    ("crowd", "1 kB, 32 at once", microseconds, "µs of CPU per request",
     lambda row: f"{microseconds(row):.0f} µs, {row['count'] / row['wall']:,.0f}/s"),
    ("record", "JSON into a value, 32 at once", microseconds, "µs of CPU per request",
     lambda row: f"{microseconds(row):.0f} µs, {row['count'] / row['wall']:,.0f}/s"),
    ("tls", "1 kB over TLS, 32 at once", microseconds, "µs of CPU per request",
     lambda row: f"{microseconds(row):.0f} µs, {row['count'] / row['wall']:,.0f}/s"),
    ("file", "1 GiB to a file", lambda row: row["cpu"], "s of CPU",
     lambda row: f"{row['cpu']:.2f} s, {row['rss']:.0f} MB"),
    ("start", "a program that GETs one value", lambda row: row["wall"] * 1000, "ms from start to end",
     lambda row: f"{row['wall'] * 1000:.0f} ms, {row['rss']:.0f} MB"),
]


def read(path):
    """The best row of each task and peer, by task."""
    best, extra = {}, {}
    with open(path) as file:
        for line in file:
            task, peer, count, wall, cpu, rss = line.rstrip("\n").split("\t")
            if task in ("size", "protocol"):
                extra[task, peer] = count
                continue
            row = {"count": int(count), "wall": float(wall), "cpu": float(cpu), "rss": float(rss)}
            key = "wall" if task == "start" else "cpu"
            rows = best.setdefault(task, {})
            if peer not in rows or row[key] < rows[peer][key]:
                rows[peer] = row
    return best, extra


def cell(task, text, row, peer, extra):
    if row is None:
        return "–"
    words = text(row)
    if task == "tls":
        protocol = extra.get(("protocol", peer), "")
        words += f", {PROTOCOLS.get(protocol, protocol)}"
    if task == "start" and ("size", peer) in extra:
        words += f", {int(extra['size', peer]) / 1e6:.1f} MB on disk"
    return words


def table(best, extra):
    peers = [peer for peer in NAMES if any(peer in rows for rows in best.values())]
    lines = ["| | " + " | ".join(task[1] for task in TASKS) + " |", "|---" * (len(TASKS) + 1) + "|"]
    for peer in peers:
        cells = [cell(task, text, best.get(task, {}).get(peer), peer, extra) for task, _, _, _, text in TASKS]
        lines.append(f"| {NAMES[peer]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def panel(x, y, width, heading, unit, bars):
    """One task: a bar for each peer, the longest as wide as there is room."""
    label, value, height = 150, 70, 22
    most = max(figure for _, figure in bars)
    parts = [f'<text x="{x}" y="{y}" class="h">{escape(heading)}</text>',
             f'<text x="{x}" y="{y + 16}" class="u">{escape(unit)}</text>']
    for index, (peer, figure) in enumerate(bars):
        top = y + 26 + index * height
        length = max(1.0, figure / most * (width - label - value))
        kind = "c" if peer.startswith("curlew") else "p"
        parts.append(f'<text x="{x + label - 8}" y="{top + 13}" class="n">{escape(NAMES[peer])}</text>'
                     f'<rect x="{x + label}" y="{top}" width="{length:.1f}" height="16" class="{kind}"/>'
                     f'<text x="{x + label + length + 6:.1f}" y="{top + 13}" class="v">{number(figure)}</text>')
    return "\n".join(parts)


STYLE = """  text { fill: #1d1d1f; } .t { font-size: 20px; font-weight: bold; } .h { font-size: 14px; font-weight: bold; }
  .u, .v, .n { font-size: 11px; } .u { fill: #666; } .n { text-anchor: end; } .b { fill: #fff; } .c { fill: #0a7d6c; } .p { fill: #b4bcc4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f5f5f7; } .u { fill: #b0b0b6; } .b { fill: #1c1c1e; } .c { fill: #3fb8a4; } .p { fill: #5a626a; }
  }
"""


def number(figure):
    return f"{figure:,.0f}" if figure >= 10 else f"{figure:.2f}"


def plot(best, title):
    width, columns, row_height = 460, 2, 226
    panels, words = [], []
    for index, (task, heading, figure, unit, _) in enumerate(TASKS):
        bars = [(peer, figure(best[task][peer])) for peer in NAMES if peer in best.get(task, {})]
        if bars:
            x, y = 24 + index % columns * width, 84 + index // columns * row_height
            panels.append(panel(x, y, width - 24, heading, unit, bars))
            words.append(f"{heading}, {unit}: " + ", ".join(f"{NAMES[peer]} {number(value)}" for peer, value in bars) + ".")
    size = (24 + columns * width, 84 + -(-len(TASKS) // columns) * row_height)
    # The text of `desc` is read to those who cannot see the bars.
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" height="{size[1]}" role="img" aria-labelledby="title words" font-family="sans-serif">
<title id="title">Curlew beside other HTTP clients</title>
<desc id="words">{escape(" ".join(words))}</desc>
<style>
{STYLE}</style>
<rect width="100%" height="100%" class="b"/>
<text x="24" y="34" class="t">Curlew beside other HTTP clients, each with its defaults; less is better</text>
<text x="24" y="54" class="u">{escape(title)}; the best of all rounds, on loopback with nginx; printed by Scripts/bench peers</text>
{chr(10).join(panels)}
</svg>
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("plot")
    parser.add_argument("--title", required=True)
    arguments = parser.parse_args()
    best, extra = read(arguments.results)
    print(arguments.title + "\n\n" + table(best, extra))
    with open(arguments.plot, "w") as file:
        file.write(plot(best, arguments.title))


main()
