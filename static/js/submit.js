// The submit page: the editor's layers (line numbers, colours, findings at their lines), presets, dropped files, the draft.
// Everything works without it: the buttons post the form and the server answers with the page.
(() => {
  const MOST_LINES = 3000; // beyond that the layers would cost more than they tell
  const DIRECTIVE = /^(#SBATCH)(\s.*)?$/;
  const OPTION = /(--?[\w-]+)(?:(=|\s+)([^\s#]+))?/g;

  const form = () => document.getElementById("submit-form");
  const script = () => document.getElementById("id_script");

  function span(text, kind) {
    const made = document.createElement("span");
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  function coloured(line) {
    const row = document.createElement("div");
    row.className = "editor-row";
    const directive = DIRECTIVE.exec(line);
    if (directive) row.append(span(directive[1], "tok-word"), ...options(directive[2] || ""));
    else if (/^\s*#/.test(line)) row.append(span(line, "tok-comment"));
    else row.append(span(line));
    return row;
  }

  function options(text) {
    const hash = text.search(/\s#/);
    const told = hash < 0 ? text : text.slice(0, hash);
    const parts = [];
    let at = 0;
    for (const found of told.matchAll(OPTION)) {
      parts.push(span(told.slice(at, found.index) + found[1] + (found[2] || "")));
      if (found[3]) parts.push(span(found[3], "tok-value"));
      at = found.index + found[0].length;
    }
    parts.push(span(told.slice(at)));
    if (hash >= 0) parts.push(span(text.slice(hash), "tok-comment"));
    return parts;
  }

  function findings() {
    const byLine = new Map();
    for (const item of document.querySelectorAll("#findings li[data-line]")) {
      const line = Number(item.dataset.line);
      if (line && item.dataset.level !== "note" && !byLine.has(line)) byLine.set(line, item);
    }
    return byLine;
  }

  // What was found in a line is shown until the line changes; the answer to the change shows what is found then.
  let judged = [];

  function draw(fresh) {
    const area = script();
    const editor = document.getElementById("editor");
    if (!area || !editor) return;
    const lines = area.value.split("\n");
    editor.classList.toggle("live", lines.length <= MOST_LINES);
    if (lines.length > MOST_LINES) return;
    if (fresh) judged = lines;
    const found = findings();
    const rows = [];
    const notes = [];
    lines.forEach((line, index) => {
      const row = coloured(line);
      const note = document.createElement("div");
      note.className = "editor-row";
      const item = found.get(index + 1);
      if (item && judged[index] === line) {
        const tone = item.dataset.level === "error" ? "bad" : "warn";
        row.classList.add(tone);
        note.classList.add(tone);
        note.append(span(line, "ghost"), span(item.querySelector(".said-text").textContent, "editor-note"));
        const repair = item.querySelector("button");
        if (repair) note.append(repairButton(repair));
      }
      rows.push(row);
      notes.push(note);
    });
    editor.querySelector(".editor-back").replaceChildren(...rows);
    editor.querySelector(".editor-notes").replaceChildren(...notes);
  }

  function repairButton(repair) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "editor-repair";
    button.tabIndex = -1; // the same button stands in the list of findings, for the keyboard
    button.textContent = repair.textContent.trim();
    button.addEventListener("click", () => repair.click());
    return button;
  }

  function toLine(number) {
    const area = script();
    if (!area) return;
    const lines = area.value.split("\n");
    const start = lines.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
    area.focus({ preventScroll: true });
    area.setSelectionRange(start, start + (lines[number - 1] || "").length);
    const row = document.querySelectorAll(".editor-back > .editor-row")[number - 1];
    if (row) row.scrollIntoView({ block: "center", inline: "start" });
  }

  // Typed as by hand, so that the browser's undo takes it back.
  function replaceAll(text) {
    const area = script();
    area.focus({ preventScroll: true });
    area.select();
    if (!document.execCommand("insertText", false, text)) {
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    area.setSelectionRange(0, 0);
    document.getElementById("editor").scrollTop = 0;
  }

  // The draft: what would be lost by leaving the page. `earlier` is one that a preset or a resubmission pushed aside.
  const key = (name) => `${form().dataset.draft}:${name}`;

  function stored(name) {
    try {
      return JSON.parse(localStorage.getItem(key(name)) || "null");
    } catch {
      return null;
    }
  }

  function store(name, draft) {
    try {
      if (draft) localStorage.setItem(key(name), JSON.stringify(draft));
      else localStorage.removeItem(key(name));
    } catch {
      // no room or not allowed: the page works without
    }
  }

  const clock = (time) => new Date(time).toTimeString().slice(0, 5);

  function note(text, buttons) {
    const place = document.getElementById("draft-note");
    if (!place) return;
    place.hidden = !text;
    place.firstElementChild.textContent = text;
    for (const name of ["undo", "take-back", "forget"]) place.querySelector(`[data-${name}]`).hidden = !buttons.includes(name);
  }

  function keep() {
    const area = script() || document.getElementById("as-script");
    if (!area) return;
    const time = Date.now();
    store("now", { text: area.value, time });
    const said = document.getElementById("draft-said");
    if (said) said.textContent = ` · ${form().dataset.kept.replace("{time}", clock(time))}`;
  }

  function open() {
    if (!form()) return;
    const draft = stored("now");
    const area = script();
    if (draft && area && draft.text !== area.value) {
      if (form().hasAttribute("data-fresh")) {
        replaceAll(draft.text);
        note(form().dataset.found.replace("{time}", clock(draft.time)), ["forget"]);
      } else {
        store("earlier", draft);
        note(form().dataset.earlier.replace("{time}", clock(draft.time)), ["take-back"]);
      }
    }
    opening = area ? area.defaultValue : "";
    draw(true);
  }

  let opening = "";
  let typed;

  document.addEventListener("input", (event) => {
    if (!form() || !form().contains(event.target)) return;
    if (event.target === script()) draw(false);
    clearTimeout(typed);
    if (script()) typed = setTimeout(keep, 500);
  });

  document.addEventListener("click", async (event) => {
    const target = event.target.closest("[data-to-line], [data-preset], [data-undo], [data-take-back], [data-forget]");
    if (!target || !form()) return;
    if (target.dataset.toLine && script()) {
      event.preventDefault();
      toLine(Number(target.dataset.toLine));
    } else if (target.dataset.preset && script() && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      const answer = await fetch(target.dataset.preset);
      if (!answer.ok) {
        location.href = target.href;
        return;
      }
      before = script().value;
      replaceAll(await answer.text());
      document.getElementById("presets").open = false;
      note(form().dataset.took, ["undo"]);
    } else if ("undo" in target.dataset) {
      replaceAll(before);
      note("", []);
    } else if ("takeBack" in target.dataset) {
      const earlier = stored("earlier");
      if (earlier && script()) replaceAll(earlier.text);
      note("", []);
    } else if ("forget" in target.dataset) {
      replaceAll(opening);
      clearTimeout(typed);
      store("now", null);
      note("", []);
    }
  });

  let before = "";

  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      const editor = event.target instanceof Element && event.target.closest("#editor");
      if (!editor || !event.dataTransfer || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      editor.classList.toggle("over", name === "dragover");
      const field = document.getElementById("id_upload");
      if (name !== "drop" || !event.dataTransfer.files.length) return;
      field.files = event.dataTransfer.files;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }

  let scrolled = 0;

  document.addEventListener("htmx:beforeSwap", (event) => {
    const editor = document.getElementById("editor");
    if (event.detail.target.id === "submit-form" && editor) scrolled = editor.scrollTop;
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    const part = event.detail.target.id;
    if (part !== "panel" && part !== "submit-form") return;
    if (part === "submit-form") {
      const editor = document.getElementById("editor");
      document.getElementById("id_upload").value = "";
      draw(true);
      if (editor) editor.scrollTop = scrolled;
      keep();
    } else {
      draw(true);
      if (!script()) keep();
    }
    const said = document.getElementById("submit-said");
    const live = document.getElementById("submit-live");
    if (said && live) live.textContent = said.textContent;
  });

  // Sent: there is nothing left to lose.
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    if (event.detail.xhr.getResponseHeader("HX-Redirect") && event.detail.elt.id === "submit-form") {
      clearTimeout(typed);
      store("now", null);
    }
  });

  open();
})();
