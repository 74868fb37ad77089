// The page of bt-exec serve. Data of the service is inserted as text, never as markup.
import { $, SVG, make, seconds, show, write } from "/dom.js";
import { drawMap } from "/map.js";
import { SIGNS, TreeView } from "/tree.js";
import { WORDS } from "/words.js";

const READ_MS = 700; // delay before a new button that moves the robot can be clicked
const store = { get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* in private mode, the choice is not kept */ } } };

let language = store.get("language") ?? (navigator.language.startsWith("ko") ? "ko" : "en");
const STOPS = ["stop", "record-stop"];  // stop buttons of the page and of the dialog that covers it
let live = null, source = null, composing = false, endedId = "", spokenId = "", stoppedId = "";
let base = "", sites = [], older = null, record = null, suggestedAt = 0, drawnOnce = false;
const ways = new Map(); // positions of the robot in this mission, by pack
const drawn = new Map(); // language and number of the displayed map, by pack

const word = (key, facts = {}) => WORDS[language][key].replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? "");
const stateWord = (state) => WORDS[language].s[state] ?? state;
const say = { state: stateWord, language: () => language };
const trees = { tree: new TreeView($("tree"), say), question: new TreeView($("question-rows"), say), record: new TreeView($("record-rows"), say) };
// a click at this moment may be meant for something else, so a new button is enabled with a delay
function enableLater(button, holds = () => true) {
  button.disabled = true;
  setTimeout(() => { if (holds()) button.disabled = false; }, READ_MS);
}
function notice(text, where = "notice") { write($(where), text); show($(where), text !== ""); }

