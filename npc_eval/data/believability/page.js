"use strict";

// ---- what can be tried without a page

/** The order after the card `id` was put at `place` (from 0). */
function moved(order, id, place) {
  const left = order.filter((other) => other !== id);
  left.splice(Math.max(0, Math.min(place, left.length)), 0, id);
  return left;
}

/** The place of each condition, from 1; conditions of one card share the mean of the places they take. As `cards.ranks_of`. */
function ranksOf(order, cards) {
  const ranks = {};
  let before = 0;
  for (const id of order) {
    const conditions = JSON.parse(atob(cards[id].key));
    for (const condition of conditions) ranks[condition] = before + (conditions.length + 1) / 2;
    before += conditions.length;
  }
  return ranks;
}

/** The file of ranks, as `files.RankFile` reads it. */
function rankFile(data, state) {
  const rankings = data.questions.map((it, number) => ({
    npc: data.person.npc, category: it.category, question: it.question, ranks: ranksOf(state.orders[number], it.cards),
  }));
  return { format: data.format, version: 1, answers: data.answers, judge: state.name.trim() || "somebody", seed: data.seed, rankings };
}

/** What was kept, where it belongs to these questions; else a beginning. */
function stateOf(kept, data) {
  const fresh = { step: 0, name: "", orders: data.questions.map((it) => it.cards.map((card, id) => id)), done: data.questions.map(() => false) };
  try {
    const found = JSON.parse(kept);
    const same = (order, plain) => [...order].sort().join() === plain.join();
    if (Number.isInteger(found.step) && found.step >= 0 && found.step <= data.questions.length + 1 && typeof found.name === "string"
      && found.done.length === fresh.done.length && found.orders.length === fresh.orders.length
      && found.orders.every((order, number) => same(order, fresh.orders[number]))) return found;
  } catch { /* nothing is kept, or it is broken: begin */ }
  return fresh;
}

// ---- the page

const KINDS = { seed: "known from the start" };

