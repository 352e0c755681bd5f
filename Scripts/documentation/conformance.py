"""Makes the table of conformance from the results of a run.

    conformance.py write FOLDER            stores the results in FOLDER beside this file, and writes the article and README's line
    conformance.py check FOLDER [NAME…]    fails if a result differs from the stored one, if the article or README's line is not
                                           what the stored results make, or if a transport NAME has no result

FOLDER has `rules.tsv` and a file for each transport, as CurlewTestSupport's TransportConformance writes them. A transport without a file
keeps its stored results.
"""
import pathlib
import re
import sys

TRANSPORTS = ["libcurl 7.88.1", "libcurl 8.14.1", "URLSession", "AsyncHTTPClient"]
MARKS = {"holds": "✓", "lacks": "lacks", "excluded": "excluded", "unchecked": "–", "broken": "**broken**"}
# Which of several results of one rule counts: a rule that needs TLS is skipped over plain HTTP and checked over TLS.
ORDER = ["broken", "holds", "excluded", "lacks", "unchecked"]

HERE = pathlib.Path(__file__).parent
STORED, RULES = HERE / "conformance.tsv", HERE / "conformance-rules.tsv"
ARTICLE = HERE / "../../Modules/Curlew/Curlew.docc/ConformanceOfTransports.md"
README = HERE / "../../README.md"


def rows(path):
    """Returns the lines of a file, each as the list of its fields."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def verdict(state, reason):
    """Returns the verdict of one line of a transport's file, and its reason."""
    if state == "passed":
        return "holds", ""
    if state == "broken":
        return "broken", reason
    if reason.startswith("excluded: "):
        return "excluded", reason.removeprefix("excluded: ")
    if reason.startswith("the transport lacks "):
        return "lacks", reason.removeprefix("the transport lacks ")
    return "unchecked", reason


def results(path, rules):
    """Returns the verdict and the reason of each rule, from the file of a transport."""
    found = {}
    for rule, state, reason in rows(path):
        new = verdict(state, reason)
        if rule not in found or ORDER.index(new[0]) < ORDER.index(found[rule][0]):
            found[rule] = new
    return {rule: found.get(rule, ("unchecked", "it was not run")) for rule in rules}


def stored():
    """Returns the stored results of each transport."""
    kept = {}
    for transport, rule, state, reason in rows(STORED) if STORED.exists() else []:
        kept.setdefault(transport, {})[rule] = (state, reason)
    return kept


def cell(text):
    """Returns text that does not end a cell of a table."""
    return text.replace("|", "\\|")


def article(rules, kept):
    """Returns the article."""
    shown = [name for name in TRANSPORTS if name in kept]

    def count(name, state):
        return sum(1 for rule in rules if kept[name].get(rule[1], ("unchecked", ""))[0] == state)

    def row(*cells):
        return "| " + " | ".join(cells) + " |"

    head = [row("", *shown), row(*["---"] * (len(shown) + 1))]
    lines = [
        "# Which rules each transport keeps",
        "",
        f"{len(rules)} rules of HTTP and of the protocol `Transport`, and which of them the transports keep.",
        "",
        "## Overview",
        "",
        "`Scripts/conformance-table` makes this page from a run of `TransportConformance`; CI fails if a result differs. Each rule is checked",
        "against a server on the loopback network, over plain HTTP and, where the transport can trust a test's certificate, over TLS.",
        "",
    ]
    counts = [
        row("✓ holds", *[str(count(name, "holds")) for name in shown]),
        row("lacks a capability, and refuses what needs it", *[str(count(name, "lacks")) for name in shown]),
        row("excluded, with a reason", *[str(count(name, "excluded")) for name in shown]),
        row("– not checked", *[str(count(name, "unchecked")) for name in shown]),
    ]
    lines += head + counts if shown else ["No run has been recorded yet."]
    if any(count(name, "broken") for name in shown):
        lines.append(row("**broken**", *[str(count(name, "broken")) for name in shown]))
    topics = []
    for rule in rules:
        if rule[0] not in topics:
            topics.append(rule[0])
    for topic in topics:
        lines += ["", f"### {topic}", "", row("rule", *shown), head[1]]
        for _, name, sentence, source, reason in (rule for rule in rules if rule[0] == topic):
            text = f"`{name}`: {sentence}. {reason} ({source if source.startswith('RFC') else '`' + source + '`'})"
            lines.append(row(cell(text), *[MARKS[kept[shown_name].get(name, ("unchecked", ""))[0]] for shown_name in shown]))
    for title, state in [("What is excluded, and why", "excluded"), ("What is lacking", "lacks"), ("What is not checked", "unchecked")]:
        reasons = []
        for name in shown:
            of = {}
            for rule in rules:
                found = kept[name].get(rule[1], ("unchecked", "it was not run"))
                if found[0] == state:
                    of.setdefault(found[1], []).append(f"`{rule[1]}`")
            reasons += [row(name, cell(reason), ", ".join(names)) for reason, names in of.items()]
        if reasons:
            lines += ["", f"### {title}", "", row("transport", "reason", "rules"), row("---", "---", "---"), *reasons]
    return "\n".join(lines) + "\n"


