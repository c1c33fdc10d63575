"""A person at an XMPP client, slixmpp. Reads commands from stdin, one JSON array per line, and prints what it hears, one
JSON object per line.

    person.py JID PASSWORD PORT CA_FILE [bot]     without encryption where CA_FILE is -; `bot`: it says that it is one
"""

import asyncio
import json
import sys
from pathlib import Path

import slixmpp
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath


def tell(**what):
    print(json.dumps(what), flush=True)


class Person(slixmpp.ClientXMPP):
    def __init__(self, jid, password, ca_file, bot):
        super().__init__(jid, password)
        if ca_file == "-":
            self.enable_starttls = self.enable_direct_tls = False
            self.enable_plaintext = True
            self.plugin["feature_mechanisms"].unencrypted_scram = True
        else:
            self.ca_certs = Path(ca_file)
        for plugin in ("0030", "0045", "0085", "0199", "0308", "0359", "0424", "0461"):
            self.register_plugin(f"xep_{plugin}")
        self.bot = bot
        matches = MatchXPath("{jabber:client}message")
        self.register_handler(Callback("every message", matches, self.hears))
        self.add_event_handler("session_start", self.begins)
        self.add_event_handler("failed_all_auth", lambda _: tell(event="refused"))

    async def begins(self, _):
        # slixmpp says that every client is a bot
        if not self.bot:
            self.plugin["xep_0030"].add_identity(category="client", itype="pc")
            self.plugin["xep_0030"].del_identity(category="client", itype="bot")
        self.send_presence()
        tell(event="online")
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            command, *arguments = json.loads(line)
            await getattr(self, f"do_{command}")(*arguments)
        self.disconnect()

    def hears(self, message):
        children = {
            child.tag.split("}")[1]: dict(child.attrib, text=child.text or "") for child in message.xml
        }
        tell(
            event="message",
            by=str(message["from"]),
            type=message["type"],
            id=message["id"],
            body=message["body"],
            has=children,
        )

    async def do_enter(self, room, nick):
        await self.plugin["xep_0045"].join_muc_wait(slixmpp.JID(room), nick, maxstanzas=0)
        tell(event="entered")

    async def do_say(self, to, kind, text):
        message = self.make_message(mto=to, mbody=text, mtype=kind)
        message.send()
        tell(event="said", id=message["id"])

    async def do_ban(self, room, jid):
        await self.plugin["xep_0045"].set_affiliation(slixmpp.JID(room), "outcast", jid=slixmpp.JID(jid))
        tell(event="banned")

    async def do_kick(self, room, nick):
        await self.plugin["xep_0045"].set_role(slixmpp.JID(room), nick, "none")
        tell(event="kicked")

    async def do_correct(self, to, kind, of, text):
        self.plugin["xep_0308"].build_correction(of, slixmpp.JID(to), mtype=kind, mbody=text).send()

    async def do_retract(self, to, kind, of):
        self.plugin["xep_0424"].send_retraction(slixmpp.JID(to), of, mtype=kind)

    async def do_reply(self, to, kind, author, of, quoted, text):
        self.plugin["xep_0461"].send_reply(author, of, fallback=quoted, mto=to, mtype=kind, mbody=text)


async def main():
    jid, password, port, ca_file, *bot = sys.argv[1:]
    person = Person(jid, password, ca_file, bot)
    person.connect("127.0.0.1", int(port))
    await person.disconnected


asyncio.run(main())