async function ask(path, body) {
  const options = { headers: { "Accept-Language": language }, cache: "no-store" };
  if (body !== undefined) Object.assign(options, { method: "POST", body: JSON.stringify(body) }, { headers: { ...options.headers, "Content-Type": "application/json" } });
  let response;
  try { response = await fetch(base + path, options); } catch { throw new Error(word("gone")); }
  const data = await response.json().catch(() => ({}));
  if (response.status === 401 && path !== "/login") logIn();
  if (!response.ok) throw new Error(data.error?.message ?? `${response.status}`);
  return data;
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
  }
  trees.tree.draw(mission?.rows ?? []);
  show($("tree"), (mission?.rows ?? []).length > 0);
  const stopping = running ? mission.stopping : "", trouble = [stopping, live.trouble].filter(Boolean).join(" · ");
  write($("stopping"), trouble);
  show($("stopping"), trouble !== "");
  const ended = Boolean(mission?.outcome) && live.running === mission.mission_id; // the service has not yet removed the ended mission
  for (const id of STOPS) {
    show($(id), live.running !== null && !ended);
    write($(id), word(stoppedId === live.running ? "stopNow" : "stop"));
  }
  drawEnd(mission?.outcome);
  document.title = running ? `▸ ${mission.command}` : "bt-exec";
  if (running && spokenId !== mission.mission_id) { spokenId = mission.mission_id; ways.clear(); write($("spoken"), word("started", mission)); listPast(); }
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
  show($("end-try"), !outcome.question);
  $("end-nearest").querySelector("ul").replaceChildren(...nearest.map((text) => {
    const item = make("li"), button = make("button", text, { type: "button", class: "plain" });
    button.addEventListener("click", () => { if (outcome.question) act("/missions", { command: text }); else { $("command").value = text; $("command").focus(); } });
    if (outcome.question) enableLater(button);
    item.append(button);
    return item;
  }));
  write($("spoken"), `${stateWord(outcome.status)}. ${outcome.message}`);
  if (drawnOnce) readAloud(outcome.message, live.mission.language);
  listPast();
}
function drawQuestion(question) {
  const asked = $("question").dataset.number ?? "";
  show($("question"), Boolean(question));
  $("question").dataset.number = question ? String(question.number) : "";
  if (!question) return;
  write($("question-why"), question.why);
  trees.question.draw(question.rows);
  const number = String(question.number);
  if (asked === number) return;
  write($("spoken"), `${word("asks")} ${question.why}`);
  enableLater($("yes"), () => $("question").dataset.number === number);
}
function drawWaiting(waiting) {
  const held = Boolean(live.inspect) || (Boolean(live.held) && waiting.length > 0);
  show($("waiting"), held || waiting.length > 0);
  const why = live.inspect ? word("inspect", { why: live.inspect }) : word("held");
  if (held && ($("held").hidden || $("held-why").textContent !== why)) { write($("spoken"), why); enableLater($("go-on")); }
  write($("held-why"), why);
  write($("go-on"), word(live.inspect ? "inspected" : "goOn"));
  show($("held"), held);
  show($("hold"), !held && waiting.length > 0);
  const list = $("waiting-list"), key = `${language} ${JSON.stringify(waiting)}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...waiting.map((one, place) => {
    const item = make("li"), button = make("button", word("withdraw"), { type: "button", class: "plain" });
    button.addEventListener("click", () => act(`/missions/${one.mission_id}/abort`));
    item.append(make("span", one.command));
    if (place) {
      const up = make("button", "↑", { type: "button", class: "plain", "aria-label": `${word("up")}: ${one.command}` });
      up.addEventListener("click", () => act(`/missions/${one.mission_id}/move`, { to: place - 1 }));
      item.append(up);
    }
    item.append(button);
    return item;
  }));
}

async function drawSuggestions() { // commands that would be accepted, shown while no mission runs
  const idle = live.running === null && !live.waiting.length;
  show($("suggest"), idle && $("suggest-list").children.length > 0);
  const key = `${base} ${language} ${live.mission?.mission_id ?? ""}`, now = Date.now();
  if (!idle || ($("suggest-list").dataset.key === key && now - suggestedAt < 30000)) return;
  $("suggest-list").dataset.key = key;
  suggestedAt = now;
  const { commands } = await ask("/suggestions").catch(() => ({ commands: [] }));
  $("suggest-list").replaceChildren(...commands.map((text) => {
    const item = make("li"), button = make("button", text, { type: "button", class: "plain", lang: language });
    button.addEventListener("click", () => { $("command").value = text; $("command").focus(); });
    item.append(button);
    return item;
  }));
}

const mapTitle = (map) => `${word("map")}: ${[...map.areas.map((one) => one.said[language] ?? one.name), word("things", { n: map.objects.length })].join(", ")}`;
async function drawMaps() { // requested only if there is a newer map, one request at a time
  for (const { pack, robot } of live.maps) {
    const way = ways.get(pack) ?? [], last = way.at(-1);
    if (robot && (!last || Math.hypot(robot[0] - last[0], robot[1] - last[1]) > 0.03)) ways.set(pack, [...way, robot].slice(-2000));
  }
  show($("map"), live.maps.length > 0);
  if ($("map").dataset.loading || !live.maps.some(({ pack, number }) => drawn.get(pack) !== `${language} ${number}`)) return;
  $("map").dataset.loading = "yes";
  for (const { pack, number } of live.maps) drawn.set(pack, `${language} ${number}`);
  try { for (const map of (await ask("/maps")).maps) drawMap($("map-svg"), map, ways.get(map.pack) ?? [], language, mapTitle(map)); }
  catch { drawn.clear(); }
  finally { delete $("map").dataset.loading; }
}

// pictures: a frame and its boxes are shown together, when the frame has been loaded
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
    figure.dataset.loading = picture.number; // one request at a time, so that a slow connection skips to the newest picture
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
    next.src = `${base}/pictures/${picture.number}.png`;
  }
}
function drawBoxes(svg, picture) {
  svg.setAttribute("viewBox", `0 0 ${picture.width} ${picture.height}`);
  svg.setAttribute("aria-hidden", "true");
  const size = picture.width / (picture.boxes.length > 3 ? 34 : 24), taken = [];
  svg.replaceChildren(...picture.boxes.flatMap(({ label, said, score, sure, box: [x1, y1, x2, y2] }) => {
    const rect = document.createElementNS(SVG, "rect"), text = document.createElementNS(SVG, "text");
    for (const [key, value] of Object.entries({ x: x1, y: y1, width: Math.max(x2 - x1, 0), height: Math.max(y2 - y1, 0) })) rect.setAttribute(key, value);
    const name = `${said?.[language] ?? label}${sure ? "" : "?"}`;
    if (!sure) rect.setAttribute("class", "unsure");
    text.textContent = typeof score === "number" ? `${name} ${score.toFixed(2)}` : name;
    const wide = text.textContent.length * size * 0.7, left = Math.max(0, Math.min(x1, picture.width - wide));
    // the label is above its box, or below it; if both places are taken, it is left out
    const free = [y1 - 3, y2 + size].find((y) => y >= size && y <= picture.height && !taken.some((one) => Math.abs(one.y - y) < size && left < one.left + one.wide && one.left < left + wide));
    if (free === undefined) return [rect];
    taken.push({ left, wide, y: free });
    for (const [key, value] of Object.entries({ x: left, y: free, "font-size": size, "stroke-width": size / 5 })) text.setAttribute(key, value);
    return [rect, text];
  }));
}

// speech recognition of the browser: the transcript is written into the field and not submitted
const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
function listen() {
  const recognition = new Recognition();
  recognition.lang = language === "ko" ? "ko-KR" : "en-US";
  recognition.onresult = ({ results: [[{ transcript }]] }) => { $("command").value = transcript; };
  recognition.onend = () => { $("speak").disabled = false; $("command").focus(); };
  $("speak").disabled = true;
  recognition.start();
}
function readAloud(text, spoken) {
  if (!$("aloud").checked) return;
  const sentence = new SpeechSynthesisUtterance(text);
  sentence.lang = spoken;
  speechSynthesis.cancel();
  speechSynthesis.speak(sentence);
}

function draw() {
  if (!live) return;
  write($("site"), live.site);
  drawMission(live.mission);
  drawQuestion(live.question);
  drawWaiting(live.waiting);
  drawPictures(live.pictures);
  drawMaps();
  drawSuggestions();
  drawnOnce = true;
}
function drawWords() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-word]")) if (node.id !== "mission-title" || !live?.mission) write(node, word(node.dataset.word));
  $("command").placeholder = word("hint");
  $("search").placeholder = word("search");
  $("tree").setAttribute("aria-label", word("tree"));
  $("language").value = language;
  linked($("link").dataset.state === "on");
  draw();
}

async function listPast(further = false) {
  try {
    const query = new URLSearchParams({ limit: 30, failed: $("failed").checked, search: $("search").value.trim(), before: further && older ? older : "" });
    const { missions, next } = await ask(`/missions?${query}`);
    older = next;
    const items = missions.map(pastItem);
    if (further) $("past").append(...items); else $("past").replaceChildren(...items);
    if (!$("past").children.length) $("past").append(make("li", word("none"), { class: "facts" }));
    show($("more"), next !== null);
  } catch (error) { notice(error.message); }
}
function pastItem(one) {
  const item = make("li"), button = make("button", "", { type: "button", "data-state": one.status });
  const when = new Date(one.started_at).toLocaleString(language, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
  const code = ["OK", "ABORTED", ""].includes(one.reason_code) ? "" : one.reason_code;
  button.append(make("span", SIGNS[one.status] ?? "·", { class: "sign", "aria-hidden": "true" }), make("span", one.command, { class: "what", lang: one.language }),
    make("span", [stateWord(one.status), code, when].filter(Boolean).join(" · "), { class: "how" }));
  button.addEventListener("click", () => { location.hash = `#/missions/${one.mission_id}`; });
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
    record = { mission, maps: [] };
    trees.record.draw(mission.run.rows);
    for (const form of ["html", "jsonl", "mcap"]) $(`export-${form}`).href = `${base}/missions/${mission.mission_id}/export?form=${form}`;
    show($("record-map"), false);
    $("record").lang = mission.language;
    if (!$("record").open) $("record").showModal();
    $("record").scrollTop = 0;
    record.maps = (await ask(`/missions/${id}/maps`)).maps;
    show($("record-map"), record.maps.length > 0);
    $("scrub").max = String(Math.max(record.maps.length - 1, 0));
    $("scrub").value = $("scrub").max;
    drawRecordAt(record.maps.length - 1, false);
  } catch (error) { notice(error.message); }
}

