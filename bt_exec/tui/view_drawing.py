"""Drawing of a mission as lines; the result depends only on the model, the size and the time."""

from __future__ import annotations

from rich.cells import cell_len

from bt_exec.language.messages import Messages
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.node_text import duration_text
from bt_exec.tui.plan_preview import execution_modifiers, preview_model
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.terminal_text import ASCII, UNICODE, Glyphs, Line, crop, fit, pad, safe_line, wrap
from bt_exec.tui.view_commands import selected_index
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.view_pages import camera_lines, help_lines, node_lines, transition_lines
from bt_exec.tui.view_state import Display
from bt_exec.tui.visible_rows import NARROW, Row, all_rows, fit_rows

__all__ = ["HINT", "draw", "plan_lines", "text_beside_label", "tree_lines"]

HINT = "Ctrl-C stops the mission · twice stops the robot"
_SHORT_HINT = "Ctrl-C stops · twice: robot"
_BAR, _WIDE_BAR, _WIDE = 6, 10, 100


def draw(
    model: ViewModel,
    width: int,
    height: int,
    *,
    ascii: bool = False,  # noqa: A002 - the usual word for it
    verbose: bool = False,
    now: float | None = None,
    display: Display | None = None,
    keys: bool = False,
) -> list[Line]:
    """Return the lines that show a running mission.

    Args:
        model: State of the mission; the caller holds its lock.
        width: Maximum width [cells].
        height: Maximum number of lines.
        ascii: Whether to use only ASCII signs.
        verbose: Whether to show paths and the identifier of the record.
        now: Mission time [s]; the time of the model if None.
        display: Display state, such as selected and folded nodes.
        keys: Whether keys are read, so that hints about keys are shown.
    """
    glyphs = ASCII if ascii else UNICODE
    now = model.now() if now is None else now
    artist = _Artist(model, width, glyphs, verbose, now, display or Display())
    head = artist.header()
    foot = [artist.footer(keys=keys)]
    rule = [artist.rule()]
    if height >= len(head) + 8:
        head, foot = [*head, *rule], [*rule, *foot]
    elif height < 6:
        head, foot = head[:1], []
    room = max(height - len(head) - len(foot), 1)
    body = artist.body(room)
    if artist.display.full:
        body += [()] * (room - len(body))
    return [crop(line, width - 1) for line in (*head, *body, *foot)][:height]


def tree_lines(
    model: ViewModel,
    width: int,
    *,
    ascii: bool = False,  # noqa: A002
    verbose: bool = False,
) -> list[Line]:
    """Return lines with the whole tree of a mission, to print after its end."""
    glyphs = ASCII if ascii else UNICODE
    artist = _Artist(model, width, glyphs, verbose, model.now(), Display())
    return [crop(line, width - 1) for line in artist.row_lines(all_rows(model, width, ended=True))]


def plan_lines(
    spec: MissionSpec,
    messages: Messages,
    width: int,
    *,
    ascii: bool = False,  # noqa: A002
    verbose: bool = False,
) -> list[Line]:
    """Return lines with a whole plan that has not run, in the language of its command."""
    model = preview_model(spec, messages, ascii=ascii, verbose=verbose)
    glyphs, display = ASCII if ascii else UNICODE, Display(unfolded=True)
    artist = _Artist(model, width, glyphs, verbose, model.now(), display)
    rows: list[Row] = []
    for row in all_rows(model, width, display=display):
        said = " · ".join(execution_modifiers(model, row.node)) if row.node is not None else ""
        room = artist.width - 2 * row.depth - 6
        notes = enumerate(wrap(said, room) if said else [])
        rows += [row, *(Row("note", row.depth, text, first=not number) for number, text in notes)]
    head = wrap(safe_line(glyphs.text(model.command)), artist.width - 2)
    title: list[Line] = [((f" {line}", "strong"),) for line in head]
    return [crop(line, width - 1) for line in (*title, *artist.row_lines(rows))]


def text_beside_label(model: ViewModel, row: Row, node: ViewNode, *, verbose: bool = False) -> str:
    """Return the text next to a row's label: arguments, reason for a skip, attempt number."""
    translate = model.translated_text
    text = model.detail_beside_label(node, verbose=verbose)
    match node.state:
        case "skipped":
            text = node.detail or translate("skipped")
        case "kept":
            text = node.detail or translate("kept")
        case "stopped":
            text = " · ".join(filter(None, (text, translate("stopped"))))
    if row.folded and not text:
        text = translate(f"{row.folded} steps" if row.folded > 1 else "1 step")
    if node.attempts > 1:
        attempt = translate(f"attempt {node.attempts}")
        if node.spec.retry:
            attempt = translate(f"attempt {node.attempts} of {node.spec.retry}")
        text = " · ".join(filter(None, (text, attempt)))
    return text


