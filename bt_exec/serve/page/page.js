// The page of bt-exec serve. Everything from the service is put in as text, never as markup.
const WORDS = {
  en: {
    jump: "Skip to the command", language: "Language", what: "What to do", hint: "What shall the robot do?", send: "Send",
    asks: "May this plan run?", yes: "Yes, run it", no: "No", idle: "Nothing is running", waiting: "Waiting", past: "Past missions",
    failed: "only those that failed", close: "Close", why: "Why it ended so", tree: "What is done", login: "Log in",
    token: "The token of this service", enter: "Log in", try: "Try one of these:", stop: "Stop", stopNow: "Stop the robot now",
    on: "connected", off: "not connected; trying again", plan: "plan", tick: "tick", sees: "sees", old: "s old", planning: "planning with",
    goals: "{done} of {all} subgoals", ahead: "It waits; {n} before it.", withdraw: "Withdraw", none: "No mission yet", camera: "camera of {pack}",
    held: "Stopped. What waits begins when you say so.", goOn: "Go on", gone: "The service does not answer.", started: "Started: {command}", nothingNew: "sees nothing new", prepared: "The robots are not ready.",
    s: { running: "running", done: "done", failed: "failed", skipped: "skipped", kept: "kept", stopped: "stopped", waiting: "waiting",
      satisfied: "done", partial: "done in part", blocked: "blocked", refused: "refused", aborted: "stopped", interrupted: "interrupted" },
  },
  ko: {
    jump: "명령 입력으로 건너뛰기", language: "언어", what: "할 일", hint: "로봇에게 무엇을 시킬까요?", send: "보내기",
    asks: "이 계획을 실행할까요?", yes: "예, 실행합니다", no: "아니요", idle: "진행 중인 임무가 없습니다", waiting: "대기 중", past: "지난 임무",
    failed: "실패한 임무만", close: "닫기", why: "그렇게 끝난 까닭", tree: "한 일", login: "로그인",
    token: "이 서비스의 토큰", enter: "로그인", try: "이렇게 말해 보세요:", stop: "멈추기", stopNow: "로봇 즉시 멈추기",
    on: "연결됨", off: "연결이 끊겨 다시 시도합니다", plan: "계획", tick: "틱", sees: "관찰", old: "초 전", planning: "계획 중:",
    goals: "하위 목표 {all}개 중 {done}개", ahead: "대기합니다. 앞에 {n}건이 있습니다.", withdraw: "취소", none: "아직 임무가 없습니다", camera: "{pack} 카메라",
    held: "멈췄습니다. 대기 중인 임무는 계속을 눌러야 시작합니다.", goOn: "계속", gone: "서비스가 응답하지 않습니다.", started: "시작: {command}", nothingNew: "새로 보이는 것이 없음", prepared: "로봇이 준비되지 않았습니다.",
    s: { running: "진행 중", done: "마침", failed: "실패", skipped: "건너뜀", kept: "유지", stopped: "멈춤", waiting: "대기",
      satisfied: "완료", partial: "일부 완료", blocked: "막힘", refused: "거절", aborted: "멈춤", interrupted: "중단됨" },
  },
};
const SIGNS = { running: "▸", done: "✓", failed: "✗", skipped: "↷", kept: "≡", stopped: "■", waiting: "·",
  satisfied: "✓", partial: "■", blocked: "■", refused: "↷", aborted: "■", interrupted: "■" };
const READ_MS = 700; // how long a plan is shown before it can be confirmed
const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);
const store = { get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* private mode: it is asked again */ } } };

let language = store.get("language") ?? (navigator.language.startsWith("ko") ? "ko" : "en");
let live = null, source = null, composing = false, endedId = "", spokenId = "", stoppedId = "";

const word = (key, facts = {}) => WORDS[language][key].replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? "");
const stateWord = (state) => WORDS[language].s[state] ?? state;

