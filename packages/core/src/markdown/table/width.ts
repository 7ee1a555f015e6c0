const WIDE =
  /[\u1100-\u115f\u231a\u231b\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
// eslint-disable-next-line no-control-regex
const NARROW = /^[\x20-\x7e\u00a0-\u02ff\u0370-\u0482\u048a-\u052f]*$/;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Columns that a text takes in a fixed-width font: two for East Asian wide characters and emoji, none for marks. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += clusterWidth(segment);
  return width;
}

function clusterWidth(cluster: string): number {
  if (WIDE.test(cluster)) return 2;
  return ZERO.test(cluster) ? 0 : 1;
}

/** Words of a text laid into lines of at most `width` columns; a word that is longer is cut between graphemes. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const word of text.split(" ")) {
    for (const piece of displayWidth(word) > width ? cutWord(word, width) : [word]) {
      const columns = displayWidth(piece);
      if (line !== "" && used + 1 + columns > width) {
        lines.push(line);
        line = "";
        used = 0;
      }
      used += columns + (line === "" ? 0 : 1);
      line = line === "" ? piece : `${line} ${piece}`;
    }
  }
  lines.push(line);
  return lines;
}

function cutWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const { segment } of segmenter.segment(word)) {
    const columns = clusterWidth(segment);
    if (piece !== "" && used + columns > width) {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += segment;
    used += columns;
  }
  return [...pieces, piece];
}
