/** Where the reader is. At the end, the end stays in view whatever grows; who reads further up is not moved. */

/** Distance from the end within which the reader counts as being there. Unit: px. */
const NEAR_END = 80;
/** Distance from the beginning at which older messages are fetched. Unit: px. */
const NEAR_TOP = 900;

/** Watches a scrolling element. `latest` is the button that leads back to the end; `on.nearTop` when the reader comes to the beginning. */
export function createScroll(scroller, latest, on) {
  let atEnd = true;

  function toEnd() {
    atEnd = true;
    scroller.scrollTop = scroller.scrollHeight;
    latest.hidden = true;
  }

  function note() {
    atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END;
    if (atEnd) latest.hidden = true;
    else if (scroller.scrollTop < NEAR_TOP) on.nearTop();
  }

  latest.addEventListener("click", () => {
    toEnd();
    scroller.focus({ preventScroll: true });
  });
  scroller.addEventListener("scroll", note, { passive: true });
  // The list grows, pictures arrive, the field gets taller, a keyboard comes up: all of it ends here, before it is painted.
  const sizes = new ResizeObserver(() => atEnd && toEnd());
  sizes.observe(scroller);
  sizes.observe(scroller.firstElementChild);

  return {
    get atEnd() {
      return atEnd;
    },
    toEnd,
    /** Something came at the end that the reader does not see. */
    grown: () => (latest.hidden = false),
    /** Changes what is above the reader without moving what he reads. */
    keep(change) {
      const below = scroller.scrollHeight - scroller.scrollTop;
      change();
      if (!atEnd) scroller.scrollTop = scroller.scrollHeight - below;
    },
  };
}