function make(tag, text = "", attributes = {}) {
  const node = document.createElement(tag);
  if (text !== "") node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
function show(node, on) { node.hidden = !on; }
function write(node, text) { if (node.textContent !== text) node.textContent = text; }
function notice(text, where = "notice") { write($(where), text); show($(where), text !== ""); }
function seconds(value) { return value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`; }

async function ask(path, body) {
  const options = { headers: { "Accept-Language": language }, cache: "no-store" };
  if (body !== undefined) Object.assign(options, { method: "POST", body: JSON.stringify(body) }, { headers: { ...options.headers, "Content-Type": "application/json" } });
  let response;
  try { response = await fetch(path, options); } catch { throw new Error(word("gone")); }
  const data = await response.json().catch(() => ({}));
  if (response.status === 401 && path !== "/login") logIn();
  if (!response.ok) throw new Error(data.error?.message ?? `${response.status}`);
  return data;
}

// rows of a tree: only those that changed are touched, so that a reader keeps its place
function rowNode(row) {
  const item = make("li", "", { "data-kind": row.kind, class: `d${Math.min(row.depth, 7)}` });
  if (row.kind !== "node") { item.append(make("span", row.text ?? "")); return item; }
  item.dataset.state = row.state;
  item.append(make("span", SIGNS[row.state] ?? "·", { class: "sign", "aria-hidden": "true" }), make("span", row.label, { class: "label" }), make("span", stateWord(row.state), { class: "aside" }));
  if (row.about) item.append(make("span", row.about, { class: "about" }));
  if (row.doing) item.append(make("span", row.doing, { class: "doing" }));
  if (row.code) item.append(make("span", row.code, { class: "code" }));
  if (typeof row.progress === "number") item.append(make("progress", "", { max: "1", value: String(row.progress), "aria-label": row.label }));
  if (row.seconds !== undefined) item.append(make("span", seconds(row.seconds), { class: "tail" }));
  return item;
}
function drawRows(list, rows) {
  rows.forEach((row, index) => {
    const key = `${language} ${JSON.stringify(row)}`, old = list.children[index];
    if (old?.dataset.key === key) return;
    const item = rowNode(row);
    item.dataset.key = key;
    if (old) old.replaceWith(item); else list.append(item);
  });
  while (list.children.length > rows.length) list.lastChild.remove();
}

function drawMission(mission) {
  const running = mission?.state === "running" && live.running === mission.mission_id;
  $("mission").lang = mission?.language ?? language;
  write($("mission-title"), mission ? mission.command : word("idle"));
  const facts = mission ? [mission.plan ? `${word("plan")} ${mission.plan}` : "", seconds(mission.seconds), `${word("tick")} ${mission.tick}`] : [];
  if (mission?.planning) facts.push(`${word("planning")} ${mission.planning} ${seconds(mission.planning_seconds)}`);
  write($("facts"), facts.filter(Boolean).join(" · "));
  const seen = mission?.blind ? [`${word("nothingNew")}: ${mission.blind}`] : live.sees.map((one) => `${one.text} (${one.age_s.toFixed(1)} ${word("old")})`);
  write($("sees"), running && seen.length ? `${word("sees")}: ${seen.join("; ")}` : "");
  const goals = mission?.subgoals ?? [];
  show($("goals"), goals.length > 1);
  if (goals.length > 1) {
    write($("goals-title"), word("goals", { done: goals.filter((one) => ["done", "skipped", "kept"].includes(one.state)).length, all: goals.length }));
    drawRows($("goals-list"), goals.map((one) => ({ kind: "node", depth: 0, state: one.state || "waiting", label: one.text })));
  }
  drawRows($("tree"), mission?.rows ?? []);
  show($("tree"), (mission?.rows ?? []).length > 0);
  const stopping = running ? mission.stopping : "", trouble = [stopping, live.trouble].filter(Boolean).join(" · ");
  write($("stopping"), trouble);
  show($("stopping"), trouble !== "");
  const stop = $("stop");
  show(stop, live.running !== null);
  write(stop, word(stoppedId === live.running ? "stopNow" : "stop"));
  drawEnd(mission?.outcome);
  document.title = running ? `▸ ${mission.command}` : "bt-exec";
  if (running && spokenId !== mission.mission_id) { spokenId = mission.mission_id; write($("spoken"), word("started", mission)); listPast(); }
}
function drawEnd(outcome) {
  show($("end"), Boolean(outcome));
  if (!outcome) return;
  $("end").dataset.state = outcome.status;
  write($("end-head"), `${SIGNS[outcome.status] ?? "·"} ${stateWord(outcome.status)}`);
  const code = ["OK", "ABORTED"].includes(outcome.reason_code) ? "" : outcome.reason_code;
  write($("end-facts"), [seconds(outcome.sim_seconds), code, outcome.mission_id].filter(Boolean).join(" · "));
  write($("end-message"), outcome.message);
  if (endedId === `${language}${outcome.mission_id}`) return;
  endedId = `${language}${outcome.mission_id}`;
  $("end-problems").replaceChildren(...[...(outcome.problems ?? []), ...(outcome.record_problem ? [outcome.record_problem] : [])].map((text) => make("li", text)));
  const nearest = outcome.nearest ?? [];
  show($("end-nearest"), nearest.length > 0);
  $("end-nearest").querySelector("ul").replaceChildren(...nearest.map((text) => {
    const item = make("li"), button = make("button", text, { type: "button", class: "plain" });
    button.addEventListener("click", () => { $("command").value = text; $("command").focus(); });
    item.append(button);
    return item;
  }));
  write($("spoken"), `${stateWord(outcome.status)}. ${outcome.message}`);
  listPast();
}
function drawQuestion(question) {
  const asked = $("question").dataset.number ?? "";
  show($("question"), Boolean(question));
  $("question").dataset.number = question ? String(question.number) : "";
  if (!question) return;
  write($("question-why"), question.why);
  drawRows($("question-rows"), question.rows);
  const number = String(question.number);
  if (asked === number) return;
  write($("spoken"), `${word("asks")} ${question.why}`);
  // no focus is taken, and a plan that has just appeared cannot be the one that a click was meant for
  $("yes").disabled = true;
  setTimeout(() => { if ($("question").dataset.number === number) $("yes").disabled = false; }, READ_MS);
}
function drawWaiting(waiting) {
  show($("waiting"), waiting.length > 0);
  const held = Boolean(live.held) && waiting.length > 0;
  if (held && $("held").hidden) write($("spoken"), word("held"));
  show($("held"), held);
  const list = $("waiting-list"), key = `${language} ${JSON.stringify(waiting)}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...waiting.map((one) => {
    const item = make("li"), button = make("button", word("withdraw"), { type: "button", class: "plain" });
    button.addEventListener("click", () => act(`/missions/${one.mission_id}/abort`));
    item.append(make("span", one.command), button);
    return item;
  }));
}

