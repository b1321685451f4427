// Addresses: `#/page/ID?key=value`. An ID is a path below the studio's folder.

function decoded(piece) {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

/** The address of the page that is shown; the browser's own is ahead of it while it goes to another. */
let arrived;

/** What the address names, for a page that is going to show it. */
export function arrive() {
  arrived = location.hash;
  return route();
}

/** What the address names: {page, id, query}. */
export function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...id] = path.split("/").map(decoded);
  return { page, id: id.join("/"), query: new URLSearchParams(query) };
}

/** The address of a page: `address("look", "genomes/moth.json", {link: 3})`. */
export function address(page, id, query) {
  const path = ["#", page, ...(id ? id.split("/") : [])].map((piece, i) => (i ? encodeURIComponent(piece) : piece)).join("/");
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  // Commas and colons may stand in a query as they are, and are easier to read so.
  const text = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2C|%3A|%2F/g, decodeURIComponent)}`).join("&");
  return text ? `${path}?${text}` : path;
}

/** Several ids as one value of a query: a comma in one of them is escaped. */
export function listed(ids) {
  return ids.map((id) => id.replace(/[%,]/g, (sign) => encodeURIComponent(sign))).join(",");
}

/** The ids of such a value. */
export function unlisted(text) {
  return (text ?? "").split(",").filter(Boolean).map(decoded);
}

/** Lets the address name what is shown now, without going anywhere. Does nothing for a page that is being left. */
export function rename(page, id, query) {
  if (location.hash !== arrived || route().page !== page) return;
  const to = address(page, id, query);
  if (to !== location.hash) history.replaceState(null, "", to);
  arrived = location.hash;
}

/** What a file is called that was opened here: its own name, without the hash that it is kept under. */
export function given(id) {
  return leaf(id).replace(/-[0-9a-f]{10}$/, "");
}

/** True for the id of a picture, which is no network. */
export const isPicture = (id) => /\.(png|jpe?g|gif|webp|tiff?|bmp|svg)$/i.test(id ?? "");

/** The last piece of an id without its ending: what a thing is called when it has no name. */
export function leaf(id) {
  return id.split("/").at(-1).replace(/\.[a-z]+$/, "");
}
