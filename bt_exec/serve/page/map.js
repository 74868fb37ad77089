// Map from above: rooms and tables, objects, the robot and its path. Lengths in metres; y points north.
import { draw } from "/dom.js";

// of medium lightness, so that they are visible on light and dark backgrounds
const COLOURS = { red: "#e5484d", blue: "#3b82f6", green: "#30a46c", yellow: "#d9a300", purple: "#a855f7", orange: "#f76b15", pink: "#e93d82",
  brown: "#ad7f58", black: "#4b5563", white: "#c9ced6", grey: "#8b8d98", gray: "#8b8d98" };
const MOST_LABELS = 24; // with more objects, names are shown only as tooltips
const HOLDS_M = 0.14; // radius of a container
const widthOf = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u1100" ? 1 : 0.58), 0); // approximate width, in units of the font size

export function drawMap(svg, map, way, language, title) {
  const points = [...map.areas.flatMap(({ at: [x1, y1, x2, y2] }) => [[x1, y1], [x2, y2]]), ...map.objects.map(({ at }) => at), ...way, ...(map.robot ? [map.robot] : [])];
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y), rim = 0.4;
  const left = Math.min(...xs) - rim, right = Math.max(...xs) + rim, bottom = Math.min(...ys) - rim, top = Math.max(...ys) + rim;
  const wide = right - left, high = top - bottom, size = Math.max(wide, high) / 30;
  svg.setAttribute("viewBox", `${left} ${-top} ${wide} ${high}`);
  const name = (one) => one.said[language] ?? one.name, found = [draw("title", {}, title)], taken = [];
  const label = (text, places, attributes) => { // drawn at the first free place; left out if all places are taken
    const scale = attributes["font-size"], w = widthOf(text) * scale, h = scale;
    for (const [x, y] of places.map((place) => place(w, h))) {
      const box = { x1: x, x2: x + w, y1: y - h * 0.85, y2: y + h * 0.25 };
      if (box.x1 < left || box.x2 > right || box.y1 < -top || box.y2 > -bottom) continue;
      if (taken.some((one) => box.x1 < one.x2 && one.x1 < box.x2 && box.y1 < one.y2 && one.y1 < box.y2)) continue;
      taken.push(box);
      found.push(draw("text", { x, y, ...attributes }, text));
      return;
    }
  };
  for (const one of map.areas) {
    const [x1, y1, x2, y2] = one.at;
    found.push(draw("rect", { class: "area", x: x1, y: -y2, width: Math.max(x2 - x1, 0.05), height: Math.max(y2 - y1, 0.05), rx: size / 3 }));
    label(name(one), [() => [x1, -y2 - size / 4], (_, h) => [x1, -y1 + h]], { class: "place", "font-size": size * 0.9 });
  }
  if (way.length > 1) found.push(draw("polyline", { class: "way", points: way.map(([x, y]) => `${x},${-y}`).join(" ") }));
  const holds = (one) => /bowl|plate|tray|box|basket/.test(one.name);
  const holders = map.objects.filter(holds), things = map.objects.filter((one) => !holds(one));
  const holderOf = ({ at }) => holders.find((one) => Math.hypot(one.at[0] - at[0], one.at[1] - at[1]) < HOLDS_M);
  for (const one of [...holders, ...things]) {
    const colour = COLOURS[one.name.split("_").find((word) => word in COLOURS)], holder = holds(one), r = holder ? HOLDS_M : size / 3.2;
    const mark = draw("circle", { class: holder ? "holder" : "object", cx: one.at[0], cy: -one.at[1], r, ...(colour ? { [holder ? "stroke" : "fill"]: colour } : {}) });
    mark.append(draw("title", {}, name(one)));
    found.push(mark);
    if (map.objects.length > MOST_LABELS || (!holder && holderOf(one))) continue;
    const inside = holder ? things.filter((thing) => holderOf(thing) === one).length : 0;
    const [x, y] = [one.at[0], -one.at[1]], gap = r + size / 6;
    const places = [(_, h) => [x + gap, y + h / 3], (w, h) => [x - gap - w, y + h / 3], (w) => [x - w / 2, y - gap], (w, h) => [x - w / 2, y + gap + h * 0.8]];
    label(inside ? `${name(one)} (${inside})` : name(one), places, { class: "name", "font-size": size * 0.8 });
  }
  if (map.robot) {
    const [x, y, yaw] = map.robot, turn = (-yaw * 180) / Math.PI;
    found.push(draw("path", { class: "robot", d: `M${size * 1.1},0 L${-size * 0.8},${size * 0.8} L${-size * 0.4},0 L${-size * 0.8},${-size * 0.8}Z`, transform: `translate(${x},${-y}) rotate(${turn})` }));
  }
  svg.replaceChildren(...found);
}
