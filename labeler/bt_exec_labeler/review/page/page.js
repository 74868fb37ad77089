// The review page: one record at a time, its clip playing, decided by a key.

const WORDS = {
  en: {
    title: "Review of labels", language: "Language", record: "The record", correcting: "Correct the record",
    how: "Tab: next field. Arrow keys: choose. Space: tick. Ctrl+Enter: save. Escape: cancel.", add: "Add an operation", remove: "Remove", allowed: "Allowed words", keep: "Save", leave: "Cancel",
    json: "The record as JSON", progress: "Reviewed", timeline: "Episode: film strip, spans, records, and the horizon of this record",
    span: (s, from, to) => `Under way: ${s.step}${s.kind === "step" ? "" : ` (${s.kind})`}, ${s.t} to ${s.end} s · this record reaches from ${from} to ${to} s`,
    play: "Play", pause: "Pause", space: "Space", recent: "recent clip", summary: "summary clip", show: "Show the",
    accept: "Accept", correct: "Correct", reject: "Reject", before: "Previous", after: "Next", open: "Next open one",
    count: (done, all) => `${done} of ${all} reviewed`, all: "All are reviewed. Thank you.",
    where: (c, at, all) => `${at} of ${all} · ${c.episode} · ${c.t} s · ${c.mid_step_id}`,
    frame: (clip, n, all, t) => `${clip}, frame ${n} of ${all}, ${t} s`,
    begun: (n) => `The episode had only just begun: ${n} frames fewer.`, empty: (n) => `${n} frames are missing in the recording.`,
    none: "This clip has no frames.", damaged: "This frame is damaged.",
    did: { accept: "✓ accepted", correct: "✎ corrected", reject: "✗ rejected" },
    fields: { short_goal_dsl: "Goal", horizon_steps: "Horizon", terminate_on: "Ends on", done_evidence: "Evidence", fallback_if_failed: "If it fails", uncertainty: "Uncertainty" },
    steps: (n, s) => `${n} steps (${s} s)`, nothing: "none",
    refused: { NOT_KEPT: (why) => `The decision could not be kept: ${why}`, NO_RECORD: () => "This record is not part of this review." },
    notJson: (why) => `This is not JSON: ${why}`, away: "The program that keeps decisions does not answer. Start it again with the same command: nothing that was decided is lost.",
  },
  ko: {
    title: "레이블 검토", language: "언어", record: "기록", correcting: "기록 고치기",
    how: "Tab으로 이동하고 화살표로 고르고 스페이스로 표시합니다. Ctrl+Enter로 저장하고 Esc로 취소합니다.", add: "동작 추가", remove: "삭제", allowed: "쓸 수 있는 단어", keep: "저장", leave: "취소",
    json: "JSON 형식의 기록", progress: "검토한 수", timeline: "에피소드: 필름 스트립, 구간, 기록, 이 기록의 기간",
    span: (s, from, to) => `진행 중: ${s.step}${s.kind === "step" ? "" : ` (${s.kind})`}, ${s.t}초부터 ${s.end}초까지 · 이 기록은 ${from}초부터 ${to}초까지입니다`,
    play: "재생", pause: "일시정지", space: "스페이스", recent: "최근 클립", summary: "요약 클립", show: "보기:",
    accept: "승인", correct: "수정", reject: "거부", before: "이전", after: "다음", open: "다음 미검토",
    count: (done, all) => `${all}건 중 ${done}건 검토`, all: "모두 검토했습니다. 고맙습니다.",
    where: (c, at, all) => `${all}건 중 ${at}번째 · ${c.episode} · ${c.t}초 · ${c.mid_step_id}`,
    frame: (clip, n, all, t) => `${clip}, ${all}장 중 ${n}번째, ${t}초`,
    begun: (n) => `에피소드가 막 시작되어 ${n}장이 적습니다.`, empty: (n) => `녹화에 ${n}장이 없습니다.`,
    none: "이 클립에는 화면이 없습니다.", damaged: "손상된 화면입니다.",
    did: { accept: "✓ 승인함", correct: "✎ 수정함", reject: "✗ 거부함" },
    fields: { short_goal_dsl: "목표", horizon_steps: "기간", terminate_on: "종료 조건", done_evidence: "완료 근거", fallback_if_failed: "실패하면", uncertainty: "불확실성" },
    steps: (n, s) => `${n}단계 (${s}초)`, nothing: "없음",
    refused: { NOT_KEPT: (why) => `결정을 저장하지 못했습니다: ${why}`, NO_RECORD: () => "검토할 기록에 없는 것입니다." },
    notJson: (why) => `JSON이 아닙니다: ${why}`, away: "결정을 저장하는 프로그램이 응답하지 않습니다. 같은 명령으로 다시 시작하십시오. 이미 결정한 것은 남아 있습니다.",
  },
};
const PAUSE_MS = 250; // between two frames; the clip plays faster than it was recorded
const KEYS = { a: "accept", c: "correct", r: "reject", s: "switch", n: "open", " ": "play", ArrowLeft: "before", ArrowRight: "after" };

