// The page of one written question: keys and buttons give items of the rubric, and each of them saves at once.
"use strict";

const page = document.body;
const question = `${page.dataset.api}/question/${page.dataset.question}`;
const items = [...document.querySelectorAll("[data-item]")];
const scoreBox = document.getElementById("score"), wordsBox = document.getElementById("words");
const filters = {ungraded: false, mine: false, flagged: false};
const POLL_SECONDS = 5;
let current = null, waiting = Promise.resolve(), unsaved = 0;

// A card holds equal answers with the same grade. `saved` is the state on the server, `shown` the one on the page.
const cards = [...document.querySelectorAll(".card")].map((element) => {
  const members = JSON.parse(element.dataset.members);
  const [saved] = Object.values(members);
  return {element, members, saved, shown: {...saved}, cluster: element.dataset.cluster, pending: 0, attempt: 0};
});

const number = (value) => value === null ? "–" : String(Math.round(value * 100) / 100);
const isGraded = (card) => !card.shown.waits;
const pointsOf = (name) => Number.parseFloat(items.find((item) => item.dataset.item === name)?.dataset.points);

function say(text, isProblem = false) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.toggle("problem", isProblem);
}

function draw(card) {
  const {score, waits, given, words, by, flagged} = card.shown;
  card.element.classList.toggle("is-graded", !waits);
  const state = waits ? (score === null ? "not graded" : `${number(score)}, but the answer has changed since`)
    : `${number(score)} of ${number(Number(page.dataset.most))}`;
  card.element.querySelector(".grade").textContent =
    `${state}${by && !waits ? `, by ${by}` : ""}${flagged ? " ⚑ flagged" : ""}${card.isMixed ? " (their grades now differ: load the page again)" : ""}`;
  const lines = items.filter((item) => given.includes(item.dataset.item))
    .map((item) => `✓ ${item.querySelector("span").textContent}`);
  card.element.querySelector(".items-given").textContent = [...lines, words].filter(Boolean).join("\n");
  if (card === current) { drawCurrent(); }
}

function drawCurrent() {
  const {given, score, words} = current.shown;
  document.getElementById("current").textContent = `answer ${current.element.dataset.number}`;
  for (const item of items) { item.setAttribute("aria-pressed", given.includes(item.dataset.item)); }
  if (document.activeElement !== scoreBox) { scoreBox.value = score ?? ""; }
  if (document.activeElement !== wordsBox) { wordsBox.value = words; }
}

function drawProgress() {
  const count = (some) => some.reduce((sum, card) => sum + Object.keys(card.members).length, 0);
  const all = count(cards), done = count(cards.filter(isGraded));
  const mine = cards.filter((card) => card.element.dataset.grader === grader());
  const share = mine.length ? `; yours: ${count(mine.filter(isGraded))} of ${count(mine)}` : "";
  document.getElementById("progress").textContent = `${done} of ${all} graded${share}`;
  const bar = document.querySelector("progress");
  bar.max = all || 1;
  bar.value = done;
}

const grader = () => document.getElementById("grader")?.value ?? page.dataset.grader;

function isWanted(card) {
  return (!filters.ungraded || !isGraded(card)) && (!filters.flagged || card.shown.flagged)
    && (!filters.mine || card.element.dataset.grader === grader());
}

function filter() {
  for (const card of cards) { card.element.hidden = card !== current && !isWanted(card); }
  document.getElementById("nothing").hidden = cards.some((card) => !card.element.hidden);
  drawProgress();
}

function select(card, takesFocus = true) {
  if (current) {
    current.element.classList.remove("is-current");
    current.element.tabIndex = -1;
  }
  current = card;
  card.element.classList.add("is-current");
  card.element.tabIndex = 0;
  filter();
  if (takesFocus) {
    card.element.focus({preventScroll: true});
    card.element.scrollIntoView({block: "start"});
  }
  drawCurrent();
}

function step(by) {
  const shown = cards.filter((card) => card === current || isWanted(card));
  const next = shown[shown.indexOf(current) + by];
  if (next) { select(next); }
}

function nextUngraded() {
  const place = cards.indexOf(current);
  const later = [...cards.slice(place + 1), ...cards.slice(0, place)];
  const next = later.find((card) => !isGraded(card) && isWanted(card));
  if (next) { select(next); } else { filter(); say("Every answer that is shown here is graded."); }
}

