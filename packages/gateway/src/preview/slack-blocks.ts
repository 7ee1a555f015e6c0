import { codeHtml, escapeHtml, linkHtml } from "./escape.ts";

type Json = Readonly<Record<string, unknown>>;

/** Slack's blocks as its apps draw them. What is not known is shown as what it is. */
export function slackBlocksHtml(blocks: readonly unknown[]): string {
  return blocks.map(blockHtml).join("");
}

function blockHtml(block: unknown): string {
  const { type, elements, rows } = block as Json;
  if (type === "rich_text") return listOf(elements).map(elementHtml).join("");
  if (type === "divider") return "<hr>";
  if (type === "table") return tableHtml(listOf(rows), listOf((block as Json)["column_settings"]));
  return codeHtml(JSON.stringify(block, undefined, 2) ?? "");
}

function elementHtml(element: Json): string {
  const { type, elements } = element;
  const border = element["border"] === 1 ? " border" : "";
  if (type === "rich_text_list") return richListHtml(element, border);
  if (type === "rich_text_preformatted") {
    const code = listOf(elements).map(({ text }) => String(text ?? ""));
    return `<div class="block${border}">${codeHtml(code.join(""))}</div>`;
  }
  const inside = listOf(elements).map(inlineHtml).join("");
  return type === "rich_text_quote" ? `<blockquote>${inside}</blockquote>` : `<div class="text">${inside}</div>`;
}

function richListHtml(list: Json, border: string): string {
  const indent = Number(list["indent"] ?? 0);
  const first = Number(list["offset"] ?? 0) + 1;
  const bullets = ["•", "◦", "▪"];
  const items = listOf(list["elements"]).map((item, index) => {
    const sign = list["style"] === "ordered" ? `${first + index}.` : (bullets[Math.min(indent, 2)] ?? "");
    const inside = listOf(item["elements"]).map(inlineHtml).join("");
    return `<div class="item depth-${Math.min(8, indent)}"><span class="sign">${sign}</span><span>${inside}</span></div>`;
  });
  return `<div class="block${border}">${items.join("")}</div>`;
}

function inlineHtml(element: Json): string {
  const { type } = element;
  if (type === "text") return styled(escapeHtml(String(element["text"] ?? "")), element["style"]);
  if (type === "link") {
    const url = String(element["url"] ?? "");
    return styled(linkHtml(url, escapeHtml(String(element["text"] ?? url))), element["style"]);
  }
  const id = element["user_id"] ?? element["usergroup_id"] ?? element["channel_id"] ?? type;
  return `<span class="mention">${type === "channel" ? "#" : "@"}${escapeHtml(String(id))}</span>`;
}

function styled(html: string, style: unknown): string {
  const { bold, italic, strike, code } = (style ?? {}) as Json;
  let out = html;
  if (code === true) out = `<code>${out}</code>`;
  if (strike === true) out = `<s>${out}</s>`;
  if (italic === true) out = `<em>${out}</em>`;
  return bold === true ? `<strong>${out}</strong>` : out;
}

function tableHtml(rows: readonly Json[], settings: readonly Json[]): string {
  const body = rows.map((row) => {
    const cells = (row as unknown as readonly Json[]).map((cell, column) => {
      const align = String(settings[column]?.["align"] ?? "left");
      const side = align === "right" || align === "center" ? align : "left";
      const inside =
        cell["type"] === "raw_text" ? escapeHtml(String(cell["text"] ?? "")) : listOf(cell["elements"]).map(elementHtml).join("");
      return `<td class="${side}">${inside}</td>`;
    });
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table>${body.join("")}</table></div>`;
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
