// Things of one's own: renamed, copied, put aside.

import { ask, button, complain, field, h, say } from "./dom.js";
import { post } from "./api.js";

/** Buttons for a thing, {id, name}. `go(answer)` is the address of the thing under its new name; without it nothing is renamed. `copy()` copies it. */
export function managed({ id, name }, { go, copy, back = "#/pictures" } = {}) {
  async function rename() {
    const answer = await ask(`Rename ${name}`, [field("Name", h("input", { name: "name", required: true, maxlength: 60, autocomplete: "off", value: name }))], "Rename");
    if (!answer) return;
    const kept = await post("rename", { id, name: answer.name }, "Renaming it");
    say(`It lies in ${kept.id}`);
    location.hash = go(kept);
  }
  async function remove() {
    if (!(await ask(`Remove ${name}?`, [h("p", { class: "note" }, "It is put into the folder studio/removed/. Move its file back to have it again.")], "Remove"))) return;
    const { in: folder } = await post("remove", { id }, "Putting it aside");
    say(`${name} lies in ${folder}`);
    location.hash = back;
  }
  return [go && button("Rename …", () => rename().catch(complain)), copy && button("Duplicate", () => copy().catch(complain)), button("Remove …", () => remove().catch(complain))].filter(Boolean);
}
