#!/usr/bin/env python3
"""Prints the table of `Scripts/bench peers` as Markdown and draws it as SVG.

plot-peers.py RESULTS PLOT.svg --title TEXT

A line of the results is: task, peer, count, wall seconds, CPU seconds, peak memory in MB. The best line of a task and a peer
counts, by CPU time; for a start, by wall time. RESULTS can be the article with an earlier table (.md) too, which is drawn again.
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


def read_table(path):
    """The rows of a table that `table` has written, by task."""
    best, peers = {}, {name: peer for peer, name in NAMES.items()}
    with open(path) as file:
        rows = [line.strip().strip("|").split(" | ") for line in file if line.startswith("| ")]
    for name, *cells in ([cell.strip() for cell in row] for row in rows if row[0].strip() in peers):
        for (task, *_), text in zip(TASKS, cells, strict=True):
            if text != "–":
                # A time with its unit, and a rate or a size of memory, which no picture shows.
                figure, unit = text.split(",")[0].split(" ")
                seconds = float(figure) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]
                best.setdefault(task, {})[peers[name]] = {"count": 1, "wall": seconds, "cpu": seconds, "rss": 0}
    return best


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


WIDTH, MARGIN = 480, 16


def panel(y, heading, unit, bars):
    """One task: for each peer its name, and below it a bar, the longest as wide as there is room."""
    value, height = 64, 38
    most = max(figure for _, figure in bars)
    parts = [f'<text x="{MARGIN}" y="{y}" class="h">{escape(heading)}</text>',
             f'<text x="{MARGIN}" y="{y + 20}" class="u">{escape(unit)}</text>']
    for index, (peer, figure) in enumerate(bars):
        top = y + 30 + index * height
        length = max(1.0, figure / most * (WIDTH - 2 * MARGIN - value))
        kind = "c" if peer.startswith("curlew") else "p"
        parts.append(f'<text x="{MARGIN}" y="{top + 14}">{escape(NAMES[peer])}</text>'
                     f'<rect x="{MARGIN}" y="{top + 19}" width="{length:.1f}" height="12" class="{kind}"/>'
                     f'<text x="{MARGIN + length + 8:.1f}" y="{top + 30}">{number(figure)}</text>')
    return "\n".join(parts), 30 + len(bars) * height + 30


STYLE = """  text { fill: #1d1d1f; font-size: 16px; } .t { font-size: 20px; font-weight: bold; } .h { font-size: 17px; font-weight: bold; }
  .u { fill: #666; } .b { fill: #fff; } .c { fill: #0a7d6c; } .p { fill: #b4bcc4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f5f5f7; } .u { fill: #b0b0b6; } .b { fill: #1c1c1e; } .c { fill: #3fb8a4; } .p { fill: #5a626a; }
  }
"""


def number(figure):
    return f"{figure:,.0f}" if figure >= 10 or figure == int(figure) else f"{figure:.2f}"


def plot(best, title):
    """The picture: one column, whose letters a phone shows in a size that can be read."""
    about = ["Curlew beside other HTTP clients", "each with its defaults; less is better", *title.replace(", commit ", "\ncommit ").split("\n"),
             "The best of all rounds, on loopback with nginx", "printed by Scripts/bench peers"]
    head = [f'<text x="{MARGIN}" y="34" class="t">{escape(about[0])}</text>']
    head += [f'<text x="{MARGIN}" y="{58 + index * 21}" class="u">{escape(line)}</text>' for index, line in enumerate(about[1:])]
    panels, words, y = [], [], 58 + len(about[1:]) * 21 + 24
    for task, heading, figure, unit, _ in TASKS:
        bars = [(peer, figure(best[task][peer])) for peer in NAMES if peer in best.get(task, {})]
        if bars:
            drawn, height = panel(y, heading, unit, bars)
            panels.append(drawn)
            y += height
            words.append(f"{heading}, {unit}: " + ", ".join(f"{NAMES[peer]} {number(value)}" for peer, value in bars) + ".")
    size = (WIDTH, y - 24)
    # The text of `desc` is read to those who cannot see the bars.
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" height="{size[1]}" role="img" aria-labelledby="title words" font-family="sans-serif">
<title id="title">Curlew beside other HTTP clients</title>
<desc id="words">{escape(" ".join(words))}</desc>
<style>
{STYLE}</style>
<rect width="100%" height="100%" class="b"/>
{chr(10).join(head)}
{chr(10).join(panels)}
</svg>
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results")
    parser.add_argument("plot")
    parser.add_argument("--title", required=True)
    arguments = parser.parse_args()
    if arguments.results.endswith(".md"):
        best = read_table(arguments.results)
    else:
        best, extra = read(arguments.results)
        print(arguments.title + "\n\n" + table(best, extra))
    with open(arguments.plot, "w") as file:
        file.write(plot(best, arguments.title))


main()
