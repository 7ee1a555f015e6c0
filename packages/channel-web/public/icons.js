/** Small line drawings; what they mean is said by the name of the button around them. */

const PATHS = {
  copy: "M6.5 6.5h7v7h-7zM9.5 6.5v-4h-7v7h4",
  done: "M3 8.5 6.5 12 13 4.5",
  edit: "M3 13l.7-3L10.5 3.2a1 1 0 0 1 1.4 0l.9.9a1 1 0 0 1 0 1.4L6 12.3 3 13Z",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4",
  close: "M4 4l8 8M12 4l-8 8",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  "👍": "M5 7.2 7.6 2c1 0 1.7.8 1.5 1.8L8.7 6h3.4c.9 0 1.5.8 1.3 1.6l-1 4.6c-.2.6-.7 1-1.3 1H5zM5 7.2H2.6v6H5",
  "👎": "M5 8.8 7.6 14c1 0 1.7-.8 1.5-1.8L8.7 10h3.4c.9 0 1.5-.8 1.3-1.6l-1-4.6c-.2-.6-.7-1-1.3-1H5zM5 8.8H2.6v-6H5",
  smile: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM5.4 9.4c1.2 1.9 4 1.9 5.2 0M6 6.2v.4M10 6.2v.4",
};

/** Whether there is a drawing of that name. */
export function hasIcon(name) {
  return Object.hasOwn(PATHS, name);
}

export function icon(name, size = 16) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("width", size);
  svg.setAttribute("height", size);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button with nothing but a drawing; `label` is its name. */
export function iconButton(name, label, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon-button";
  button.setAttribute("aria-label", label);
  button.title = label;
  button.append(icon(name));
  if (action !== undefined) button.addEventListener("click", action);
  return button;
}
