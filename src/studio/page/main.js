// The studio's pages.

import { h } from "./dom.js";
import { showOpen } from "./open.js";
import { showStart } from "./start.js";
import { showBreed } from "./breed.js";
import { showLook } from "./look.js";
import { showCompare } from "./compare.js";
import { showSee } from "./see.js";
import { showTrain } from "./live.js";
import { showScore } from "./judge.js";
import { showStudy } from "./study.js";
import { showJobs } from "./jobs.js";
import { showPages } from "./pages.js";

showPages({ "": showOpen, pictures: showStart, breed: showBreed, look: showLook, compare: showCompare, see: showSee, train: showTrain, score: showScore, study: showStudy, jobs: showJobs }, {
  site: "Picloom studio", missing: "To the beginning",
  links: [h("a", { class: "home", href: "#/" }, "Picloom"), h("a", { href: "#/pictures" }, "Library"), h("a", { href: "#/see" }, "See it"),
    h("a", { href: "#/jobs" }, "Work")],
});
