"""Kinds of lines in the log of the server. What a fault repeats fills a disk and hides the rest."""

import collections
import re

FLOOD = 200      # lines of one kind in one life of the server
LONGEST = 110    # characters of a kind

# in this order: what differs between two lines of one kind
DIFFERENT = (
    (re.compile(r"^\d{4}-\d\d-\d\dT\S+\s+"), ""),                    # when
    (re.compile(r"\{[^}]*\}"), ""),                                   # of which turn
    (re.compile(r" (?:persona|channel|model|person|writes)=\S+"), ""),
    (re.compile(r"zq[cgups]\d\w*q"), "MARK"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}"), "ID"),
    (re.compile(r"\b(?:api:\S+|m?\d[\d.:]*)"), "N"),
    (re.compile(r"\b(?:mock|small)-\w+|\b\w+\.md\b"), "NAME"),
)


def kind_of(line):
    for pattern, instead in DIFFERENT:
        line = pattern.sub(instead, line)
    return line.strip()[:LONGEST]


def check(lines, report):
    """Counts the lines of one life."""
    kinds = collections.Counter(kind_of(line) for line in lines if line.strip())
    report.log.update(kinds)
    for kind, number in kinds.items():
        if number > FLOOD:
            report.violation("a flood in the log", f"{number} lines in one life of the server: {kind}", same=kind)
