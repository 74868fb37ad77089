"""Compare compilers on labelled commands; nothing moves.

On the command line: ``bt-exec eval tabletop --site tabletop``, with ``--compiler small=small.yaml``
for each further compiler; see docs/models.md. Here a local server imitates a model
that always returns the same plan.
"""

from dataclasses import replace
from pathlib import Path

from bt_exec import load_site
from bt_exec.evaluation.cases import load_cases
from bt_exec.evaluation.run import collect_answers, compare_compilers, evaluate
from bt_exec.site.compile_command import make_compiler
from bt_exec.site.site import CompilerSettings
from bt_exec_llm.testing.messages_server import MessagesServer

COMMANDS = """\
on_the_way: [return_home]
commands:
  - {say: Open the door., want: act, actions: [[open_door]], only: true}
  - {say: 왼팔로 문을 닫아., want: act, actions: [[close_door, {arm: left}]], only: true}
  - {say: Let some fresh air in., want: act, actions: [[open_door]], only: true}
  - {say: 커피 좀 끓여줘, want: refuse}
"""

Path("commands.yaml").write_text(COMMANDS, encoding="utf-8")
cases, site = load_cases(Path("commands.yaml")), load_site("door")

with MessagesServer(["root: {tree: open_door}"]) as server:  # its only answer
    settings = CompilerSettings(name="claude", base_url=server.url, model="hasty", tier="text")
    compilers = {
        "offline": make_compiler(site),
        "hasty": make_compiler(replace(site, compiler=settings)),
    }
    lines = list(collect_answers(site, cases, compilers))

for found in evaluate(cases, lines):
    print(found.compiler)
    print("  understood", found.understood)
    print("  done wrong", found.wrong)
    print("  rightly refused", found.refused)
    print("  requests", found.requests)
against = compare_compilers(cases, lines)["hasty"]
print(f"hasty against offline: {against.better} better, {against.worse} worse, p {against.p:.2f}")

# Output:
# offline
#   understood 66.7 % (2 of 3, 95 % interval 20.8 to 93.9 %)
#   done wrong 0.0 % (0 of 4, 95 % interval 0.0 to 49.0 %)
#   rightly refused 100.0 % (1 of 1, 95 % interval 20.7 to 100.0 %)
#   requests 0
# hasty
#   understood 100.0 % (3 of 3, 95 % interval 43.9 to 100.0 %)
#   done wrong 25.0 % (1 of 4, 95 % interval 4.6 to 69.9 %)
#   rightly refused 0.0 % (0 of 1, 95 % interval 0.0 to 79.3 %)
#   requests 2
# hasty against offline: 1 better, 1 worse, p 1.00