const $ = (id) => document.getElementById(id);
let cards = [], words = {}, episodes = {}, at = 0, clip = 0, frame = 0, busy = false;
let playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
let language = localStorage.getItem("language") || (navigator.language.startsWith("ko") ? "ko" : "en");
const say = () => WORDS[language];

function node(tag, text, inner = []) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  made.append(...inner);
  return made;
}

function button(id, text, key) {
  $(id).replaceChildren(text, node("kbd", key));
}

function shownRecord(card) {
  return card.decided?.decision === "correct" ? card.decided.record : card.record;
}

function value(name, record) {
  const found = record[name];
  if (name === "horizon_steps") return [say().steps(found, +(found * words.step_s).toFixed(2))];
  if (name === "short_goal_dsl") {
    const goals = found.map((goal) => node("li", [goal.op, ...Object.entries(goal.args).map(([k, v]) => `${k}: ${v}`)].join(" · ")));
    return [node("ol", undefined, goals)];
  }
  return [Array.isArray(found) ? found.join(", ") || say().nothing : found];
}

function drawRecord(card) {
  const record = shownRecord(card);
  $("record").replaceChildren(...Object.entries(say().fields).flatMap(([name, title]) => [node("dt", title), node("dd", undefined, value(name, record))]));
  const decision = card.decided?.decision || "";
  $("decided").dataset.decision = decision;
  $("decided").textContent = decision ? say().did[decision] : "";
}

function drawClip(card) {
  const now = card.clips[clip];
  const images = now.times.map((_, number) => {
    const image = document.createElement("img");
    image.alt = say().frame(say()[now.name], number + 1, now.times.length, now.times[number]);
    image.addEventListener("error", () => { image.alt = say().damaged; });
    image.src = `/frames/${at}/${now.name}/${number}.png`;
    return image;
  });
  $("clips").replaceChildren(...images);
  const lacks = [now.before_start && say().begun(now.before_start), now.empty && say().empty(now.empty)];
  $("lacks").textContent = lacks.filter(Boolean).join(" ");
  frame = playing ? 0 : now.times.length - 1;
  drawFrame();
}

function drawFrame() {
  const now = cards[at].clips[clip], images = [...$("clips").children];
  images.forEach((image, number) => image.classList.toggle("shown", number === frame));
  $("frame").textContent = images.length ? say().frame(say()[now.name], frame + 1, images.length, now.times[frame]) : say().none;
}

const SVG = "http://www.w3.org/2000/svg";

function bar(kind, from, to, y, height, seconds) {
  const made = document.createElementNS(SVG, "rect");
  const left = 1000 * Math.max(0, from) / seconds, width = Math.max(3, 1000 * (to - from) / seconds);
  for (const [name, found] of Object.entries({ class: kind, x: left, width, y, height })) made.setAttribute(name, found);
  return made;
}

// Three lanes: spans of mid steps, records by decision, and the horizon of the record that is shown.
function drawTimeline(card) {
  const episode = episodes[card.episode], seconds = Math.max(episode.seconds, 0.001), until = card.t + shownRecord(card).horizon_steps * words.step_s;
  const beside = cards.filter((one) => one.episode === card.episode);
  if ($("strip").dataset.episode !== card.episode) {
    $("strip").dataset.episode = card.episode;
    $("strip").replaceChildren(...episode.strip.map((_, number) => {
      const image = document.createElement("img");
      image.alt = "";
      image.src = `/frames/${at}/strip/${number}.png`;
      return image;
    }));
  }
  $("lanes").replaceChildren(
    ...episode.spans.map((span) => bar(`span ${span.kind}`, span.t, span.end, 4, 14, seconds)),
    ...beside.map((one) => bar(`record ${one.decided?.decision || ""}`, one.t, one.t, 24, 12, seconds)),
    bar("horizon", card.t, Math.min(until, seconds), 42, 12, seconds),
    bar("now", card.t, card.t, 0, 60, seconds));
  const span = episode.spans.find((one) => one.step === card.mid_step_id && one.t <= card.t && card.t <= one.end);
  const round = (t) => +t.toFixed(2);
  $("span").textContent = span ? say().span({ ...span, t: round(span.t), end: round(span.end) }, round(card.t), round(until)) : "";
}

function drawButtons() {
  const card = cards[at], other = card.clips[1 - clip];
  button("play", playing ? say().pause : say().play, say().space);
  $("switch").hidden = !other;
  if (other) button("switch", `${say().show} ${say()[other.name]}`, "S");
  button("accept", say().accept, "A");
  button("correct", say().correct, "C");
  button("reject", say().reject, "R");
  button("before", say().before, "←");
  button("after", say().after, "→");
  button("open", say().open, "N");
  $("before").disabled = at === 0;
  $("after").disabled = at === cards.length - 1;
  $("open").disabled = openOne() < 0;
}