function start() {
  const at = (id) => document.getElementById(id);
  const data = JSON.parse(at("data").textContent);
  const place = `npc-server believability ${data.answers} ${data.seed} ${data.person.npc}`;
  const store = {
    read() { try { return localStorage.getItem(place); } catch { return null; } },
    write(text) { try { localStorage.setItem(place, text); } catch { /* a browser that keeps nothing */ } },
    remove() { try { localStorage.removeItem(place); } catch { /* likewise */ } },
  };
  let state = stateOf(store.read(), data);
  const count = data.questions.length;
  const say = (text) => { at("said").textContent = text; };
  const keep = () => store.write(JSON.stringify(state));
  const made = (tag, text, name) => {
    const node = document.createElement(tag);
    node.textContent = text;
    if (name) node.className = name;
    return node;
  };

  function showLife() {
    at("who").textContent = data.person.name;
    at("description").textContent = data.person.description;
    for (const kind of new Set(data.person.memories.map((it) => it.kind))) {
      const option = made("option", KINDS[kind] || kind);
      option.value = kind;
      at("kind").append(option);
    }
    at("search").addEventListener("input", showMemories);
    at("kind").addEventListener("change", showMemories);
    showMemories();
  }

  function showMemories() {
    const words = at("search").value.trim().toLowerCase(), kind = at("kind").value;
    const found = data.person.memories.filter((it) => (!kind || it.kind === kind) && it.text.toLowerCase().includes(words));
    at("memories").replaceChildren(...found.map((it) => {
      const row = made("li", "");
      row.append(made("span", `${it.at}, ${KINDS[it.kind] || it.kind}`, "when"), it.text);
      return row;
    }));
    at("found").textContent = `${found.length} of ${data.person.memories.length}`;
  }

  function show(focus) {
    const { step } = state, asks = step >= 1 && step <= count;
    at("intro").hidden = step !== 0;
    at("task").hidden = !asks;
    document.querySelector("main").classList.toggle("asking", asks);
    at("end").hidden = step <= count;
    at("progress").max = count;
    at("progress").value = state.done.filter(Boolean).length;
    at("place").textContent = asks ? `Question ${step} of ${count}` : "";
    at("name").value = state.name;
    if (asks) {
      const it = data.questions[step - 1];
      at("category").textContent = it.category;
      at("question").textContent = it.question;
      showCards();
    } else if (step > count) {
      at("text").value = JSON.stringify(rankFile(data, state), null, 1);
    }
    keep();
    const heading = asks ? at("question") : step > count ? at("end-title") : null;
    if (focus && heading) { heading.focus(); window.scrollTo(0, 0); }
  }

  function go(step) { state.step = step; show(true); }

  function showCards() {
    const number = state.step - 1, { cards } = data.questions[number], order = state.orders[number];
    at("cards").replaceChildren(...order.map((id, rank) => cardOf(cards[id].text, id, rank, order.length)));
  }

  function cardOf(text, id, rank, size) {
    const row = made("li", ""), short = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    row.dataset.id = id;
    row.tabIndex = 0;
    const handle = made("span", "⠿", "handle");
    handle.setAttribute("aria-hidden", "true");
    const moves = made("span", "", "moves");
    for (const [sign, word, to] of [["▲", "up", rank - 1], ["▼", "down", rank + 1]]) {
      const button = made("button", sign);
      button.type = "button";
      button.disabled = to < 0 || to >= size;
      button.setAttribute("aria-label", `Move ${word}: ${short}`);
      button.addEventListener("click", () => put(id, to, word));
      moves.append(button);
    }
    const shown = made("span", String(rank + 1), "rank");
    row.append(handle, shown, made("span", text, "words"), moves);
    row.addEventListener("keydown", (event) => {
      if (event.target !== row || event.altKey || event.ctrlKey || event.metaKey) return;
      const digit = Number(event.key);
      if (event.key === "ArrowUp") put(id, rank - 1);
      else if (event.key === "ArrowDown") put(id, rank + 1);
      else if (digit >= 1 && digit <= size) put(id, digit - 1);
      else return;
      event.preventDefault();
    });
    handle.addEventListener("pointerdown", (event) => drag(event, row, id));
    return row;
  }

  function put(id, to, button) {
    const number = state.step - 1, order = state.orders[number];
    if (to < 0 || to >= order.length) return;
    state.orders[number] = moved(order, id, to);
    keep();
    showCards();
    const row = at("cards").children[to];
    const again = button && row.querySelectorAll("button")[button === "up" ? 0 : 1];
    (again && !again.disabled ? again : row).focus();
    say(`Place ${to + 1} of ${order.length}.`);
  }

  function drag(event, row, id) {
    if (event.button !== 0) return;
    event.preventDefault();
    const list = at("cards"), handle = event.target;
    handle.setPointerCapture(event.pointerId);
    row.classList.add("held");
    const move = (now) => {
      const others = [...list.children].filter((other) => other !== row);
      const above = others.filter((other) => { const box = other.getBoundingClientRect(); return box.top + box.height / 2 <= now.clientY; });
      if (above.length === [...list.children].indexOf(row)) return;
      // The others move around the held card: one that leaves the page for a moment loses its pointer.
      row.before(...above);
      row.after(...others.slice(above.length));
      [...list.children].forEach((other, rank) => { other.querySelector(".rank").textContent = rank + 1; });
    };
    const drop = () => {
      handle.removeEventListener("pointermove", move);
      put(id, [...list.children].indexOf(row));
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", drop, { once: true });
    handle.addEventListener("pointercancel", drop, { once: true });
  }

  function save() {
    const file = new Blob([JSON.stringify(rankFile(data, state), null, 1) + "\n"], { type: "application/json" });
    const link = made("a", "");
    link.href = URL.createObjectURL(file);
    link.download = `ranks-${data.person.npc}-${(state.name.trim() || "somebody").replace(/[^\p{L}\p{N}_-]+/gu, "_")}.json`;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say("The ranks were saved.");
  }

  at("name").addEventListener("input", () => { state.name = at("name").value; keep(); });
  at("begin").addEventListener("click", () => go(1));
  at("back").addEventListener("click", () => go(state.step - 1));
  at("next").addEventListener("click", () => { state.done[state.step - 1] = true; go(state.step + 1); });
  at("review").addEventListener("click", () => go(count));
  at("save").addEventListener("click", save);
  at("forget").addEventListener("click", () => {
    if (window.confirm("Delete all your ranks from this browser? Save them first.")) { store.remove(); state = stateOf(null, data); show(true); }
  });
  showLife();
  show(false);
}

if (typeof document !== "undefined") start();
else module.exports = { moved, ranksOf, rankFile, stateOf };