function drawRecordAt(index, past = true) { // map and tree at the time of an observation
  const map = record.maps[index];
  if (!map) return;
  const way = record.maps.slice(0, index + 1).filter((one) => one.robot && one.pack === map.pack).map((one) => one.robot);
  drawMap($("record-svg"), map, way, language, mapTitle(map));
  show($("record-picture"), Boolean(map.picture));
  if (map.picture) $("record-picture").src = `${base}/missions/${record.mission.mission_id}/frames/${map.picture}`;
  $("record-picture").alt = word("camera", map);
  write($("scrub-time"), seconds(map.t));
  $("scrub").setAttribute("aria-valuetext", seconds(map.t));
  const then = (row) => row.began === undefined || row.began > map.t ? { ...row, state: "waiting", code: undefined } : row.ended === undefined || row.ended > map.t ? { ...row, state: "running", code: undefined } : row;
  trees.record.draw(past ? record.mission.run.rows.map((row) => row.kind === "node" ? then(row) : row) : record.mission.run.rows);
}
function followLink() {
  const id = location.hash.match(/^#\/missions\/([0-9-]+)$/)?.[1];
  if (id) openRecord(id); else if ($("record").open) $("record").close();
}

function drawSites() { // one tab for each site if there are several
  show($("sites"), sites.length > 1);
  $("sites").replaceChildren(...sites.map((one) => {
    const tab = make("button", "", { type: "button", class: "plain", "aria-pressed": String(one.path === base), "data-site": one.site });
    tab.append(make("span", SIGNS[one.state] ?? "·", { "aria-hidden": "true" }), make("span", one.site), make("span", one.state ? stateWord(one.state) : "", { class: "how" }));
    tab.addEventListener("click", () => choose(one.path));
    return tab;
  }));
}
async function choose(path) {
  base = path;
  live = null;
  $("question").dataset.number = "";
  for (const id of ["question", "stop", "waiting", "suggest"]) show($(id), false);
  ways.clear(); drawn.clear(); $("cameras").replaceChildren();
  if ($("login").open) $("login").close();
  history.replaceState(null, "", `?site=${encodeURIComponent(sites.find((one) => one.path === path)?.site ?? "")}`);
  drawSites();
  await connect();
}
async function watchOthers() { // states of the other sites; 401 without a login counts as interrupted
  for (const one of sites) {
    if (one.path === base) { one.state = live?.running ? "running" : ""; continue; }
    const answer = await fetch(`${one.path}/ready`).catch(() => null);
    one.state = answer?.ok ? ((await answer.json()).running ? "running" : "") : "interrupted";
  }
  drawSites();
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
  source = new EventSource(`${base}/live`);
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
for (const id of STOPS) $(id).addEventListener("click", () => { stoppedId = live.running; act(`/missions/${live.running}/abort`); draw(); });
for (const [id, yes] of [["yes", true], ["no", false]]) $(id).addEventListener("click", () => act(`/missions/last/answer`, { question: Number($("question").dataset.number), yes }));
show($("speak"), Boolean(Recognition));
show($("aloud-choice"), "speechSynthesis" in window);
$("speak").addEventListener("click", listen);
$("hold").addEventListener("click", () => act("/queue/hold"));
$("more").addEventListener("click", () => listPast(true));
$("search").addEventListener("change", () => listPast());
$("scrub").addEventListener("input", () => drawRecordAt(Number($("scrub").value)));
$("again").addEventListener("click", async () => { if (await act("/missions", { command: record.mission.command })) $("record").close(); });
$("record").addEventListener("close", () => { if (location.hash.startsWith("#/missions/")) history.replaceState(null, "", location.pathname + location.search); });
addEventListener("hashchange", followLink);
$("go-on").addEventListener("click", () => act("/queue/resume", { inspected: Boolean(live.inspect) }));
$("failed").addEventListener("change", () => listPast());
$("language").addEventListener("change", () => { language = $("language").value; store.set("language", language); endedId = ""; drawWords(); listPast(); });
$("login-form").addEventListener("submit", (event) => { event.preventDefault(); enter($("token").value); });
$("login").addEventListener("cancel", (event) => event.preventDefault());

drawWords();
sites = await fetch("/sites").then((answer) => answer.json()).then((found) => found.sites).catch(() => []);
const wanted = new URLSearchParams(location.search).get("site");
base = (sites.find((one) => one.site === wanted) ?? sites[0])?.path ?? "";
drawSites();
if (sites.length > 1) setInterval(watchOthers, 3000);
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) { history.replaceState(null, "", location.pathname + location.search); await enter(token); } else { await connect(); }
followLink();
