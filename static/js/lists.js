// Lists that are polled without jumping. In a part with data-rows (and an id) each row carries data-row="ID". A poll renews rows
// where they stand, dims those that left, and only offers what is new ("3 new, show") or in another order.
"use strict";
(() => {
  const sent = new WeakMap(); // row -> its text as the server sent it; times in the page go on by themselves
  const pending = new Map(); // id of a list -> the newest answer that was not shown in full

  const rowsOf = (list) => [...list.querySelectorAll("[data-row]")];
  const ids = (rows) => rows.map((row) => row.dataset.row);

  function remember(root) {
    for (const row of rowsOf(root)) sent.set(row, row.outerHTML);
  }

  function offer(list, text) {
    const button = document.querySelector(`[data-new-rows="${list.id}"]`) || document.querySelector("[data-new-rows]");
    if (!button) return;
    button.hidden = text === "";
    button.querySelector("span").textContent = text;
    button.dataset.list = list.id;
  }

  function replace(old, fresh) {
    for (const box of old.querySelectorAll("input[type=checkbox]")) {
      const same = fresh.querySelector(`input[name="${CSS.escape(box.name)}"][value="${CSS.escape(box.value)}"]`);
      if (same) same.checked = box.checked;
    }
    sent.set(fresh, sent.get(fresh) || fresh.outerHTML);
    old.replaceWith(fresh);
    htmx.process(fresh);
  }

  function isHeld(row) {
    return row.contains(document.activeElement) || portal.isBusy(row);
  }

  function merge(list, incoming) {
    const fresh = new Map(rowsOf(incoming).map((row) => [row.dataset.row, row]));
    const order = ids([...fresh.values()]);
    const have = rowsOf(list);
    for (const row of have) {
      const next = fresh.get(row.dataset.row);
      if (!next) row.classList.add("gone");
      else if (sent.get(row) !== next.outerHTML && !isHeld(row)) {
        const copy = next.cloneNode(true);
        sent.set(copy, next.outerHTML);
        replace(row, copy);
      }
    }
    const known = new Set(ids(have));
    const added = order.filter((id) => !known.has(id)).length;
    const stay = ids(have).filter((id) => fresh.has(id));
    const moved = order.filter((id) => known.has(id)).some((id, at) => id !== stay[at]);
    for (const part of incoming.querySelectorAll("[data-part][id]")) document.getElementById(part.id)?.replaceChildren(...part.cloneNode(true).childNodes);
    offer(list, added ? portal.say("new_rows", { n: added }) : moved ? portal.say("moved_rows") : "");
  }

  function show(id) {
    const list = document.getElementById(id), incoming = pending.get(id);
    if (!list || !incoming) return;
    const checked = new Set([...list.querySelectorAll("input[type=checkbox]:checked")].map((box) => `${box.name} ${box.value}`));
    list.replaceChildren(...incoming.childNodes);
    for (const box of list.querySelectorAll("input[type=checkbox]")) box.checked = checked.has(`${box.name} ${box.value}`);
    remember(list);
    htmx.process(list);
    pending.delete(id);
    offer(list, "");
    count(list.closest("[data-bulk]"));
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    const list = event.detail.target;
    if (!list.matches?.("[data-rows]")) return;
    if (!portal.isPoll(event.detail.elt)) {
      pending.delete(list.id);
      offer(list, "");
      return;
    }
    if (event.detail.xhr.status !== 200) return;
    event.detail.shouldSwap = false;
    const holder = document.createElement("template");
    holder.innerHTML = event.detail.serverResponse;
    const incoming = holder.content.getElementById(list.id);
    if (!incoming) return;
    pending.set(list.id, incoming);
    merge(list, incoming);
  });
  document.addEventListener("htmx:afterSwap", () => remember(document));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-new-rows]");
    if (button) show(button.dataset.list);
  });
  remember(document);

  // Steps on many rows: data-bulk around, data-bulk-all on the box in the head, data-bulk-bar for what shows with a choice.
  function count(bulk) {
    if (!bulk) return;
    const boxes = [...bulk.querySelectorAll("[data-row] input[type=checkbox]")];
    const chosen = boxes.filter((box) => box.checked).length;
    for (const bar of bulk.querySelectorAll("[data-bulk-bar]")) bar.hidden = chosen === 0;
    for (const number of bulk.querySelectorAll("[data-bulk-count]")) number.textContent = chosen;
    const all = bulk.querySelector("[data-bulk-all]");
    if (!all) return;
    all.checked = chosen > 0 && chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  }
  document.addEventListener("change", (event) => {
    const bulk = event.target.closest("[data-bulk]");
    if (!bulk) return;
    if (event.target.matches("[data-bulk-all]")) {
      for (const box of bulk.querySelectorAll("[data-row] input[type=checkbox]")) box.checked = event.target.checked;
    }
    count(bulk);
  });
  document.addEventListener("htmx:afterSettle", () => document.querySelectorAll("[data-bulk]").forEach(count));
})();
