/** The style of the preview page. It loads nothing; colours follow the system or the reader's choice. */
export const LOOK = `
:root { color-scheme: light dark; --page: light-dark(#eef0f4, #101216); --card: light-dark(#fff, #181b21); --text: light-dark(#1b1f27, #e7e9ee);
  --soft: light-dark(#474e5c, #a8b0bf); --line: light-dark(#d9dde5, #30353f); --accent: light-dark(#1d5fd1, #8ab4ff); --warn: light-dark(#a3470b, #f0b072);
  --code: light-dark(#f3f4f7, #22262e); --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; }
:root:has(#light:checked) { color-scheme: light; }
:root:has(#dark:checked) { color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
header { padding: 20px 24px 4px; display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: baseline; }
h1 { font-size: 20px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0; }
fieldset { border: 0; padding: 0; margin: 0; display: flex; gap: 12px; color: var(--soft); font-size: 13px; }
fieldset label { display: inline-flex; gap: 4px; align-items: center; }
main { padding: 12px 24px 32px; display: grid; gap: 20px; grid-template-columns: repeat(auto-fill, minmax(min(420px, 100%), 1fr)); align-items: start; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; min-width: 0; }
.about { padding: 12px 16px; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; justify-content: space-between; gap: 2px 12px; }
.about p, .nothing, .length { margin: 0; color: var(--soft); font-size: 13px; }
.chat { padding: 16px; display: grid; gap: 8px; background: var(--wall, var(--card)); }
.bubble { background: var(--bubble, var(--card)); color: var(--ink, inherit); border-radius: 12px; padding: 8px 12px; overflow-wrap: anywhere; min-width: 0; max-width: 100%; }
.telegram { --wall: light-dark(#cfdfc8, #0e1621); --bubble: light-dark(#fff, #182533); --bar: light-dark(#3a8fd6, #6ab3f3); }
.whatsapp { --wall: light-dark(#efe7dd, #0b141a); --bubble: light-dark(#fff, #202c33); --bar: light-dark(#8a9aa0, #60727a); }
.discord { --wall: light-dark(#fff, #313338); --ink: light-dark(#2b2d31, #dbdee1); --bar: light-dark(#c4c9ce, #4e5058); }
.slack { --wall: light-dark(#fff, #1a1d21); --ink: light-dark(#1d1c1d, #d1d2d3); --bar: light-dark(#ddd, #4a4d52); }
.discord .bubble, .slack .bubble, .plain .bubble { background: none; border-radius: 0; padding: 0 0 0 12px; border-left: 3px solid var(--line); }
.text, .raw, blockquote, .heading, .small { white-space: pre-wrap; }
.telegram .bubble { white-space: pre-wrap; }
.raw { font: 13px/1.5 var(--mono); }
.text + .text, .block, .scroll, blockquote, .code { margin: 4px 0; }
blockquote { border-left: 3px solid var(--bar, var(--line)); padding: 2px 0 2px 10px; }
.border { border-left: 3px solid var(--bar, var(--line)); padding-left: 10px; }
.telegram blockquote { background: color-mix(in srgb, var(--bar) 12%, transparent); border-radius: 4px; margin: 2px 0; }
.item { display: flex; gap: 8px; } .item > span:last-child { white-space: pre-wrap; min-width: 0; }
.sign { color: var(--soft); min-width: 1.1em; text-align: right; }
${[1, 2, 3, 4, 5, 6, 7, 8].map((depth) => `.depth-${depth} { margin-left: ${depth * 20}px; }`).join(" ")}
.heading { font-weight: 700; margin: 6px 0 2px; } .h1 { font-size: 1.5em; } .h2 { font-size: 1.25em; } .h3 { font-size: 1.1em; }
.small { font-size: 12px; color: var(--soft); }
code { font: 13px/1.5 var(--mono); background: var(--code); border-radius: 4px; padding: 1px 4px; }
.slack code { color: light-dark(#c0143c, #e8912d); }
pre { overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: 8px 10px; white-space: pre; overflow-wrap: normal; }
pre code { background: none; padding: 0; color: inherit !important; }
.language { display: block; font: 11px/1.4 system-ui, sans-serif; color: var(--soft); margin-bottom: 4px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: 4px 8px; text-align: left; vertical-align: top; }
.right, [align="right"] { text-align: right; } .center, [align="center"] { text-align: center; }
a { color: var(--accent); }
hr { border: 0; border-top: 1px solid var(--line); margin: 10px 0; }
.mention { background: color-mix(in srgb, var(--warn) 22%, transparent); color: var(--warn); border-radius: 4px; padding: 0 3px; font-weight: 600; }
.spoiler { background: color-mix(in srgb, var(--soft) 80%, transparent); color: transparent; border-radius: 4px; }
.spoiler * { color: inherit; background: none; }
.spoiler:hover, .spoiler:focus { background: color-mix(in srgb, var(--soft) 20%, transparent); color: inherit; }
.length { display: flex; gap: 8px; align-items: center; font-variant-numeric: tabular-nums; } .length meter { width: 90px; height: 10px; }
.cut { display: flex; align-items: center; gap: 8px; color: var(--warn); font-size: 12px; } .cut::before, .cut::after { content: ""; flex: 1; border-top: 2px dashed currentColor; }
details { margin-top: 8px; font-size: 13px; } summary { color: var(--soft); cursor: pointer; }
.web .bubble :is(p, ul, ol, blockquote, pre, table):first-child { margin-top: 0; } .web .bubble img { max-width: 100%; }
.web table { display: block; overflow-x: auto; }
@media (max-width: 600px) { header, main { padding-left: 12px; padding-right: 12px; } }
`;
