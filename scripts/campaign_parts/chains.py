"""The conversations of rooms of personas, one by one: each ends, whatever bots say and whenever the process dies."""

import collections
import itertools

CHAIN = 4                # the default of room.chain
CROWDED = "api:club"     # its personas may answer each other as often as an hour is long, so that no chain ends early
LIMITED = "api:lodge"    # its personas may answer each other and bots so many times an hour:
PER_HOUR = 200
BOT = "beep"

SETTINGS = f"""[room]
per_hour = 1000000
[[channels]]
match = "{LIMITED}"
per_hour = {PER_HOUR}
"""

HOUR = 3600 - 60         # seconds; a reply is stored some time after it was permitted
Row = collections.namedtuple("Row", "number at kind answers trigger")


def rows(ask, channel):
    """The messages of a room in their order. A kind is person, bot or reply; `answers` is the kind of what a reply
    answers, and `trigger` its number."""
    found = []
    kinds = {}
    for number, at, author_id, turn, trigger in ask(
            "SELECT m.id, m.at, m.author_id, m.turn_id, t.trigger_id FROM messages m"
            " JOIN channels c ON c.id = m.channel_id LEFT JOIN turns t ON t.id = m.turn_id"
            " WHERE c.key = ? ORDER BY m.id", channel):
        kinds[number] = "reply" if turn is not None else "bot" if author_id == BOT else "person"
        found.append(Row(number, at / 1e6, kinds[number], kinds.get(trigger), trigger))
    return found


def chains(room):
    """A message of a person and what was said until the next one. A room of one persona and no bot has no limits, so
    they count from the first message of a bot on."""
    chain = None
    for row in itertools.dropwhile(lambda row: row.kind != "bot", room):
        if row.kind == "person":
            if chain:
                yield chain
            chain = [row]
        elif chain:
            chain.append(row)
    if chain:
        yield chain


def check(ask, report):
    for channel in (CROWDED, LIMITED):
        room = rows(ask, channel)
        longest = number = 0
        for number, chain in enumerate(chains(room), 1):
            longest = max(longest, one(channel, chain, report))
        report.counts[f"chains in {channel}"] = number
        report.counts[f"replies of the longest chain in {channel}"] = longest
        report.counts[f"replies in {channel} to personas and bots"] = sum(row.answers in ("reply", "bot") for row in room)
        if channel == LIMITED:
            hourly(channel, room, report)


def one(channel, chain, report):
    """Personas reply at most CHAIN times; what bots say takes places of the chain, too. Gives the number of replies."""
    begins = f"the message {chain[0].number} of {channel}"
    replies = sum(row.kind == "reply" for row in chain)
    if replies > CHAIN:
        report.violation("personas go on talking", f"{replies} replies between {begins} and the next one of a person",
                         shape(chain), same=begins)
    taken = {row.number: place for place, row in enumerate(chain)}  # places with this message
    for row in chain:
        if row.answers == "bot" and taken.get(row.trigger, 0) >= CHAIN:
            report.violation("a bot is answered at the end of a chain", f"{row.number} answers {row.trigger}, which is "
                             f"number {taken[row.trigger]} after {begins}", shape(chain))
    return replies


def shape(chain):
    return " ".join(f"{row.number}:{row.kind}" + (f"→{row.trigger}" if row.trigger else "") for row in chain)


def hourly(channel, room, report):
    """In no hour more answers to personas and bots than the room permits."""
    window = collections.deque()
    for row in room:
        if row.answers in ("reply", "bot"):
            window.append(row.at)
            while window[0] <= row.at - HOUR:
                window.popleft()
            if len(window) > PER_HOUR:
                report.violation("personas talk too much in an hour", f"{len(window)} answers up to {row.number} of "
                                 f"{channel}, limit {PER_HOUR}", same=channel)
                return
