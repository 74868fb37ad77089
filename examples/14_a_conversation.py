"""Hold a conversation: "it", "again" and "the other hand" refer to earlier commands.

`compile_command` takes the earlier commands as an argument; a `Session` keeps them. Small talk is
answered, and missing parts of a command are asked for.
"""

from bt_exec import compile_command, load_site

door, building = load_site("door"), load_site("building")


def told(site, *said):
    """Compile the last of several successive commands; return its plan or answer as text."""
    *earlier, command = said
    found = compile_command(site, command, context=earlier)
    if found.reply is not None:
        return found.reply.message
    if found.refusal is not None:
        return f"{found.refusal.code}, asks: {found.refusal.question}"
    return f"{found.written.root.tree} {dict(found.written.root.args)}"


print(told(door, "open the door", "no wait, close it"))
print(told(door, "왼손으로 문을 열어", "다른 손으로 닫아"))
print(told(door, "get the material", "put it down"))
print(told(door, "open the door", "again, this time with the left hand"))
print(told(door, "good job, thank you"))
print(told(building, "서류 전달해줘"))
print(told(building, "서류 전달해줘", "교수님께"))

# Output:
# close_door {}
# close_door {'arm': 'right'}
# let_go {}
# open_door {'arm': 'left'}
# You're welcome. Tell me what to do whenever you like.
# NO_OBJECT, asks: 누구에게요?
# deliver_item {'person': 'professor', 'item': '서류'}