async function request(method, path, body) {
  const token = document.cookie.match(/(?:^|; )_xsrf=([^;]*)/)?.[1] ?? "";
  const headers = {"Content-Type": "application/json", "X-XSRFToken": token};
  const options = {method, headers, credentials: "same-origin", body: body && JSON.stringify(body)};
  const reply = await fetch(path, options);
  const content = await reply.json().catch(() => ({}));
  return {ok: reply.ok, status: reply.status, problem: content.problem || reply.statusText, ...content};
}

function refresh(card, states) {
  for (const id of Object.keys(card.members)) { card.members[id] = states[id] ?? card.members[id]; }
  const grades = Object.values(card.members);
  card.saved = grades[0];
  card.isMixed = new Set(grades.map(({score, waits, given, words}) => JSON.stringify([score, waits, given, words]))).size > 1;
}

// Cards with changes that are not saved yet stay as they are, until the server has answered.
function show(some) {
  for (const card of some) {
    card.shown = {...card.saved};
    draw(card);
  }
  drawProgress();
}

// Changes are saved one after the other, each with the versions that the one before has left.
function save(some, change, shown) {
  const attempts = some.map((card) => card.attempt);
  for (const card of some) {
    card.pending += 1;
    Object.assign(card.shown, shown);
    draw(card);
  }
  unsaved += 1;
  drawProgress();
  waiting = waiting.then(() => send(some, change, attempts));
}

async function send(some, change, attempts) {
  const wanted = some.filter((card, place) => card.attempt === attempts[place]);
  for (const card of some) { card.pending -= 1; }
  unsaved -= 1;
  if (!wanted.length) { return; }
  const members = wanted.flatMap((card) => Object.entries(card.members));
  const versions = Object.fromEntries(members.map(([id, state]) => [id, state.version]));
  let reply;
  try {
    reply = await request("PUT", question, {versions, rubric_version: page.dataset.rubric, ...change});
  } catch (error) {
    reply = {ok: false, problem: error.message};
  }
  const numbers = wanted.map((card) => card.element.dataset.number).join(", ");
  for (const card of reply.states ? wanted : []) { refresh(card, reply.states); }
  if (reply.ok) {
    show(wanted.filter((card) => !card.pending));
    say(`Answer ${numbers} saved: ${number(wanted[0].saved.score)}`);
  } else {
    for (const card of wanted) { card.attempt += 1; }
    show(wanted);
    say(`Answer ${numbers} was not saved: ${reply.problem}. Look at it and press the key again.`, true);
  }
}

function give(given, score) {
  const points = given.map(pointsOf).filter((value) => !Number.isNaN(value));
  const sum = Math.min(Math.max(points.reduce((a, b) => a + b, 0), 0), Number(page.dataset.most));
  const change = score === undefined ? {given} : {given, score};
  const shown = {given};
  if (score !== undefined) { Object.assign(shown, {score, waits: false}); }
  else if (points.length) { Object.assign(shown, {score: sum, waits: false}); }
  save([current], change, shown);
}

function toggle(name) {
  const {given} = current.shown;
  give(given.includes(name) ? given.filter((other) => other !== name) : [...given, name]);
}

const actions = {
  none: () => give(current.shown.given.filter((name) => Number.isNaN(pointsOf(name))), 0),  // comments stay
  full: () => give(items.map((item) => item.dataset.item).filter((name) => /^\d/.test(name) && pointsOf(name) > 0),
    Number(page.dataset.most)),
  takeBack: () => save([current], {take_back: true}, {score: null, waits: true, given: []}),
  toScore: () => { scoreBox.focus(); scoreBox.select(); },
  toWords: () => wordsBox.focus(),
  nextUngraded,
  next: () => step(1),
  previous: () => step(-1),
  toSimilar() {
    const others = cards.filter((card) => card !== current && card.cluster === current.cluster && !isGraded(card));
    if (!isGraded(current) || !others.length) { say("No nearly equal answer waits for this grade."); return; }
    const {given, score, words} = current.shown;
    save(others, {given, score, words}, {given, score, words, waits: false});
  },
  async flag() {
    const card = current;
    const reply = await request("POST", `${page.dataset.api}/submitted_notebook/${card.element.dataset.notebook}/flag`);
    if (reply.ok) { card.saved.flagged = card.shown.flagged = reply.flagged; draw(card); }
    else { say(`The flag was not saved: ${reply.problem}`, true); }
  },
  open: () => window.open(`${page.dataset.api.replace(/api$/, "submissions")}/${current.element.dataset.notebook}/`, "_blank", "noopener"),
  toggleNames() {
    const hidden = page.classList.toggle("hide-names");
    document.querySelector("[data-do=toggleNames]").setAttribute("aria-pressed", !hidden);
    localStorage.setItem("names", hidden ? "hidden" : "shown");
  },
  async applyRubric(button) {
    button.disabled = true;
    const reply = await request("PUT", question, {
      rubric: true, rubric_version: page.dataset.rubric, versions: JSON.parse(button.dataset.versions),
    });
    if (reply.ok) { location.reload(); }
    else { say(`The scores were not changed: ${reply.problem}. Load the page again.`, true); }
  },
};
const KEYS = {
  "0": "none", f: "full", r: "takeBack", s: "toScore", c: "toWords", Enter: "nextUngraded", j: "next", k: "previous",
  a: "toSimilar", g: "flag", o: "open", h: "toggleNames",
};
const FILTERS = {U: "ungraded", M: "mine", G: "flagged"};