function openOne() {
  const order = [...cards.keys()].map((k) => (at + 1 + k) % cards.length);
  return order.find((k) => !cards[k].decided && k !== at) ?? -1;
}

function draw() {
  const card = cards[at], done = cards.filter((one) => one.decided).length;
  document.documentElement.lang = language;
  for (const part of document.querySelectorAll("[data-word]")) part.textContent = say()[part.dataset.word];
  for (const part of document.querySelectorAll("[data-label]")) part.setAttribute("aria-label", say()[part.dataset.label]);
  $("count").textContent = say().count(done, cards.length);
  $("progress").max = cards.length;
  $("progress").value = done;
  $("where").textContent = say().where(card, at + 1, cards.length);
  $("step").textContent = card.text[language] || Object.values(card.text)[0];
  drawRecord(card);
  drawClip(card);
  drawTimeline(card);
  drawButtons();
  document.title = `${done}/${cards.length} · bt-exec label review`;
}

function go(to) {
  if (to < 0 || to >= cards.length || to === at) return;
  at = to;
  clip = 0;
  $("notice").hidden = true;
  draw();
  $("spoken").textContent = `${$("where").textContent}. ${$("step").textContent} ${$("record").textContent}`;
}

async function keep(decision) {
  const card = cards[at];
  try {
    const answer = await fetch("/decisions", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ item: card.item, language, ...decision }) });
    const found = await answer.json();
    if (!answer.ok) return found.problems || [refused(found.error, answer)];
    card.decided = found;
    return [];
  } catch {
    return [{ message: say().away }];
  }
}

function refused(error, answer) {
  const said = say().refused[error?.code];
  return { message: said ? said(error.message) : error?.message || answer.statusText };
}

async function decide(decision) {
  busy = true;
  const problems = await keep(decision);
  busy = false;
  if (problems.length) return notice(problems.map(line).join(" "));
  onward();
}

function onward() {
  const said = say().did[cards[at].decided.decision], next = openOne();
  $("notice").hidden = true;
  if (next >= 0) go(next);
  else draw();
  $("spoken").textContent = next < 0 ? `${said}. ${say().all}` : `${said}. ${$("spoken").textContent}`;
  if (next < 0) $("count").textContent = say().all;
}

function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = false;
}

const line = (problem) => (problem.where ? `${problem.where}: ${problem.message}` : problem.message);

let draft = {};

// Every control writes into the draft, and the draft is what the JSON shows: there is one record.
function written() {
  $("text").value = JSON.stringify(draft, null, 2);
}

function labelled(text, control) {
  return node("label", text, [control]);
}

function chooser(values, now, change) {
  const made = node("select", undefined, values.map((value) => {
    const option = node("option", String(value));
    option.selected = value === now;
    return option;
  }));
  made.addEventListener("change", () => { change(values[made.selectedIndex]); written(); });
  return made;
}

function field(about, now, change) {
  const values = about.values.length ? about.values : about.type === "boolean" ? [true, false] : null;
  if (values) return chooser(values, now, change);
  const made = document.createElement("input"), number = about.type !== "text";
  made.type = number ? "number" : "text";
  if (number) Object.assign(made, { min: about.minimum ?? "", max: about.maximum ?? "", step: about.type === "integer" ? 1 : "any" });
  made.value = now ?? "";
  made.addEventListener("input", () => { change(number ? Number(made.value) : made.value); written(); });
  return made;
}

function blank(op) {
  const args = Object.entries(words.arguments[op]).filter(([, about]) => about.required);
  return { op, args: Object.fromEntries(args.map(([key, about]) => [key, about.values[0] ?? { text: "", boolean: false }[about.type] ?? about.minimum ?? 0])) };
}

function group(title, inner) {
  return node("fieldset", undefined, [...(title ? [node("legend", title)] : []), ...inner]);
}

function pressed(text, act) {
  const made = node("button", text);
  made.type = "button";
  made.addEventListener("click", () => { act(); written(); drawChoices(); });
  return made;
}

function drawGoal(goal, number) {
  const goals = draft.short_goal_dsl, op = chooser(Object.keys(words.arguments), goal.op, (found) => { goals[number] = blank(found); drawChoices(number); });
  op.id = `choice-op-${number}`;
  const args = Object.entries(words.arguments[goal.op] || {}).map(([key, about]) => labelled(key, field(about, goal.args[key], (value) => { goal.args[key] = value; })));
  return group(`${say().fields.short_goal_dsl} ${number + 1}`, [op, ...args, ...(goals.length > 1 ? [pressed(say().remove, () => goals.splice(number, 1))] : [])]);
}

