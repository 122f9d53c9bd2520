"""Messages and bodies in which every piece of content holds the text `MARK`.

Content is everything in a message: its text, names, ids, the keys and values in a call's args, the names, URLs and
bytes of files, and the blocks of an original. The name of a conversation may be the name of a person, so it is private
too.
"""

from __future__ import annotations

import json
from base64 import b64encode

MARK = "mArKeR7"  # an identifier, so that it can be in any path
CONVERSATION = f"{MARK}@example.com"
CALL = {"id": f"id-{MARK}", "name": f"tool-{MARK}", "args": {MARK: {f"a {MARK}": [MARK, 1]}}}
MARKED_BYTES = b64encode(MARK.encode() * 3).decode()
FILES = [
    {"mediaType": "image/png", "data": MARKED_BYTES, "name": f"{MARK}.png", "offset": 1},
    {"mediaType": "text/plain", "url": f"https://{MARK}.example.com/{MARK}?token={MARK}"},
]
THINKING = {"type": "thinking", "thinking": f"{MARK} thinks", "signature": f"{MARK}/{MARKED_BYTES}", MARK: [MARK]}
MESSAGE = {
    "role": "assistant",
    "content": f"{MARK} said hello",
    "name": MARK,
    "toolCalls": [CALL],
    "toolCallId": f"id-{MARK}",
    "files": FILES,
    "original": {"api": "anthropic", "model": f"model-{MARK}", "blocks": [THINKING]},
}
BAD_ARGS = [
    f'{{"{MARK}": 1e999}}',
    f'{{"{MARK}": 1, "{MARK}": 2}}',
    f'{{"a": {{"{MARK} b": "\\ud800"}}}}',
    f'{{"{MARK}": {"9" * 5_000}}}',
    f'{{"{MARK}": {"[" * 300}"{MARK}"{"]" * 300}}}',
    f'{{"{MARK}": NaN}}',
    f'{{"{MARK}": {MARK}}}',
]
BAD_FILES = [
    MARK,
    {MARK: MARK},
    {"mediaType": MARK, "data": "AAAA"},
    {"mediaType": "image/png", "data": f"{MARK}!"},
    {"mediaType": "image/png", "data": MARKED_BYTES + "="},
    {"mediaType": "image/png", "data": MARKED_BYTES, "url": f"https://{MARK}"},
    {"mediaType": "image/png", "data": MARKED_BYTES, "name": [MARK]},
    {"mediaType": "image/png", "data": MARKED_BYTES, "name": MARK, "offset": MARK},
    {"mediaType": "image/png", "url": f"ftp://{MARK}"},
]
BAD_ORIGINALS = [
    MARK,
    {"api": MARK, "blocks": []},
    {"api": "anthropic", "blocks": {MARK: MARK}},
    {"api": "anthropic", "blocks": [], "model": [MARK]},
    {"api": "anthropic", "blocks": [], MARK: MARK},
]
BAD_BODIES = [
    MARK,
    f'"{MARK}"',
    f'["{MARK}"]',
    f'{{"{MARK}": 1}}',
    f'{{"role": "{MARK}", "content": "{MARK}"}}',
    f'{{"role": "user", "content": ["{MARK}"]}}',
    f'{{"role": "user", "content": "{MARK}\\ud800"}}',
    f'{{"role": "user", "content": "{MARK}", "content": "{MARK}"}}',
    f'{{"role": "user", "content": "{MARK}',
    f'{{"role": "user", "content": "{MARK}\\x"}}',
    f'{{"role": "user", "content": "{MARK}"}} {MARK}',
    json.dumps({"role": "user", "content": MARK * 700_000}),
    *(f'{{"role":"assistant","content":"","toolCalls":[{{"id":"1","name":"f","args":{args}}}]}}' for args in BAD_ARGS),
    *(f'{{"role":"assistant","content":"","original":{{"api":"x","blocks":[{args}]}}}}' for args in BAD_ARGS),
    *(json.dumps({"role": "user", "content": MARK, "files": [file]}) for file in BAD_FILES),
    *(json.dumps({"role": "assistant", "content": MARK, "original": original}) for original in BAD_ORIGINALS),
]
