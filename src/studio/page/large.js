// One picture as large as the window, or as the screen.

import { button, complain, h } from "./dom.js";
import { showAt } from "./api.js";

// Its side in pixels.
const SIDE = 1024;

/** A button that shows a picture large. `network()` gives its name and the parameters of the picture. */
export function larger(network) {
  return button("Large", () => {
    const { name, ...parameters } = network();
    const image = h("img", { class: "picture", alt: name, width: SIDE, height: SIDE });
    showAt(image, "picture", { ...parameters, size: SIDE });
    // A dialog itself cannot be shown on the full screen.
    const stage = h("div", { class: "stage" }, image);
    const dialog = h("dialog", { class: "large", "aria-label": name }, stage, h("form", { method: "dialog", class: "row" },
      document.fullscreenEnabled && button("Full screen", () => stage.requestFullscreen().catch(complain), { title: "Escape ends it" }),
      h("button", { autofocus: true }, "Close")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
}
