// A map from above: rooms and tables, objects, the robot and the way that it took. Metres; y is north.
import { draw } from "/dom.js";

const COLOURS = ["red", "blue", "green", "yellow", "purple", "orange", "pink", "brown", "black", "white", "grey", "gray"];
const MOST_LABELS = 24; // objects; of more, names are shown by pointing at them

export function drawMap(svg, scene, way, language, title) {
  const points = [...scene.areas.flatMap(({ at: [x1, y1, x2, y2] }) => [[x1, y1], [x2, y2]]), ...scene.objects.map(({ at }) => at), ...way, ...(scene.robot ? [scene.robot] : [])];
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y), rim = 0.4;
  const left = Math.min(...xs) - rim, right = Math.max(...xs) + rim, bottom = Math.min(...ys) - rim, top = Math.max(...ys) + rim;
  const wide = right - left, high = top - bottom, size = Math.max(wide, high) / 34;
  svg.setAttribute("viewBox", `${left} ${-top} ${wide} ${high}`);
  const name = (one) => one.said[language] ?? one.name, found = [draw("title", {}, title)];
  for (const one of scene.areas) {
    const [x1, y1, x2, y2] = one.at;
    found.push(draw("rect", { class: "area", x: x1, y: -y2, width: Math.max(x2 - x1, 0.05), height: Math.max(y2 - y1, 0.05), rx: size / 3 }));
    found.push(draw("text", { class: "place", x: x1, y: -y2 - size / 4, "font-size": size * 0.85 }, name(one)));
  }
  if (way.length > 1) found.push(draw("polyline", { class: "way", points: way.map(([x, y]) => `${x},${-y}`).join(" ") }));
  for (const one of scene.objects) {
    const colour = COLOURS.find((word) => one.name.split("_").includes(word)), holds = /bowl|plate|tray|box|basket/.test(one.name);
    const mark = draw("circle", { class: holds ? "holder" : "object", cx: one.at[0], cy: -one.at[1], r: holds ? 0.14 : size / 3.2, ...(colour ? { [holds ? "stroke" : "fill"]: colour } : {}) });
    mark.append(draw("title", {}, name(one)));
    found.push(mark);
    if (scene.objects.length <= MOST_LABELS) found.push(draw("text", { class: "name", x: one.at[0] + size / 2.5, y: -one.at[1] + size / 4, "font-size": size * 0.7 }, name(one)));
  }
  if (scene.robot) {
    const [x, y, yaw] = scene.robot, turn = (-yaw * 180) / Math.PI;
    found.push(draw("path", { class: "robot", d: `M${size * 1.1},0 L${-size * 0.8},${size * 0.8} L${-size * 0.4},0 L${-size * 0.8},${-size * 0.8}Z`, transform: `translate(${x},${-y}) rotate(${turn})` }));
  }
  svg.replaceChildren(...found);
}
