// Long work: training, pruning, evolving, as it goes on; stop it, go on later.

import { button, complain, count, fill, h, keys, number, say, square } from "./dom.js";
import { address } from "./route.js";
import { meaning, term } from "./words.js";
import { besideTarget, bytes, call, get, post } from "./api.js";
import { lossCurve } from "./charts.js";

/** The mark of a network whose score does not count. */
const unfit = () => h("span", { class: "unfit", title: meaning("unfit"), "data-term": "unfit" }, "unfit");

const WORDS = { queued: "waits its turn", running: "running", stopped: "stopped", finished: "finished", failed: "failed" };

// What is counted, where that is no step of training.
const COUNTED = { evolve: "generation" };

/** Shows all work, or one piece of it. */
export async function showJobs(main, { id }) {
  return id ? showJob(main, id) : showAll(main);
}

const titleOf = ({ name }) => name[0].toUpperCase() + name.slice(1);

async function showAll(main) {
  const jobs = await get("jobs", null, "Reading");
  const all = jobs.jobs ?? jobs;
  fill(main, h("header", { class: "page" }, h("h1", null, "Work"), h("p", { class: "lead" }, "Training, pruning and evolving that was started here. What was stopped goes on where it stopped.")),
    all.length ? h("ul", { class: "lines" }, all.map((job) => h("li", null, h("a", { href: address("jobs", job.job) }, titleOf(job)),
      h("span", null, h("span", { class: `state ${job.status}` }, WORDS[job.status] ?? job.status), job.steps ? [" · ", term(COUNTED[job.kind] ?? "step", `${job.step ?? 0} of ${count(job.steps, COUNTED[job.kind] ?? "step")}`)] : "")))) : h("p", { class: "empty" }, "Nothing yet. Train or prune a network in the background, or evolve towards a picture."));
  keys([]);
}

async function showJob(main, id) {
  const path = `jobs/${id.split("/").map(encodeURIComponent).join("/")}`;
  let job = await get(path, null, "Reading");
  let source = null;
  const curve = job.curve ?? [];
  const state = h("span", { class: "state" });
  const bar = h("progress", { "aria-label": "Done" });
  const told = h("p", { class: "note", role: "status" });
  const chart = h("div");
  const canvas = square(128, { class: "picture", role: "img", "aria-label": "What the network draws now" });
  const actions = h("div", { class: "row" });
  let drawing = false;
  let waiting = 0;

  async function picture() {
    if (drawing) return;
    drawing = true;
    try {
      // When it is done, its run has the picture.
      const [pixels] = job.run ? await bytes("picture", { id: job.run, size: 256, raw: 1 }) : await bytes(`${path}/picture`, { raw: 1 });
      const side = Math.round(Math.sqrt(pixels.length / 4));
      if (!side) return;
      canvas.width = canvas.height = side;
      canvas.getContext("2d").putImageData(new ImageData(pixels, side, side), 0, 0);
      canvas.dataset.drawn = Number(canvas.dataset.drawn ?? 0) + 1;
      canvas.hidden = false;
    } catch (error) {
      if (!error.status) throw error;
    } finally {
      drawing = false;
    }
  }

  function show() {
    state.className = `state ${job.status}`;
    state.textContent = WORDS[job.status] ?? job.status;
    main.dataset.status = job.status;
    const [done, all] = [job.step ?? 0, job.steps];
    bar.max = all || 1;
    bar.value = done;
    const counted = COUNTED[job.kind] ?? "step";
    const known = [all && term(counted, `${counted} ${done} of ${all}`), job.loss !== undefined && job.loss !== null && term("loss", `loss ${job.loss.toPrecision(3)}`),
      job.r2 !== undefined && job.r2 !== null && h("span", null, term("r2", `R² ${number(job.r2, 3)}`), job.fit === false && [" ", unfit(), ": it has not learned its picture; more steps may do"]),
      job.error].filter(Boolean);
    told.replaceChildren(...known.flatMap((part, i) => (i ? [" · ", part] : [part])));
    chart.replaceChildren(...(curve.length ? [lossCurve(curve, job.steps)] : []));
    const going = ["running", "queued"].includes(job.status);
    // Buttons stay as long as they mean the same: they may have the focus.
    const means = [going, job.can_resume, job.run, job.status].join();
    if (actions.dataset.means === means) return;
    actions.dataset.means = means;
    actions.replaceChildren(...[
      going && button("Stop", () => act("stop")),
      !going && job.can_resume && button("Go on", () => act("resume"), { class: "main" }),
      job.run && !going && h("a", { class: "button main", href: address("look", job.run) }, "Look inside"),
      job.run && job.target && !going && h("a", { class: "button", href: address("compare", "", { ids: besideTarget(job.target, job.run) }) }, "Compare"),
    ].filter(Boolean));
  }

  async function act(what) {
    await post(`${path}/${what}`, {}, what === "stop" ? "Stopping" : "Going on").catch(complain);
    job = { ...job, ...(await get(path, null, "Reading")) };
    show();
    if (what === "resume" || !source) follow();
  }

  function follow() {
    source?.close();
    if (!["running", "queued"].includes(job.status)) return;
    source = new EventSource(call(`${path}/events`));
    const on = (name, run) => source.addEventListener(name, (event) => run(JSON.parse(event.data)));
    const soon = () => {
      // Events come faster than a page needs to be drawn.
      waiting ||= setTimeout(() => {
        waiting = 0;
        show();
      }, 120);
    };
    const progress = (data) => {
      if (data.loss !== undefined && data.step !== undefined && data.step > (curve.at(-1)?.[0] ?? -1)) curve.push([data.step, data.loss]);
      Object.assign(job, data, { status: "running" });
      if (data.total !== undefined) Object.assign(job, { step: data.done, steps: data.total });
      soon();
    };
    on("status", (data) => {
      Object.assign(job, data);
      show();
    });
    on("train", progress);
    on("evolve", progress);
    on("picture", () => picture().catch(complain));
    on("end", async (data) => {
      source.close();
      source = null;
      Object.assign(job, await get(path, null, "Reading").catch(() => ({})), data);
      show();
      await picture().catch(complain);
      say(`${titleOf(job)}: ${WORDS[job.status] ?? job.status}`);
    });
  }

  canvas.hidden = true;
  fill(main, h("header", { class: "page" }, h("h1", null, titleOf(job)), h("p", { class: "lead" }, state)),
    h("div", { class: "job" }, h("figure", null, canvas), h("div", null, bar, told, chart, actions)));
  show();
  picture().catch(complain);
  follow();
  keys([["s", "stop, or go on", () => actions.querySelector("button")?.click()]]);
  return () => {
    source?.close();
    clearTimeout(waiting);
  };
}
