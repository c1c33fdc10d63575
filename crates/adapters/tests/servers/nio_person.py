"""A person at a Matrix client, matrix-nio: invites the bot to a direct chat, says a text at once, and prints the first
message of the bot, as JSON.

    nio_person.py HOMESERVER USER PASSWORD BOT TEXT
"""

import asyncio
import json
import sys

from nio import AsyncClient, RoomMessageText


async def main(homeserver, user, password, bot, text):
    client = AsyncClient(homeserver, user)
    await client.login(password)
    heard = asyncio.get_running_loop().create_future()

    def hears(_, event):
        if event.sender == bot and not heard.done():
            heard.set_result(event.source)

    client.add_event_callback(hears, RoomMessageText)
    room = await client.room_create(is_direct=True, invite=[bot])
    await client.room_send(room.room_id, "m.room.message", {"msgtype": "m.text", "body": text})
    syncing = asyncio.ensure_future(client.sync_forever(timeout=2000))
    print(json.dumps(await heard))
    syncing.cancel()
    await client.close()


asyncio.run(main(*sys.argv[1:]))
