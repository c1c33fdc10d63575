"""The weather of the sample: reads a line of JSON, writes a line of JSON.

In:  {"ms": 900000, "places": [{"name": "park", "agents": ["amal", "birgit"]}, ...],
      "said": [{"ms": 312000, "place": "park", "who": "amal", "text": "What a fine day."}, ...]}
Out: {"moves": [{"who": "amal", "to": "arcade"}], "says": [{"place": "park", "text": "It begins to rain."}]}
"""

import json
import sys

for line in sys.stdin:
    asked = json.loads(line)
    answer = {"moves": [], "says": []}
    if asked["ms"] == 45 * 60_000:
        park = next(place for place in asked["places"] if place["name"] == "park")
        answer["says"].append({"place": "arcade", "text": "It begins to rain, and people come in."})
        answer["moves"] = [{"who": who, "to": "arcade"} for who in park["agents"]]
    print(json.dumps(answer), flush=True)
