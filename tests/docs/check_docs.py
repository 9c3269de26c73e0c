#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the pages against the code and the command they describe.

usage: check_docs.py CHECK --source DIR --weft BINARY [--update]

CHECK is one of the functions below that start with check_. With --update the check `console`
rewrites what commands print instead of comparing it.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PAGES = ["README.md", "docs/hacking.md", "docs/selection.md", "docs/performance.md"]


class Tree:
    """The source tree, the command, and what was found wrong."""

    def __init__(self, source, weft, update):
        self.source = pathlib.Path(source)
        self.weft = weft
        self.update = update
        self.problems = []

    def text(self, path):
        return (self.source / path).read_text(encoding="utf-8")

    def sources(self, *folders):
        for folder in folders:
            for path in sorted((self.source / folder).rglob("*")):
                if path.suffix in (".cc", ".hpp"):
                    yield path.read_text(encoding="utf-8")

    def table(self, page, heading):
        """Rows (tuples of cells, code marks removed) of the first table below a heading."""
        lines = iter(self.text(page).splitlines())
        for line in lines:
            if line.lstrip("#").strip().replace("`", "") == heading and line.startswith("#"):
                break
        else:
            sys.exit(f"{page} has no heading '{heading}'")
        rows = []
        for line in lines:
            if line.startswith("|"):
                rows.append(tuple(c.strip().replace("`", "") for c in line.strip("|").split("|")))
            elif rows or line.startswith("#"):
                break
        if len(rows) < 3:
            sys.exit(f"{page}: no table below '{heading}'")
        return rows[2:]

    def run(self, *arguments):
        """Standard output of the command, away from anybody's database and settings."""
        with tempfile.TemporaryDirectory() as empty:
            keep = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "XDG_"))}
            keep.update(XDG_DATA_HOME=empty, XDG_DATA_DIRS=empty, HOME=empty)
            done = subprocess.run(
                [self.weft, *arguments], env=keep, capture_output=True, text=True, check=False
            )
        if done.returncode != 0:
            self.problems.append(f"weft {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def same(self, what, documented, actual):
        """Both sides must name the same things, and at least one."""
        for missing in sorted(set(actual) - set(documented)):
            self.problems.append(f"{what}: {missing} is not documented")
        for gone in sorted(set(documented) - set(actual)):
            self.problems.append(f"{what}: {gone} is documented but does not exist")
        if not set(actual):
            self.problems.append(f"{what}: found nothing to compare with")


def check_environment(tree):
    """Variables that the code reads, the table of the page, and the help page."""
    read = set()
    for text in tree.sources("src", "tools"):
        read.update(re.findall(r'env::\w+\(\s*"(\w+)"', text))
    page = [row[0] for row in tree.table("docs/selection.md", "Environment variables")]
    tree.same("docs/selection.md, environment", page, read)
    help_text = tree.run("--help").split("Environment", 1)[-1]
    tree.same("weft --help, environment", re.findall(r"^  ([A-Z_]+) ", help_text, re.M), read)


def check_config_fields(tree):
    body = re.search(r"struct FusedConfig \{(.*?)\n\};", tree.text("include/weft/config.hpp"), re.S)
    fields = re.findall(r"^  \S+ (\w+) = ", body.group(1), re.M)
    page = [row[0] for row in tree.table("docs/hacking.md", "Configuration fields")]
    tree.same("docs/hacking.md, configuration fields", page, fields)


def check_reasons(tree):
    text = tree.text("src/select/reasons.hpp")
    codes = dict(re.findall(r'string_view (k\w+) = "(\w+)"', text))
    meanings = re.findall(r'\{reason::(k\w+),\s*"([^"]+)"\}', text)
    actual = {(codes[name], meaning) for name, meaning in meanings}
    page = set(tree.table("docs/selection.md", "Reasons"))
    tree.same("docs/selection.md, reasons", page, actual)
    found = set()
    for text in tree.sources("src/ops"):
        found.update(re.findall(r'"(guard_\w+)"', text))
        found.update(re.findall(r'reason = "(\w+)"', text))
        found.update(re.findall(r'fall_back\(std::move\(\w+\),\s*"(\w+)"', text))
    page = [row[0] for row in tree.table("docs/selection.md", "Reasons that a plan adds")]
    tree.same("docs/selection.md, reasons of a plan", page, found)


def check_results(tree):
    """Fields of result files, and columns of the table that bench prints."""
    text = tree.text("src/ops/results.cc")
    meta = re.search(r"ordered_json results_meta\(.*?\n\}", text, re.S).group(0)
    row = re.search(r"ordered_json results_row\(.*?\n\}", text, re.S).group(0)
    field = r'(?:\{|row\[)"(\w+)"[,\]]'
    for heading, code in (("Meta", meta), ("Rows", row)):
        page = [cells[0] for cells in tree.table("docs/performance.md", heading)]
        tree.same(f"docs/performance.md, {heading}", page, re.findall(field, code))
    header = re.search(r"Table table\(\{(.*?)\}\)", tree.text("tools/cli/bench_table.cc"), re.S)
    page = [cells[0] for cells in tree.table("docs/performance.md", "Columns of weft bench")]
    tree.same("docs/performance.md, columns", page, re.findall(r'"([^"]+)"', header.group(1)))


def check_constants(tree):
    """Numbers that the page quotes, by their name in the code."""
    code = "\n".join(tree.sources("src"))
    for name, value, _ in tree.table("docs/selection.md", "Constants"):
        found = re.search(rf"\b{name} = ([\d.'_]+);", code)
        actual = found.group(1).replace("'", "") if found else "nothing of that name"
        if not found or float(actual) != float(value.replace(",", "")):
            tree.problems.append(f"docs/selection.md says {name} = {value}; the code has {actual}")


def check_example(tree):
    """The program that README shows is the one that tests build and run."""
    shown = re.search(r"```cpp\n(.*?)```", tree.text("README.md"), re.S).group(1)
    program = tree.text("examples/first_light.cc").split("\n", 2)[2]
    if shown != program:
        tree.problems.append("README.md shows another program than examples/first_light.cc")


def check_console(tree):
    """Blocks that start with `$ weft` show exactly what the command prints."""
    blocks = 0

    def replay(match):
        nonlocal blocks
        blocks += 1
        command = match.group(1)
        printed = tree.run(*shlex.split(command)[1:])
        if not tree.update and printed != match.group(2):
            tree.problems.append(f"{page}: '{command}' prints:\n{printed}")
        return f"```console\n$ {command}\n{printed}```"

    for page in PAGES:
        text = tree.text(page)
        new = re.sub(r"```console\n\$ (weft [^\n]*)\n(.*?)```", replay, text, flags=re.S)
        if tree.update:
            (tree.source / page).write_text(new, encoding="utf-8")
    if blocks == 0:
        tree.problems.append("no page shows a command with its output")


def check_commands(tree):
    """Verbs, options and make targets that pages mention exist."""
    helps = {}
    targets = set(re.findall(r"^([a-z-]+):", tree.text("Makefile"), re.M))
    mentioned = 0
    for page in PAGES:
        text = tree.text(page)
        for target in re.findall(r"(?:`|^)make ([a-z-]+)", text, re.M):
            if target not in targets:
                tree.problems.append(f"{page}: there is no 'make {target}'")
        for words in re.findall(r"(?:`|\$ |^)weft ([a-z-][^`\n#]*)", text, re.M):
            path = re.match(r"(?:[a-z]+ ?){0,2}", words).group(0).split()
            path = path[:2] if path[:1] == ["db"] else path[:1]
            if tuple(path) not in helps:
                helps[tuple(path)] = tree.run(*path, "--help")
            for option in re.findall(r"--[a-z][a-z-]*", words):
                mentioned += 1
                if not re.search(rf"{option}\b", helps[tuple(path)]):
                    tree.problems.append(f"{page}: 'weft {' '.join(path)}' has no {option}")
    if mentioned == 0:
        tree.problems.append("no page mentions an option of the command")


def check_links(tree):
    """Relative links lead to files of the tree."""
    links = 0
    for page in PAGES:
        prose = re.sub(r"```.*?```", "", tree.text(page), flags=re.S)
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
            if "://" in target:
                continue
            links += 1
            if not (tree.source / page).parent.joinpath(target).exists():
                tree.problems.append(f"{page} links to {target}, which does not exist")
    if links == 0:
        tree.problems.append("no page has a link")


def main():
    checks = {n[6:]: f for n, f in globals().items() if n.startswith("check_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=sorted(checks))
    parser.add_argument("--source", required=True)
    parser.add_argument("--weft", required=True)
    parser.add_argument("--update", action="store_true")
    a = parser.parse_args()
    tree = Tree(a.source, a.weft, a.update)
    checks[a.check](tree)
    for problem in tree.problems:
        print(problem)
    sys.exit(1 if tree.problems else 0)


if __name__ == "__main__":
    main()
