// Foldable tree of rows. Details of a row open below it; arrow keys move between rows.
import { make, seconds } from "/dom.js";

export const SIGNS = { running: "▸", done: "✓", failed: "✗", skipped: "↷", kept: "≡", stopped: "■", unmet: "◇", waiting: "·",
  satisfied: "✓", partial: "■", blocked: "■", refused: "↷", aborted: "■", interrupted: "■" };
const MANY = 30; // number of rows above which finished nodes are folded

export class TreeView {
  constructor(list, say) { // say.state(state) returns a display text, say.language() the language
    Object.assign(this, { list, say, rows: [], folded: new Map(), open: new Set(), at: "" });
    list.setAttribute("role", "tree");
    list.addEventListener("click", (event) => this.clicked(event.target.closest("li")));
    list.addEventListener("keydown", (event) => this.pressed(event));
  }
  key(row) { return row.key; }
  isFolded(index) {
    const row = this.rows[index], own = this.folded.get(this.key(row));
    return own ?? (this.rows.length > MANY && row.depth > 0 && ["done", "skipped", "kept"].includes(row.state));
  }
  hasChildren(index) { return this.rows[index].kind === "node" && (this.rows[index + 1]?.depth ?? -1) > this.rows[index].depth; }
  draw(rows) {
    const seen = new Map(); // rows of several plans may have the same path
    this.rows = rows = rows.map((row) => {
      const name = row.path ?? `${row.kind} ${row.text}`, number = seen.get(name) ?? 0;
      seen.set(name, number + 1);
      return { ...row, key: number ? `${name}#${number}` : name };
    });
    const shown = [];
    let hidden = Infinity;
    rows.forEach((row, index) => {
      if (row.depth > hidden) return;
      const children = this.hasChildren(index), folded = children && this.isFolded(index);
      hidden = folded ? row.depth : Infinity;
      shown.push({ ...row, children, folded, opened: this.open.has(this.key(row)) });
    });
    shown.forEach((row, index) => { // unchanged rows are kept, so that screen readers do not lose their position
      const key = `${this.say.language()} ${JSON.stringify(row)}`, old = this.list.children[index];
      if (old?.dataset.key === key) return;
      const item = this.item(row), focused = old !== undefined && old === document.activeElement;
      item.dataset.key = key;
      if (old) old.replaceWith(item); else this.list.append(item);
      if (focused) { item.tabIndex = 0; item.focus(); }
    });
    while (this.list.children.length > shown.length) this.list.lastChild.remove();
    const items = [...this.list.children], current = items.find((item) => item.dataset.at === this.at) ?? items[0];
    for (const item of items) item.tabIndex = item === current ? 0 : -1;
  }
  item(row) {
    const item = make("li", "", { "data-kind": row.kind, "data-at": this.key(row), class: `d${Math.min(row.depth, 7)}`, role: "treeitem", "aria-level": row.depth + 1 });
    if (row.children) item.setAttribute("aria-expanded", String(!row.folded));
    if (row.kind !== "node") { item.append(make("span", row.text ?? "")); return item; }
    item.dataset.state = row.state;
    if (row.children) item.append(make("span", row.folded ? "▸" : "▾", { class: "fold", "aria-hidden": "true" }));
    item.append(make("span", SIGNS[row.state] ?? "·", { class: "sign", "aria-hidden": "true" }), make("span", row.label, { class: "label" }), make("span", this.say.state(row.state), { class: "aside" }));
    if (row.about) item.append(make("span", row.about, { class: "about" }));
    if (row.doing) item.append(make("span", row.doing, { class: "doing" }));
    if (row.code) item.append(make("span", row.code, { class: "code" }));
    if (typeof row.progress === "number") item.append(make("progress", "", { max: "1", value: String(row.progress), "aria-label": row.label }));
    if (row.seconds !== undefined) item.append(make("span", seconds(row.seconds), { class: "tail" }));
    if (row.opened) {
      const times = row.began === undefined ? "" : `${seconds(row.began)} – ${row.ended === undefined ? "" : seconds(row.ended)}`;
      item.append(make("p", [row.why, times, row.path].filter(Boolean).join(" · "), { class: "details" }));
    }
    return item;
  }
  indexOf(item) { return this.rows.findIndex((row) => this.key(row) === item?.dataset.at); }
  fold(index, folded) { this.folded.set(this.key(this.rows[index]), folded); this.draw(this.rows); }
  clicked(item, details = false) {
    const index = this.indexOf(item);
    if (index < 0) return;
    this.at = item.dataset.at;
    if (this.hasChildren(index) && !details) { this.fold(index, !this.isFolded(index)); return; }
    if (this.rows[index].kind !== "node") return;
    if (!this.open.delete(this.at)) this.open.add(this.at);
    this.draw(this.rows);
  }
  pressed(event) {
    const item = event.target.closest("li"), items = [...this.list.children], index = this.indexOf(item);
    const next = { ArrowDown: items[items.indexOf(item) + 1], ArrowUp: items[items.indexOf(item) - 1], Home: items[0], End: items.at(-1) }[event.key];
    if (next) { this.at = next.dataset.at; this.draw(this.rows); next.focus(); }
    else if (event.key === "ArrowLeft" && this.hasChildren(index)) this.fold(index, true);
    else if (event.key === "ArrowRight" && this.hasChildren(index)) this.fold(index, false);
    else if (event.key === "Enter" || event.key === " ") this.clicked(item, true);
    else return;
    event.preventDefault();
  }
}
