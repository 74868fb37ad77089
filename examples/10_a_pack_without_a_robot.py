"""Write a pack without a robot: its skills use services, which they request by name.

The service here is a shelf of books. It could be the client of a server, a folder of pictures or a
model. The pack's rig creates it when a site opens, for all skills of the pack.
"""

from bt_exec import (
    Failed,
    Pack,
    PackSettings,
    Rig,
    Running,
    Service,
    Steps,
    Verdict,
    condition,
    skill,
)
from bt_exec.mission.rig_construction import make_rig
from bt_exec.testing import check_pack, run_skill, run_tree


class Shelf:
    def __init__(self, books: tuple[str, ...]) -> None:
        self.books = list(books)


@skill(fails={"NOT_ON_SHELF"})
def lend(shelf: Service[Shelf], title: str) -> Steps:
    """Take a book from the shelf."""
    yield Running(None, "looking")
    if title not in shelf.books:
        raise Failed("NOT_ON_SHELF", f"{title} is not there")
    shelf.books.remove(title)


@condition
def on_shelf(shelf: Service[Shelf], title: str) -> Verdict:
    """Return whether a book is on the shelf."""
    return Verdict.yes() if title in shelf.books else Verdict.no(f"{title} is lent")


class LibrarySettings(PackSettings):
    """Settings of the pack in a site file: ``library: {books: [Emma, Ulysses]}``."""

    books: tuple[str, ...] = ()


PACK = Pack(
    name="library",
    skills=(lend,),
    conditions=(on_shelf,),
    services={"shelf": Shelf},  # types of its services, checked when a site opens
    robots={"none": lambda settings, _world: Rig(services={"shelf": Shelf(settings.books)})},
    settings=LibrarySettings,
)
check_pack(PACK)

# A test passes a service by name, like any other argument.
run = run_skill(lend, shelf=Shelf(("Emma",)), title="Ulysses").finish()
print(run.outcome, run.code)

# This is what a session does with a site file that names the pack.
rig = make_rig(PACK, {"books": ["Emma", "Ulysses"]}, world={})
tree = "tree: t\nroot: {sequence: [{check: {on_shelf: {title: Emma}}}, {do: lend, with: {title: Emma}}]}"
for _ in range(2):
    outcome = run_tree(tree, [lend, on_shelf], services=rig.services).outcome
    print(outcome.status, *(failure["message"] for failure in outcome.failures))
print(rig.robot, rig.services["shelf"].books)

# Output:
# failed NOT_ON_SHELF
# satisfied
# blocked Emma is lent
# None ['Ulysses']
