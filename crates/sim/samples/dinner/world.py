"""The game master of the sample: reads a line of JSON, writes a line of JSON.

In:  {"ms": 300000, "places": [...], "said": [{"ms": 121000, "place": "table", "who": "ruth", "text": "I take some soup."}]}
Out: {"moves": [], "says": [{"place": "table", "text": "Ruth takes a helping; two are left."}]}

It keeps the state of the world, here the pot, and decides what comes of what people try. The same questions get the same
answers, so a run that is resumed goes on as it was.
"""

import json
import sys

helpings = 3
for line in sys.stdin:
    asked = json.loads(line)
    says = []
    for said in asked["said"]:
        if "some soup" not in said["text"].lower():
            continue
        name = said["who"].capitalize()
        if helpings > 0:
            helpings -= 1
            says.append(f"{name} takes a helping; {helpings} left.")
        else:
            says.append(f"{name} reaches for the ladle, but the pot is empty.")
    print(json.dumps({"says": [{"place": "table", "text": text} for text in says]}), flush=True)
