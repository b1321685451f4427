"use strict";
// A click on a column's head sorts the table by it; a figure can be saved. Without scripts the page is whole.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const falls = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const text = (row) => row.cells[column].innerText.trim().replace("−", "-");
      const order = (a, b) => {
        const [x, y] = [parseFloat(a), parseFloat(b)];
        if (isNaN(x) && isNaN(y)) return a.localeCompare(b);
        return isNaN(x) - isNaN(y) || x - y;
      };
      const rows = [...table.tBodies[0].rows];
      // What does not count stands last either way.
      const isFaint = (row) => Number(row.querySelector("td.faint") !== null);
      rows.sort((a, b) => isFaint(a) - isFaint(b) || (falls ? -1 : 1) * order(text(a), text(b)));
      table.tBodies[0].append(...rows);
    });
  });
}
document.querySelectorAll("figure").forEach((figure) => {
  const drawn = figure.querySelector(".sheet > svg, .sheet > img");
  const number = figure.querySelector("figcaption b");
  if (!drawn || !number) return;
  const isSvg = drawn.tagName === "svg";
  const ending = isSvg ? "svg" : /^data:image\/(\w+)/.exec(drawn.src)[1];
  const button = document.createElement("button");
  button.className = "save";
  button.textContent = `Save ${ending.toUpperCase()}`;
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.download = `${number.innerText.trim().toLowerCase().replace(/\W+/g, "-").replace(/-$/, "")}.${ending}`;
    link.href = isSvg
      ? URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(drawn)], { type: "image/svg+xml" }))
      : drawn.src;
    link.click();
  });
  figure.querySelector("figcaption").append(" ", button);
});