// pictures: a frame is shown when it has arrived, together with the boxes that belong to it
function drawPictures(pictures) {
  for (const picture of pictures) {
    let figure = $("cameras").querySelector(`figure[data-pack="${CSS.escape(picture.pack)}"]`);
    if (!figure) {
      figure = make("figure", "", { "data-pack": picture.pack });
      const frame = make("div", "", { class: "picture" });
      frame.append(make("img", "", { alt: "" }), document.createElementNS(SVG, "svg"));
      figure.append(frame, make("figcaption"));
      $("cameras").append(figure);
    }
    const sees = live.sees.find((one) => one.pack === picture.pack)?.said[language] ?? "";
    write(figure.querySelector("figcaption"), [word("camera", picture), sees].filter(Boolean).join(" · "));
    if (figure.dataset.service !== live.service) { delete figure.dataset.shown; figure.dataset.service = live.service; }
    if (figure.dataset.loading || Number(figure.dataset.shown ?? 0) >= picture.number) continue;
    figure.dataset.loading = picture.number; // one at a time: on a slow line the newest is next
    const next = new Image();
    next.addEventListener("error", () => { delete figure.dataset.loading; });
    next.addEventListener("load", () => {
      delete figure.dataset.loading;
      figure.dataset.shown = picture.number;
      const shown = figure.querySelector("img");
      shown.src = next.src;
      shown.alt = sees;
      drawBoxes(figure.querySelector("svg"), picture);
    });
    next.src = `/pictures/${picture.number}.png`;
  }
}
function drawBoxes(svg, picture) {
  svg.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
  svg.setAttribute("aria-hidden", "true");
  const size = picture.width / (picture.boxes.length > 3 ? 34 : 24), taken = [];
  svg.replaceChildren(...picture.boxes.flatMap(({ label, score, box: [x1, y1, x2, y2] }) => {
    const rect = document.createElementNS(SVG, "rect"), text = document.createElementNS(SVG, "text");
    for (const [key, value] of Object.entries({ x: x1, y: y1, width: Math.max(x2 - x1, 0), height: Math.max(y2 - y1, 0) })) rect.setAttribute(key, value);
    text.textContent = typeof score === "number" ? `${label} ${score.toFixed(2)}` : label;
    const wide = text.textContent.length * size * 0.7, left = Math.max(0, Math.min(x1, picture.width - wide));
    // above its box, else below it; where both are taken, only the box is drawn
    const free = [y1 - 3, y2 + size].find((y) => y >= size && y <= picture.height && !taken.some((one) => Math.abs(one.y - y) < size && left < one.left + one.wide && one.left < left + wide));
    if (free === undefined) return [rect];
    taken.push({ left, wide, y: free });
    for (const [key, value] of Object.entries({ x: left, y: free, "font-size": size, "stroke-width": size / 5 })) text.setAttribute(key, value);
    return [rect, text];
  }));
}

function draw() {
  if (!live) return;
  write($("site"), live.site);
  drawMission(live.mission);
  drawQuestion(live.question);
  drawWaiting(live.waiting);
  drawPictures(live.pictures);
}
function drawWords() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-word]")) if (node.id !== "mission-title" || !live?.mission) write(node, word(node.dataset.word));
  $("command").placeholder = word("hint");
  $("tree").setAttribute("aria-label", word("tree"));
  $("language").value = language;
  linked($("link").dataset.state === "on");
  draw();
}

