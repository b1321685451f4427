// Long work: training, pruning, evolving, as it goes on; stop it, go on later.

import { ask, button, complain, count, field, fill, h, keys, number, say } from "./dom.js";
import { address } from "./route.js";
import { meaning, term } from "./words.js";
import { besideTarget, get, post, showAt } from "./api.js";
import { newSession, thumb } from "./start.js";
import { managed } from "./manage.js";
import { lossCurve } from "./charts.js";

/** The mark of a network whose score does not count. */
const unfit = () => h("span", { class: "unfit", title: meaning("unfit"), "data-term": "unfit" }, "unfit");

const WORDS = { queued: "waits its turn", running: "running", stopped: "stopped", finished: "finished", failed: "failed" };

// Time between two looks at a piece of work, in ms.
const LOOK_EVERY = 300;

// What is counted, where that is no step of training.
const COUNTED = { evolve: "generation" };

/** Shows all work, or one piece of it. */
export async function showJobs(main, { id }) {
  return id ? showJob(main, id) : showAll(main);
}

const titleOf = ({ name }) => name[0].toUpperCase() + name.slice(1);

/** How well it has learned its picture, and whether that is enough. */
const fitOf = ({ r2, fit }) => (r2 === null || r2 === undefined ? null : [" · ", term("r2", `R² ${number(r2, 3)}`), fit === false && [" ", unfit()]]);

/** The id of what work draws: its result, or its run as it stands. */
const pictured = (job) => job.run ?? `runs/studio/${job.job}`;

async function showAll(main) {
  const jobs = await get("jobs", null, "Reading");
  const all = jobs.jobs ?? jobs;
  fill(main, h("header", { class: "page" }, h("h1", null, "Work"), h("p", { class: "lead" }, "Training, pruning and evolving that was started here. What was stopped goes on where it stopped.")),
    all.length ? h("ul", { class: "lines" }, all.map((job) => h("li", null, h("a", { class: "worked", href: address("jobs", job.job) }, job.step ? thumb(pictured(job), "", 48) : null, titleOf(job)),
      h("span", null, h("span", { class: `state ${job.status}` }, WORDS[job.status] ?? job.status), job.steps ? [" · ", term(COUNTED[job.kind] ?? "step", `${job.step ?? 0} of ${count(job.steps, COUNTED[job.kind] ?? "step")}`)] : "", fitOf(job))))) : h("p", { class: "empty" }, "Nothing yet. Train or prune a network in the background, or evolve towards a picture."));
  keys([]);
}

async function showJob(main, id) {
  const path = `jobs/${id.split("/").map(encodeURIComponent).join("/")}`;
  let job = await get(path, null, "Reading");
  const state = h("span", { class: "state" });
  const bar = h("progress", { "aria-label": "Done" });
  const told = h("p", { class: "note", role: "status" });
  const chart = h("div");
  const image = h("img", { class: "picture", width: 256, height: 256, alt: "What the network draws now", hidden: true, load: () => {
    image.hidden = false;
    image.dataset.drawn = Number(image.dataset.drawn ?? 0) + 1;
  } });
  const actions = h("div", { class: "row" });
  let [waiting, left] = [0, false];

  function picture() {
    if (job.step) showAt(image, "thumb", { id: pictured(job), size: 256, step: job.step });
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
    chart.replaceChildren(...(job.curve?.length ? [lossCurve(job.curve, job.steps)] : []));
    const going = ["running", "queued"].includes(job.status);
    // Buttons stay as long as they mean the same: they may have the focus.
    const means = [going, job.can_resume, job.run, job.status].join();
    if (actions.dataset.means === means) return;
    actions.dataset.means = means;
    actions.replaceChildren(...[
      going && button("Stop", () => act("stop")),
      !going && job.can_resume && button("Go on", () => act("resume"), { class: "main" }),
      job.can_go_on && button("Go on …", () => longer().catch(complain)),
      job.run && !going && h("a", { class: "button main", href: address("look", job.run) }, "Look inside"),
      job.run && job.target && !going && h("a", { class: "button", href: address("compare", "", { ids: besideTarget(job.target, job.run) }) }, "Compare"),
      job.kind === "evolve" && job.run && !going && button("Breed from it", () => newSession([job.run]).catch(complain)),
      !going && managed({ id: `runs/studio/${job.job}`, name: titleOf(job) }, { back: "#/jobs" }),
    ].flat().filter(Boolean));
  }

  /** Asks for how much longer, and goes on. */
  async function longer() {
    const counted = COUNTED[job.kind] ?? "step";
    const answer = await ask("Go on", [field(`More ${counted}s`, h("input", { name: "more", type: "number", min: 1, max: 10_000_000, step: 1, required: true, value: job.steps }))], "Go on");
    if (answer) await act("resume", { more: Number(answer.more) });
  }

  async function act(what, body = {}) {
    await post(`${path}/${what}`, body, what === "stop" ? "Stopping" : "Going on").catch(complain);
    job = await get(path, null, "Reading");
    show();
    follow().catch(complain);
  }

  /** Looks at it again and again, until it is over. */
  async function follow() {
    clearTimeout(waiting);
    while (["running", "queued"].includes(job.status) && !left) {
      await new Promise((next) => (waiting = setTimeout(next, LOOK_EVERY)));
      const before = job;
      job = await get(path, null, "Reading");
      if (left) return;
      show();
      if (job.step !== before.step || job.status !== before.status) picture();
      if (job.status !== before.status) say(`${titleOf(job)}: ${WORDS[job.status] ?? job.status}`);
    }
  }

  fill(main, h("header", { class: "page" }, h("h1", null, titleOf(job)), h("p", { class: "lead" }, state)),
    h("div", { class: "job" }, h("figure", null, image, job.target && h("figcaption", { class: "row" }, thumb(job.target, "The picture to learn", 96), h("small", null, job.kind === "evolve" ? "goes towards this picture" : "learns this picture"))), h("div", null, bar, told, chart, actions)));
  show();
  picture();
  follow().catch(complain);
  keys([["s", "stop, or go on", () => actions.querySelector("button")?.click()]]);
  return () => {
    left = true;
    clearTimeout(waiting);
  };
}
