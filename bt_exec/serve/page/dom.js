// Creation and update of page elements. Data of the service is inserted as text, never as markup.
export const SVG = "http://www.w3.org/2000/svg";
export const $ = (id) => document.getElementById(id);
export function make(tag, text = "", attributes = {}) {
  const node = document.createElement(tag);
  if (text !== "") node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
export function show(node, on) { node.hidden = !on; }
export function write(node, text) { if (node.textContent !== text) node.textContent = text; }
export function seconds(value) { return value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`; }
export function draw(tag, attributes = {}, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== "") node.textContent = text;
  return node;
}
