/** Copies a text; whether it worked. The clipboard API is only there on https and loopback; the old way works everywhere. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "quiet";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    before?.focus?.({ preventScroll: true });
    return copied;
  }
}
