import { icon } from "./icons.js";

/** A file of a message: a picture, or a link that saves it. The gateway sends nothing here that could run. */

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

export function isPicture({ mimeType }) {
  return PICTURES.has(mimeType);
}

export function mediaElement(medium) {
  const { url, name, size } = medium;
  const link = document.createElement("a");
  link.href = url;
  if (isPicture(medium)) {
    link.className = "picture";
    link.target = "_blank";
    link.rel = "noopener";
    const image = document.createElement("img");
    image.src = url;
    image.alt = name;
    image.loading = "lazy";
    // A picture that is gone is a file that is gone, with its name.
    image.addEventListener("error", () => link.replaceWith(fileLink(url, name, size)), { once: true });
    link.append(image);
    return link;
  }
  return fileLink(url, name, size);
}

function fileLink(url, name, size) {
  const link = document.createElement("a");
  link.href = url;
  link.className = "file";
  link.download = name;
  const label = document.createElement("span");
  label.className = "file-name";
  label.dir = "auto";
  label.textContent = name;
  link.append(icon("file", 18), label);
  if (size !== undefined) {
    const bytes = document.createElement("span");
    bytes.className = "file-size";
    bytes.textContent = sizeText(size);
    link.append(bytes);
  }
  return link;
}

/** A size for people: 512 B, 34 kB, 1.2 MB. */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