async function listPast() {
  try {
    const { missions } = await ask(`/missions?limit=30&failed=${$("failed").checked}`);
    $("past").replaceChildren(...missions.map(pastItem));
    if (!missions.length) $("past").append(make("li", word("none"), { class: "facts" }));
  } catch (error) { notice(error.message); }
}
function pastItem(one) {
  const item = make("li"), button = make("button", "", { type: "button", "data-state": one.status });
  const when = new Date(one.started_at).toLocaleString(language, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
  const code = ["OK", "ABORTED", ""].includes(one.reason_code) ? "" : one.reason_code;
  button.append(make("span", SIGNS[one.status] ?? "·", { class: "sign", "aria-hidden": "true" }), make("span", one.command, { class: "what", lang: one.language }),
    make("span", [stateWord(one.status), code, when].filter(Boolean).join(" · "), { class: "how" }));
  button.addEventListener("click", () => openRecord(one.mission_id));
  item.append(button);
  return item;
}
async function openRecord(id) {
  try {
    const mission = await ask(`/missions/${id}`), outcome = mission.results.outcome;
    write($("record-title"), mission.command);
    write($("record-facts"), [`${SIGNS[mission.status] ?? "·"} ${stateWord(mission.status)}`, mission.reason_code === "OK" ? "" : mission.reason_code, outcome ? seconds(outcome.sim_seconds) : "", id].filter(Boolean).join(" · "));
    write($("record-message"), mission.message);
    write($("record-cause"), mission.why.cause);
    $("record-said").replaceChildren(...mission.why.said.flatMap(([name, text]) => [make("dt", name), make("dd", text)]));
    $("record-rows").replaceChildren();
    drawRows($("record-rows"), mission.run.rows);
    $("record").lang = mission.language;
    if (!$("record").open) $("record").showModal();
    $("record").scrollTop = 0;
  } catch (error) { notice(error.message); }
}

async function act(path, body = {}) {
  try { notice(""); return await ask(path, body); } catch (error) { notice(error.message); return null; }
}
async function submit(event) {
  event.preventDefault();
  const command = $("command").value.trim();
  if (composing || !command) return;
  $("send").disabled = true;
  const taken = await act("/missions", { command });
  $("send").disabled = false;
  if (!taken) return;
  $("command").value = "";
  if (taken.ahead) write($("spoken"), word("ahead", { n: taken.ahead }));
}

function linked(on) { $("link").dataset.state = on ? "on" : "off"; write($("link"), word(on ? "on" : "off")); }
async function connect() {
  source?.close();
  try {
    const site = await ask("/site");
    write($("site"), site.site);
    $("said").replaceChildren(...site.utterances.flat().map((text) => make("option", "", { value: text })));
  } catch { linked(false); if (!$("login").open) setTimeout(connect, 2000); return; }
  source = new EventSource("/live");
  source.addEventListener("open", () => { linked(true); listPast(); });
  source.addEventListener("live", (event) => { live = JSON.parse(event.data); draw(); });
  source.addEventListener("error", () => { linked(false); if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000); });
}
function logIn() { if (!$("login").open) $("login").showModal(); }
async function enter(token) {
  try { await ask("/login", { token }); $("login").close(); notice("", "login-notice"); $("token").value = ""; await connect(); } catch (error) { logIn(); notice(error.message, "login-notice"); }
}

$("ask").addEventListener("submit", submit);
$("command").addEventListener("compositionstart", () => { composing = true; });
$("command").addEventListener("compositionend", () => { composing = false; });
$("command").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.isComposing || event.keyCode === 229)) event.preventDefault(); });
$("stop").addEventListener("click", () => { stoppedId = live.running; act(`/missions/${live.running}/abort`); draw(); });
for (const [id, yes] of [["yes", true], ["no", false]]) $(id).addEventListener("click", () => act(`/missions/last/answer`, { question: Number($("question").dataset.number), yes }));
$("go-on").addEventListener("click", () => act("/queue/resume"));
$("failed").addEventListener("change", listPast);
$("language").addEventListener("change", () => { language = $("language").value; store.set("language", language); endedId = ""; drawWords(); listPast(); });
$("login-form").addEventListener("submit", (event) => { event.preventDefault(); enter($("token").value); });
$("login").addEventListener("cancel", (event) => event.preventDefault());

drawWords();
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) { history.replaceState(null, "", location.pathname); await enter(token); } else { await connect(); }
