"""mem0's own client against a MemoryHub. Needs the package `mem0ai` beside the variables of the client."""

import os

import httpx
from mem0 import MemoryClient
from mem0.exceptions import ValidationError

PERSON = os.environ["MEMORYHUB_SUBJECT"]
HUB = os.environ.get("MEMORYHUB_URL", "http://127.0.0.1:8000")

# A key for one person needs no header.
http = httpx.Client(headers={"MemoryHub-Subject": PERSON})
client = MemoryClient(api_key=os.environ["MEMORYHUB_KEY"], host=f"{HUB}/api/mem0", client=http)
for text in ("Likes tea in the morning.", "The refund of order 1182 is approved."):
    try:
        print(client.add(text, user_id=PERSON, infer=False)["status"])  # PENDING: the person is asked first
    except ValidationError as refused:
        print(refused.details["status"])
print(client.get_all(filters={"user_id": PERSON})["count"], "remembered")
