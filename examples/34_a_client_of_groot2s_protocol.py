"""Publish a mission in Groot2's protocol; a client requests the tree and its statuses."""

import struct

import zmq

from bt_exec.interchange.groot2_publisher import Groot2Publisher
from bt_exec.interchange.xml_text import parse_xml
from bt_exec.testing import run_tree, scripted_skill

TREE = "tree: tea\nroot: {sequence: [{do: boil}, {fallback: [{do: pour}, {do: wipe}]}]}\n"
WORDS = ("idle", "running", "success", "failure", "skipped")

publisher = Groot2Publisher(0)  # a free port; Groot2 asks 1667
parts = [scripted_skill("boil"), scripted_skill("pour", ["SPILT"]), scripted_skill("wipe")]
for event in run_tree(TREE, parts).events:
    publisher.on(event)  # `bt-exec run --groot2 1667` does this while the mission runs

with zmq.Context() as context, context.socket(zmq.REQ) as client:
    client.connect(f"tcp://127.0.0.1:{publisher.port}")
    client.send(struct.pack("<BBI", 2, ord("T"), 1))
    _, xml = client.recv_multipart()
    client.send(struct.pack("<BBI", 2, ord("S"), 2))
    _, buffer = client.recv_multipart()
publisher.close()

statuses = {uid: WORDS[status] for uid, status in struct.iter_unpack("<HB", buffer)}
for element in parse_xml(xml).walk():
    if "_uid" in element.attributes:
        print(f"{element.tag:10}{statuses[int(element.attributes['_uid'])]}")

# Output:
# Sequence  success
# boil      success
# Fallback  success
# pour      failure
# wipe      success
