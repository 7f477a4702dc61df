// The page of a written question. Keys and buttons give items of the rubric, and each change is saved at once.
"use strict";

const page = document.body;
const question = `${page.dataset.api}/question/${page.dataset.question}`;
const items = [...document.querySelectorAll("[data-item]")];
const scoreBox = document.getElementById("score"), commentBox = document.getElementById("comment");
const filters = {ungraded: false, mine: false, flagged: false};
const most = Number(page.dataset.most);
const POLL_SECONDS = 5, HALF = 0.5;
const saves = [];  // the changes that this page has saved: the cards of each, and the grades that they had before
let current = null, waiting = Promise.resolve(), unsaved = 0;

// A card holds equal answers with the same grade. `saved` is their grade on the server, `shown` that on the page.
const cards = [...document.querySelectorAll(".card")].map((element) => {
  const members = JSON.parse(element.dataset.members);
  const [saved] = Object.values(members);
  return {element, members, saved, shown: {...saved}, cluster: element.dataset.cluster, pending: 0, attempt: 0};
});

const rounded = (value) => Math.round(value * 10000) / 10000;
const number = (value) => value === null ? "–" : String(rounded(value));
const signed = (value) => `${value < 0 ? "−" : "+"}${number(Math.abs(value))}`;
const isGraded = (card) => !card.shown.waits;
const numbersOf = (chosen) => chosen.map((card) => card.element.dataset.number).join(", ");
const versionsOf = (card) => JSON.stringify(Object.values(card.members).map((state) => state.version));
const pointsOf = (name) => Number.parseFloat(items.find((item) => item.dataset.item === name)?.dataset.points);
const withoutPoints = (given) => Object.fromEntries(Object.entries(given).filter(([name]) => Number.isNaN(pointsOf(name))));

// The sum of the points of given items, or null if none of them has points.
function itemPoints(given) {
  const points = Object.entries(given).map(([name, share]) => share * pointsOf(name)).filter((value) => !Number.isNaN(value));
  return points.length ? rounded(points.reduce((a, b) => a + b, 0)) : null;
}

// The score by given items and by the adjustment, which is null unless the grader typed a score.
function total(given, adjustment) {
  const points = itemPoints(given);
  if (points === null && adjustment === null) { return null; }
  return rounded(Math.min(Math.max((points ?? 0) + (adjustment ?? 0), 0), most));
}

function adjustmentTo(score, given) {
  return score === null || total(given, null) === score ? null : rounded(score - (itemPoints(given) ?? 0));
}

function say(text, isProblem = false) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.toggle("problem", isProblem);
}

function draw(card) {
  const {score, waits, given, comment, by, flagged} = card.shown;
  card.element.classList.toggle("is-graded", !waits);
  const state = waits ? `not graded${score === null ? "" : `; ${number(score)} of ${number(most)} so far`}`
    : `${number(score)} of ${number(most)}`;
  card.element.querySelector(".grade").textContent =
    `${state}${by && !waits ? `, by ${by}` : ""}${flagged ? " ⚑ flagged" : ""}${card.isMixed ? " (the grades of these equal answers now differ: load the page again)" : ""}`;
  const lines = items.filter((item) => item.dataset.item in given)
    .map((item) => `${given[item.dataset.item] === HALF ? "½" : "✓"} ${item.querySelector("span").textContent}`);
  card.element.querySelector(".items-given").textContent = [...lines, comment].filter(Boolean).join("\n");
  if (card === current) { drawCurrent(); }
}

function drawCurrent() {
  const {given, score, comment, adjustment} = current.shown;
  document.getElementById("current").textContent = `answer ${current.element.dataset.number}`;
  for (const item of items) {
    const share = given[item.dataset.item];
    item.setAttribute("aria-pressed", share === HALF ? "mixed" : share !== undefined);
  }
  if (document.activeElement !== scoreBox) { scoreBox.value = score === null ? "" : number(score); }
  if (document.activeElement !== commentBox) { commentBox.value = current.draft ?? comment; }
  const points = itemPoints(given);
  document.getElementById("typed").textContent = adjustment === null ? "If you type a score, the points of items are added to it."
    : points === null ? "You typed this score. The points of items are added to it. To remove it, clear the box."
      : `Items ${signed(points)}, typed ${signed(adjustment)}. To count only the items, clear the box.`;
}

function drawProgress() {
  const count = (chosen) => chosen.reduce((sum, card) => sum + Object.keys(card.members).length, 0);
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
  document.getElementById("nothing").hidden = cards.some(isWanted);
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
  const index = cards.indexOf(current);
  const later = [...cards.slice(index + 1), ...cards.slice(0, index)];
  const next = later.find((card) => !isGraded(card) && isWanted(card));
  if (next) { select(next); return; }
  filter();
  const isSomeLeft = cards.some((card) => !isGraded(card));
  say(isSomeLeft ? "All answers shown here are graded, but some hidden answers are not." : "All answers to this question are graded.");
}

