"""Ask about objects on a table, found by the network that ships with the package.

The picture is one of those that ``bt-exec vision dataset --source table`` makes, so its content is
known. From a shell: ``bt-exec ask table.png "How many apples are there?"``.
"""

from collections import Counter
from pathlib import Path

from bt_exec.mission.session import Session
from bt_exec_skills.image import tools
from bt_exec_skills.things.dataset.scenes import TableScenes

scenes = TableScenes(rays_only=True).scene(105)  # the same picture on every machine
sample = next(one for one in scenes if one.facts["view"] == "close")
file = tools.save_image(sample.image, Path("table.png"))
print("there are", dict(sorted(Counter(mark.label for mark in sample.marks).items())))

with Session("image", world={"image": str(file), "program": "apples.py"}) as session:
    bench = session.rigs["image"].services["bench"]
    for question in (
        "How many apples are there?",
        "초록색 사과는 몇 개야?",  # the colour of each apple is measured on its crop
        "How many apples are there except the green ones?",
        "오렌지가 있어?",
        "How many dogs are there?",  # not a class of the network, so this is refused
    ):
        outcome = session.run(question)
        print(outcome.status, bench.answer.value if bench.answer else None)
        if bench.program and outcome.status == "satisfied":
            print("  its program agrees:", bench.program["agrees"])

# The same network as a function; a score is the probability of the detected class.
print(sorted({one.label for one in tools.detect(sample.image, least_score=0.5)}))

# Output:
# there are {'apple': 3, 'cylinder': 1, 'egg': 2, 'orange': 1}
# satisfied 3
#   its program agrees: True
# satisfied 2
#   its program agrees: True
# satisfied 1
#   its program agrees: True
# satisfied True
#   its program agrees: True
# refused None
# ['apple', 'cylinder', 'egg', 'orange']