def summary(rules, kept):
    """Returns README's line."""
    kept_rules = {name: sum(1 for state, _ in kept[name].values() if state == "holds") for name in TRANSPORTS if name in kept}
    counts = ", ".join(f"{name} keeps {count}" for name, count in kept_rules.items()) or "no run is recorded yet"
    return f"Of {len(rules)} rules, {counts}: [the table](Modules/Curlew/Curlew.docc/ConformanceOfTransports.md)."


def readme(line):
    """Returns README with a line in the place of the old one."""
    text, count = re.subn(r"(?m)^Of \d+ rules, .*the table.*\.$", line, README.read_text(encoding="utf-8"))
    if count != 1:
        sys.exit("conformance.py: README.md has no line that begins with 'Of N rules, ' and links to the table.")
    return text


def main(command, folder, *required):
    folder = pathlib.Path(folder)
    described = folder / "rules.tsv" if (folder / "rules.tsv").exists() else RULES
    rules = [tuple(row) for row in rows(described)]
    kept, differences = stored(), []
    for name in TRANSPORTS:
        path = folder / f"{name}.tsv"
        if not path.exists():
            if name in required:
                differences.append(f"{name}: was not run")
            continue
        new = results(path, [rule[1] for rule in rules])
        old = kept.get(name, {})
        for rule in sorted(old.keys() | new.keys()):
            if old.get(rule) != new.get(rule):
                was, now = old.get(rule, ("not in the table", "")), new.get(rule, ("no rule any more", ""))
                differences.append(f"{name}: {rule}: was {' '.join(was).strip()}, is {' '.join(now).strip()}")
        kept[name] = new
    if command == "write":
        names = {rule[1] for rule in rules}
        RULES.write_text("".join("\t".join(rule) + "\n" for rule in rules), encoding="utf-8")
        lines = [
            "\t".join([name, rule[1], *kept[name].get(rule[1], ("unchecked", "it was not run"))])
            for name in TRANSPORTS if name in kept for rule in rules if rule[1] in names
        ]
        STORED.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        kept = stored()
        ARTICLE.write_text(article(rules, kept), encoding="utf-8")
        README.write_text(readme(summary(rules, kept)), encoding="utf-8")
        print("\n".join(differences) or "No result differs from the stored one.")
        print(summary(rules, kept))
        return 0
    if described != RULES and rules != [tuple(row) for row in rows(RULES)]:
        differences.append("the rules, or what they say, differ from the stored ones")
    kept = stored()
    if not differences:
        if ARTICLE.read_text(encoding="utf-8") != article(rules, kept):
            differences.append("the article is not what the stored results make")
        if README.read_text(encoding="utf-8") != readme(summary(rules, kept)):
            differences.append("README's line is not what the stored results make")
    for difference in differences:
        print(difference)
    if differences:
        print("If that is intended, Scripts/conformance-table writes the table anew from these results.")
    return 1 if differences else 0


sys.exit(main(*sys.argv[1:]))