async function request(method, path, body) {
  const token = document.cookie.match(/(?:^|; )_xsrf=([^;]*)/)?.[1] ?? "";
  const headers = {"Content-Type": "application/json", "X-XSRFToken": token};
  const options = {method, headers, credentials: "same-origin", body: body && JSON.stringify(body)};
  const reply = await fetch(path, options).catch(() => null);
  if (!reply) { return {ok: false, problem: "the server does not answer; try again"}; }
  const content = await reply.json().catch(() => ({}));
  const problem = content.problem || `the server replied ${reply.status} ${reply.statusText}; load the page again`;
  return {ok: reply.ok, ...content, problem};
}

function refresh(card, states) {
  for (const id of Object.keys(card.members)) { card.members[id] = states[id] ?? card.members[id]; }
  const grades = Object.values(card.members);
  card.saved = grades[0];
  card.isMixed = new Set(grades.map(({score, waits, given, adjustment, comment}) =>
    JSON.stringify([score, waits, given, adjustment, comment]))).size > 1;
}

// Show the saved grades. Callers leave out cards with a change that the server has not saved yet.
function show(chosen) {
  for (const card of chosen) {
    card.shown = {...card.saved};
    draw(card);
  }
  drawProgress();
}

// Changes are saved one after the other. Each is sent with the versions that the previous save returned.
function save(chosen, change, shown, isUndo = false) {
  if (chosen.some((card) => card.isMixed)) {
    say(`Answer ${numbersOf(chosen)} was not saved: the grades of these equal answers now differ; load the page again.`, true);
    return;
  }
  const entry = {chosen, change, shown, isUndo, parts: chosen.map((card) => ({card, before: {...card.shown}, attempt: card.attempt}))};
  if (!isUndo) { saves.push(entry); }
  for (const card of chosen) {
    card.pending += 1;
    Object.assign(card.shown, shown);
    draw(card);
  }
  unsaved += 1;
  drawProgress();
  waiting = waiting.then(() => send(entry));
}

async function send(entry) {
  const wanted = entry.parts.filter(({card, attempt}) => card.attempt === attempt).map(({card}) => card);
  const versions = Object.fromEntries(wanted.flatMap((card) => Object.entries(card.members))
    .map(([id, state]) => [id, state.version]));
  const body = {versions, rubric_version: page.dataset.rubric, ...entry.change};
  const reply = wanted.length ? await request("PUT", question, body) : {ok: false};
  for (const card of entry.chosen) { card.pending -= 1; }
  unsaved -= 1;
  for (const card of reply.states ? wanted : []) { refresh(card, reply.states); }
  if (reply.ok) { confirm(entry, wanted); } else { refuse(entry, wanted, reply.problem); }
}

function confirm(entry, wanted) {
  const [{saved}] = wanted;
  entry.parts = entry.parts.filter(({card}) => wanted.includes(card));
  for (const part of entry.parts) { part.after = versionsOf(part.card); }
  show(wanted.filter((card) => !card.pending));
  say(`Answer ${numbersOf(wanted)} ${entry.isUndo ? "is as before" : "saved"}: ${saved.waits ? "not graded" : number(saved.score)}`);
}

// After a refused save, later saves of the same answers that were not sent yet are dropped.
function refuse(entry, wanted, problem) {
  if (saves.includes(entry)) { saves.splice(saves.indexOf(entry), 1); }
  if (!wanted.length) { return; }
  const isComment = !("given" in entry.change);
  for (const card of wanted) {
    card.attempt += 1;
    if (isComment) { card.draft = entry.change.comment; }
  }
  show(wanted);
  const left = isComment ? " Your comment is still in its box." : "";
  say(`Answer ${numbersOf(wanted)} was not ${entry.isUndo ? "taken back" : "saved"}: ${problem}.${left}`, true);
}

function give(given, adjustment = current.shown.adjustment) {
  const score = total(given, adjustment);
  save([current], {given, adjustment}, {given, adjustment, score, waits: score === null});
}

function toggle(name, share = 1) {
  if (share === HALF && Number.isNaN(pointsOf(name))) { say("A comment without points has no half."); return; }
  const {[name]: before, ...others} = current.shown.given;
  give(before === share ? others : {...others, [name]: share});
}

// Take a save back, by another save. `before` is the grade that the card had.
function restore({card, before}) {
  const {given, comment, score} = before, byItems = total(given, before.adjustment);
  const adjustment = byItems === null || byItems === score ? before.adjustment : adjustmentTo(score, given);
  const waits = before.waits && score !== null;
  save([card], {given, adjustment, comment, waits}, {given, adjustment, comment, score, waits: before.waits}, true);
}