class _Artist:
    def __init__(
        self,
        model: ViewModel,
        width: int,
        glyphs: Glyphs,
        verbose: bool,
        now: float,
        display: Display,
    ) -> None:
        self.model = model
        self.display = display
        self.width = max(width, 16)
        self.glyphs = glyphs
        self.verbose = verbose
        self.now = now

    def fit(self, text: str, cells: int) -> str:
        """Return text in the terminal's character set, cut to `cells`."""
        return fit(self.glyphs.text(text), cells, self.glyphs.dots)

    def rule(self) -> Line:
        return ((" " + self.glyphs.rule * (self.width - 2), "dim"),)

    def left_and_right(self, left: str, style: str, right: str) -> Line:
        """Return a line with a left and a right part; the left part is shortened to fit."""
        right = self.fit(right, self.width - 6)
        space = self.width - cell_len(right) - 2
        return ((" " + pad(self.fit(left, space - 1), space), style), (right, "dim"))

    def header(self) -> list[Line]:
        model = self.model
        clock = model.duration_text(self.now - model.began)
        plan = (
            model.translated_text(f"plan {model.spec.mission.plan_version}") if model.spec else ""
        )
        tick = model.translated_text(f"tick {model.tick}") if self.width >= NARROW else ""
        ident = model.mission_id if self.verbose else ""
        facts = " · ".join(filter(None, (ident, plan, clock, tick)))
        lines = [self.left_and_right(model.command, "strong", facts)]
        seen = f"{model.translated_text('sees')}  {model.newest_observations_text()}"
        if model.blinded:
            lines.append(self.left_and_right(seen, "failed", ""))
        elif model.buffers:
            age = model.newest_observation_age(self.now)
            old = f"{age:.2f} s" if age < 9.95 else duration_text(age)
            old = model.fixed_word(f"{old} old" if self.width >= NARROW else old)
            lines.append(self.left_and_right(seen, "", old))
        return lines

    def footer(self, *, keys: bool) -> Line:
        model, display = self.model, self.display
        if display.typed is not None:
            return ((" " + self.fit(display.typed[-self.width + 4 :], self.width - 2) + "_", ""),)
        if model.stopping:
            sign = self.glyphs.states["stopped"]
            return ((f" {sign} " + self.fit(model.stopping, self.width - 4), "stopped"),)
        paused = (
            model.translated_text("view paused · the mission continues") if display.paused else ""
        )
        hint = model.hint or model.translated_text(HINT if self.width >= 50 else _SHORT_HINT)
        hint = display.notice or paused or self.active_filters() or hint
        tail = model.translated_text("?: keys")
        if keys and cell_len(hint) + cell_len(tail) + 4 <= self.width:
            return self.left_and_right(hint, "dim", tail)
        return ((" " + self.fit(hint, self.width - 2), "dim"),)

    def body(self, room: int) -> list[Line]:
        model = self.model
        thinking: list[Line] = []
        if model.planning is not None:
            compiler, since = model.planning
            doing = model.translated_text("planning")
            if self.verbose:
                doing = f"{model.translated_text('planning with')} {compiler}"
            text = f"{self.glyphs.states['running']} {doing}"
            if model.failure and model.spec:
                why = model.failure_code(model.failure) or model.plan_change_reason(model.failure)
                text += f" {model.translated_text('after')} {why}"
            thinking = [self.left_and_right(text, "running", model.duration_text(self.now - since))]
        room -= len(thinking)
        if self.display.page == "help":
            return [
                *help_lines(model, self.width, self.glyphs, self.display.taken)[:room],
                *thinking,
            ]
        page = self.page_below_tree(room)
        rows = self.visible_rows(max(room - len(page), 1))
        return [*self.row_lines(rows), *page, *thinking][: room + len(thinking)]

    def visible_rows(self, room: int) -> list[Row]:
        """Return at most `room` rows around the selected row; by default, the running step."""
        model, display = self.model, self.display
        if display.cursor is None:
            rows = all_rows(model, self.width, room=room, display=display)
            nothing = (
                [Row("gap", 0, model.translated_text("no step matches"))]
                if display.is_filtered
                else []
            )
            return fit_rows(rows, room, model.translated_text) or nothing
        rows = all_rows(model, self.width, display=display)
        first = selected_index(rows, display.cursor) - room // 2 if rows else 0
        first = max(min(first, len(rows) - room), 0)
        return rows[first : first + room]

    def page_below_tree(self, room: int) -> list[Line]:
        """Return the open page and the rule above it; it leaves some lines for the tree."""
        model, display, width, glyphs = self.model, self.display, self.width, self.glyphs
        most = room - max(room // 3, 3)
        if not display.page or most < 2:
            return []
        lines: list[Line] = []
        match display.page:
            case "times":
                lines = transition_lines(model, width, glyphs, most - 1)
            case "camera":
                lines = camera_lines(model, width, most - 1, colours=display.colours)
            case "node" if rows := all_rows(model, width, display=display):
                node = rows[selected_index(rows, display.cursor)].node
                lines = [] if node is None else node_lines(model, node, width, glyphs, self.now)
        return [self.rule(), *lines][:most] if lines else []

    def active_filters(self) -> str:
        """Return a text with the active filters; empty if all steps are shown."""
        model, display = self.model, self.display
        active = model.translated_text("only running steps") if display.active else ""
        wanted = (
            f"{model.translated_text('only steps with')} {display.filter}" if display.filter else ""
        )
        return " · ".join(filter(None, (active, wanted)))

    def row_lines(self, rows: list[Row]) -> list[Line]:
        starts = [
            2 * row.depth + 3 + cell_len(self.label(row.node))
            for row in rows
            if row.node is not None and row.node.about
        ]
        column = min(max((*starts, 14)) + 2, max(self.width * 2 // 5, 14))
        return [self.row_line(row, column) for row in rows]

    def row_line(self, row: Row, column: int) -> Line:
        margin = " " + "  " * row.depth
        room = self.width - len(margin) - 1
        if row.node is not None:
            return self.node_line(row, row.node, margin, column)
        if row.kind in ("change", "remark"):
            indent = margin if row.first else margin + "  "
            style = "strong" if row.kind == "change" else "dim"
            return ((indent + self.fit(row.text, room), style),)
        if row.kind == "gap":
            return ((margin + self.fit(f"{self.glyphs.dots} {row.text}", room), "dim"),)
        elbow = f"{self.glyphs.elbow} " if row.first else "  "
        return ((f"{margin}  {elbow}" + self.fit(row.text, room - 4), "dim"),)

    def node_line(self, row: Row, node: ViewNode, margin: str, column: int) -> Line:
        state = node.state or ""
        tail = self.fit(self.right_text(node), self.width * 2 // 3)
        start = cell_len(margin) + 2
        space = self.width - 1 - start - (cell_len(tail) + 1 if tail else 0)
        about = self.about(row, node)
        label = self.fit(self.label(node), space)
        if about and (gap := column - start) + 3 <= space and cell_len(label) < space - 2:
            label = pad(label, gap - 1) + " "
            about = self.fit(about, space - cell_len(label))
        else:
            about = ""
        filler = space - cell_len(label) - cell_len(about) + 1
        doing = self.fit(node.doing, filler - 4) if state == "running" and filler > 9 else ""
        if self.width < NARROW or not tail:
            doing = ""
        elif doing:
            doing = " " * (filler - 2 - cell_len(doing)) + doing + "  "
            filler = 0
        name = {"running": "strong", "": "dim", "failed": "failed"}.get(state, "")
        if node.path == self.display.cursor and self.model.forest.by_path.get(node.path) is node:
            margin, name = self.glyphs.cursor + margin[1:], "cursor"
        return (
            (margin, ""),
            (self.glyphs.states[state] + " ", state),
            (label, name),
            (about, "" if state == "running" else "dim"),
            (doing, "dim"),
            (" " * filler + tail if tail else "", "failed" if state == "failed" else "dim"),
        )

    def label(self, node: ViewNode) -> str:
        return self.model.label(node, verbose=self.verbose)

    def about(self, row: Row, node: ViewNode) -> str:
        said = text_beside_label(self.model, row, node, verbose=self.verbose)
        return " · ".join(filter(None, (said, node.path))) if self.verbose else said

    def right_text(self, node: ViewNode) -> str:
        """Return the text at the right edge of a row: failure code or progress, and duration."""
        took = ""
        if node.began is not None:
            lasted = (self.now if node.ended is None else node.ended) - node.began
            if lasted >= 0.05 or node.state == "running":
                took = self.model.duration_text(lasted)
                took = " " * (8 - cell_len(took)) + took
        match node.state:
            case "failed" if node.failure is not None:
                inner = any(child.state == "failed" for child in node.children)
                code = self.model.failure_code(node.failure)
                return ("" if inner or self.width < NARROW else code) + took
            case "running":
                return "  ".join(self.progress_bar(node.progress)) + took
            case "skipped" | "kept":
                return ""
        return took

    def progress_bar(self, progress: float | None) -> tuple[str, ...]:
        if progress is None:
            return ()
        share = min(max(progress, 0.0), 1.0)
        percent = f"{share * 100:3.0f} %"
        if self.width < 70:
            return (percent,)
        cells = _WIDE_BAR if self.width >= _WIDE else _BAR
        full = round(share * cells)
        return self.glyphs.full * full + self.glyphs.empty * (cells - full), percent