function drawWords(name) {
  const boxes = words[name].map((word) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = draft[name].includes(word);
    box.addEventListener("change", () => { draft[name] = box.checked ? [...draft[name], word] : draft[name].filter((one) => one !== word); written(); });
    const label = document.createElement("label");
    label.append(box, word);
    return label;
  });
  return group(say().fields[name], boxes);
}

function drawChoices(focus = 0) {
  const goals = draft.short_goal_dsl, horizon = field({ type: "integer", values: [], minimum: 1, maximum: words.horizon_steps }, draft.horizon_steps, (value) => { draft.horizon_steps = value; });
  const lists = ["terminate_on", "uncertainty"].map((name) => {
    const made = chooser(words[name], draft[name], (value) => { draft[name] = value; });
    made.id = `choice-${name}`;
    return labelled(say().fields[name], made);
  });
  horizon.id = "choice-horizon";
  $("choices").replaceChildren(
    ...goals.map(drawGoal),
    ...(goals.length < words.goal_ops ? [pressed(say().add, () => goals.push(blank(Object.keys(words.arguments)[0])))] : []),
    group("", [labelled(say().fields.horizon_steps, horizon), ...lists]), drawWords("done_evidence"), drawWords("fallback_if_failed"));
  $(`choice-op-${focus}`)?.focus();
}

function edit() {
  draft = structuredClone(shownRecord(cards[at]));
  written();
  $("json").open = false;
  $("problems").replaceChildren();
  const lists = Object.entries(words).filter(([, list]) => Array.isArray(list));
  const ops = Object.entries(words.ops).map(([op, args]) => [op, Object.entries(args).map(([k, v]) => `${k}: ${v}`)]);
  $("words").replaceChildren(...[...ops, ...lists, ["horizon_steps", [`1–${words.horizon_steps}`]]].flatMap(([name, list]) => [node("dt", name), node("dd", list.join(", ") || "–")]));
  $("editor").showModal();
  drawChoices();
}

async function save() {
  let record;
  try {
    record = JSON.parse($("text").value);
  } catch (error) {
    return wrong([say().notJson(error.message)]);
  }
  if (busy) return;
  busy = true;
  const problems = await keep({ decision: "correct", record });
  busy = false;
  if (problems.length) return wrong(problems.map(line));
  $("editor").close();
  onward();
}

function wrong(texts) {
  $("problems").replaceChildren(...texts.map((text) => node("li", text)));
}

const ACTS = {
  accept: () => decide({ decision: "accept" }),
  reject: () => decide({ decision: "reject" }),
  correct: edit,
  before: () => go(at - 1),
  after: () => go(at + 1),
  open: () => go(openOne()),
  play: () => { playing = !playing; drawButtons(); },
  switch: () => { if (cards[at].clips.length > 1) { clip = 1 - clip; drawClip(cards[at]); drawButtons(); } },
};

// While a decision is on its way nothing else is taken: a key meant for this record is not the next one's.
const act = (name) => { if (!busy) ACTS[name](); };
for (const name of Object.keys(ACTS)) $(name).addEventListener("click", () => act(name));
$("form").addEventListener("submit", (event) => { event.preventDefault(); save(); });
$("leave").addEventListener("click", () => $("editor").close());
$("form").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); save(); }
});
$("text").addEventListener("change", () => {
  try {
    const found = JSON.parse($("text").value);
    if (found?.short_goal_dsl?.length) { draft = found; drawChoices(-1); }
  } catch { /* said when it is kept */ }
});
$("language").addEventListener("change", () => { language = $("language").value; localStorage.setItem("language", language); draw(); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || $("editor").open || !cards.length) return;
  if (event.target.closest("select:not(dialog *)")) return; // that of a closed dialog may keep the focus for a moment
  if (event.key === " " && event.target.closest("button")) return; // it presses that button
  // A Korean keyboard gives "ㅁ" for the key of "a": then the place of the key counts.
  const letter = /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : /^Key[A-Z]$/.test(event.code) ? event.code[3].toLowerCase() : event.key;
  if (!KEYS[letter]) return;
  event.preventDefault();
  act(KEYS[letter]);
});
setInterval(() => {
  if (!playing || !cards.length || document.hidden) return;
  const all = cards[at].clips[clip].times.length;
  if (all > 1) { frame = (frame + 1) % all; drawFrame(); }
}, PAUSE_MS);

try {
  const found = await (await fetch("/review")).json();
  ({ cards, words, episodes } = found);
  language = found.language || language; // the command's, else what was chosen here, else the browser's
  $("language").value = language;
  $("reviewer").textContent = `· ${found.reviewer}`;
  document.querySelector("main").hidden = false;
  at = Math.max(0, cards.findIndex((card) => !card.decided));
  draw();
} catch {
  document.body.append(node("p", say().away));
}