const actions = {
  none: () => give(withoutPoints(current.shown.given), 0),  // comments without points stay
  full() {
    const names = items.map((item) => item.dataset.item).filter((name) => /^\d/.test(name) && pointsOf(name) > 0);
    const given = {...withoutPoints(current.shown.given), ...Object.fromEntries(names.map((name) => [name, 1]))};
    give(given, adjustmentTo(most, given));
  },
  takeBack: () => give({}, null),
  undo() {
    const last = saves.pop();
    if (!last) { say("There is no change on this page to undo."); return; }
    const changed = last.parts.filter(({card, after}) => !card.pending && after !== versionsOf(card));
    if (changed.length) {
      say(`Answer ${numbersOf(changed.map(({card}) => card))} was not taken back: another grader has changed the grade meanwhile.`, true);
      return;
    }
    select(last.parts[0].card);
    last.parts.forEach(restore);
  },
  toScore: () => { scoreBox.focus(); scoreBox.select(); },
  toComment: () => commentBox.focus(),
  nextUngraded,
  next: () => step(1),
  previous: () => step(-1),
  toSimilar() {
    const others = cards.filter((card) => card !== current && card.cluster === current.cluster && !isGraded(card));
    if (!isGraded(current) || !others.length) { say("No nearly equal answer waits for this grade."); return; }
    const {given, adjustment, score, comment} = current.shown;
    save(others, {given, adjustment, comment}, {given, adjustment, score, comment, waits: false});
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
    else { say(`The scores were not changed: ${reply.problem}.`, true); }
  },
};
const KEYS = {
  f: "full", r: "takeBack", z: "undo", s: "toScore", c: "toComment", Enter: "nextUngraded", j: "next", k: "previous",
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

// A digit gives an item. The same key gives half of it with Shift; on French keyboards, where digits need Shift, without.
function giveByDigit(event) {
  const isDigit = /^\d$/.test(event.key);
  const digit = isDigit ? event.key : event.code.match(/^Digit([1-9])$/)?.[1];
  if (digit === "0") { actions.none(); }
  else if (items[digit - 1]) { toggle(items[digit - 1].dataset.item, isDigit ? 1 : HALF); }
  else { return false; }
  return true;
}

page.addEventListener("keydown", (event) => {
  const inBox = event.target === scoreBox || event.target === commentBox;
  const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.altKey;
  if (inBox && (event.key === "Escape" || (event.key === "Enter" && event.target === scoreBox))) {
    event.preventDefault();
    select(current);  // leaving the box saves it
  } else if (event.target.closest(".card") && (isUndo || !(event.ctrlKey || event.altKey || event.metaKey))) {
    if (event.key === "Enter" && event.target.closest("a, summary")) { return; }
    if (FILTERS[event.key]) { switchFilter(FILTERS[event.key]); }
    else if (KEYS[event.key]) { actions[KEYS[event.key]](); }
    else if (!giveByDigit(event)) { return; }
    event.preventDefault();
  }
});

page.addEventListener("click", (event) => {
  const button = event.target.closest("button"), answer = event.target.closest(".card");
  if (button?.dataset.item) { toggle(button.dataset.item, event.shiftKey ? HALF : 1); select(current); }
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
  const {given, score, adjustment, waits} = current.shown, typed = scoreBox.value.trim().replace(",", ".");
  const value = /^(\d+\.?\d*|\.\d+)$/.test(typed) ? Number(typed) : null;
  if (typed === "" && adjustment !== null) { give(given, null); }
  else if (typed !== "" && (value === null || value > most)) { say(`A score is a number from 0 to ${number(most)}.`, true); }
  else if (typed !== "" && (value !== score || waits)) { give(given, adjustmentTo(value, given)); }
  scoreBox.value = current.shown.score === null ? "" : number(current.shown.score);
});
commentBox.addEventListener("blur", () => {
  if (!isTyped()) { return; }
  delete current.draft;
  save([current], {comment: commentBox.value}, {comment: commentBox.value});
});
document.getElementById("grader")?.addEventListener("change", filter);
const isTyped = () => current && commentBox.value !== current.shown.comment.replace(/\r\n?/g, "\n");
addEventListener("beforeunload", (event) => {
  if (unsaved || isTyped() || cards.some((card) => card.draft !== undefined)) { event.preventDefault(); }
});

// Show what other graders save.
setInterval(async () => {
  if (document.hidden || unsaved) { return; }
  const reply = await request("GET", question);
  if (reply.ok && !unsaved) {
    for (const card of cards) { refresh(card, reply.states); }
    show(cards);
  }
}, 1000 * POLL_SECONDS);

if (localStorage.getItem("names") === "shown") { actions.toggleNames(); }
cards.forEach(draw);
if (cards.length) { select(cards.find((card) => !isGraded(card)) ?? cards[0]); }
else {
  for (const control of document.querySelectorAll(".giving :is(button, input, textarea)")) { control.disabled = true; }
}
drawProgress();