function switchFilter(name) {
  const button = document.querySelector(`[data-filter=${name}]`);
  if (!button) { return; }
  filters[name] = !filters[name];
  button.setAttribute("aria-pressed", filters[name]);
  const wanted = cards.filter(isWanted);
  if (current && !isWanted(current) && wanted.length) { select(wanted.find((card) => !isGraded(card)) ?? wanted[0]); }
  filter();
}

page.addEventListener("keydown", (event) => {
  const inBox = event.target === scoreBox || event.target === wordsBox;
  if (inBox && (event.key === "Escape" || (event.key === "Enter" && event.target === scoreBox))) {
    event.preventDefault();
    select(current);  // leaving the box saves it
  } else if (event.target.closest(".card") && !event.ctrlKey && !event.altKey && !event.metaKey) {
    if (event.key === "Enter" && event.target.closest("a, summary")) { return; }
    if (/^[1-9]$/.test(event.key) && items[event.key - 1]) { toggle(items[event.key - 1].dataset.item); }
    else if (FILTERS[event.key]) { switchFilter(FILTERS[event.key]); }
    else if (KEYS[event.key]) { actions[KEYS[event.key]](); }
    else { return; }
    event.preventDefault();
  }
});

page.addEventListener("click", (event) => {
  const button = event.target.closest("button"), answer = event.target.closest(".card");
  if (button?.dataset.item) { toggle(button.dataset.item); select(current); }
  else if (button?.dataset.filter) { switchFilter(button.dataset.filter); }
  else if (button?.dataset.do) { actions[button.dataset.do](button); }
  else if (answer && !event.target.closest("a, summary") && getSelection().isCollapsed) {
    const card = cards.find((other) => other.element === answer);
    if (card !== current) { select(card, false); }
    answer.focus({preventScroll: true});
  } else if (event.detail && current && !event.target.closest("a, button, input, textarea, select, label")) {
    requestAnimationFrame(() => current.element.focus({preventScroll: true}));  // so that keys go on working
  }
});

scoreBox.addEventListener("change", () => {
  if (scoreBox.value === "" || !scoreBox.checkValidity()) {
    say(`A score is a number from 0 to ${page.dataset.most}.`, true);
    scoreBox.value = current.shown.score ?? "";
  } else if (Number(scoreBox.value) !== current.shown.score || current.shown.waits) {
    save([current], {score: Number(scoreBox.value)}, {score: Number(scoreBox.value), waits: false});
  }
});
wordsBox.addEventListener("change", () => save([current], {words: wordsBox.value}, {words: wordsBox.value}));
document.getElementById("grader")?.addEventListener("change", filter);
const isTyping = () => document.activeElement === wordsBox && current && wordsBox.value !== current.shown.words;
addEventListener("beforeunload", (event) => { if (unsaved || isTyping()) { event.preventDefault(); } });

// Other graders save meanwhile.
setInterval(async () => {
  if (document.hidden || unsaved) { return; }
  const reply = await request("GET", question).catch(() => ({ok: false}));
  if (reply.ok && !unsaved) {
    for (const card of cards) { refresh(card, reply.states); }
    show(cards);
  }
}, 1000 * POLL_SECONDS);

if (localStorage.getItem("names") === "shown") { actions.toggleNames(); }
cards.forEach(draw);
if (cards.length) { select(cards.find((card) => !isGraded(card)) ?? cards[0]); }
drawProgress();
