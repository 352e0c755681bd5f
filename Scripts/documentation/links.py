"""Checks the links of the documentation: those of the built site, and those of the repository's Markdown files.

    links.py REPOSITORY [SITE]

In Markdown files, a relative link must lead to a file, and its fragment to a heading. A link to the project's own pages on GitHub must
lead to a file of this tree. A table has a line of dashes below its first line. In the site, every page, image and download that a page
refers to must be there. Links to other hosts are not followed: this needs no network. A link that DocC itself cannot resolve is one of its
warnings.
"""
import json
import pathlib
import re
import subprocess
import sys

OWN = re.compile(r"https://github\.com/curlew/curlew/(?:blob|tree)/main/([^)#\s\"]+)")
# The first line of a table, where no line of dashes follows.
TABLE = re.compile(r"(?<![^\n])\n(\|[^\n]*)\n(?!\| ?:?-)")
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text):
    """The fragments of a Markdown file's headings, as GitHub makes them."""
    found, fenced = set(), False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("#"):
            title = line.lstrip("#").strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return found


def without_code(text):
    """The text with its blocks and spans of code removed, which contain no links."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def markdown_faults(top):
    listed = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard", "--", "*.md"], capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        path = top / name
        text = path.read_text()
        for table in TABLE.findall(without_code(text)):
            yield f"{name}: the table {table} has no line of dashes, and is shown as text"
        for own in OWN.findall(text):
            if not (top / own).exists():
                yield f"{name}: {own} is not in this tree"
        for link in LINK.findall(without_code(text)):
            # A page of the site is looked for there.
            if re.match(r"[a-z]+:|/documentation/", link):
                continue
            file, _, fragment = link.partition("#")
            target = path if not file else path.parent / file
            if not target.exists():
                yield f"{name}: {link} leads to no file"
            elif fragment and fragment not in anchors(target.read_text()):
                yield f"{name}: {link} leads to no heading"


def front_faults(site):
    """The first page of the site must lead to the documentation."""
    page = site / "index.html"
    target = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', page.read_text()) if page.exists() else None
    if target is None or not (site / target[1] / "index.html").exists():
        yield f"{page}: the first page leads to no page of the documentation"


def site_faults(site):
    yield from front_faults(site)
    pages = sorted((site / "data").rglob("*.json"))
    if not pages:
        yield f"{site} has no pages"
    for path in pages:
        page = json.loads(path.read_text())
        for reference in page.get("references", {}).values():
            kind, url = reference.get("type"), reference.get("url", "")
            if kind in ("topic", "section", "link") and url.startswith("/"):
                target = url.partition("#")[0].lower()
                if not (site / f"data{target}.json").exists():
                    yield f"{path.relative_to(site)}: the page {url} is missing"
            elif kind in ("image", "download"):
                for address in [variant["url"] for variant in reference.get("variants", [])] or [url]:
                    if not (site / address.lstrip("/")).exists():
                        yield f"{path.relative_to(site)}: the file {address} is missing"


top = pathlib.Path(sys.argv[1]).resolve()
faults = list(markdown_faults(top))
if len(sys.argv) > 2:
    faults += site_faults(pathlib.Path(sys.argv[2]))
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
