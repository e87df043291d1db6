// Taps and drags on the table, by mouse or finger.

const FAR = 8; // pixels of movement beyond which a tap is a drag

/** @param {EventTarget | null} target */
const tokenAt = (target) => (target instanceof Element
  ? /** @type {HTMLElement | null} */ (target.closest("[data-token]"))?.dataset.token ?? null : null);

/** Call tap(token) when a card or build is tapped, drop(from, to) when one is dragged onto another (null: the felt).
 * @param {HTMLElement} root @param {(token: string) => void} tap
 * @param {(from: string, to: string | null) => void} drop @returns {() => void} removes the listeners */
export function dragging(root, tap, drop) {
  /** @type {{ token: string, x: number, y: number, element: HTMLElement, mayDrag: boolean } | null} */
  let start = null;
  /** @type {HTMLElement | null} */
  let ghost = null;
  /** @type {Element | null} */
  let over = null;

  /** @param {PointerEvent} event */
  function down(event) {
    const target = /** @type {Element} */ (event.target), token = tokenAt(target);
    const element = /** @type {HTMLElement | null} */ (target.closest("[data-token]"));
    if (!token || !element || event.button !== 0) return;
    start = { token, x: event.clientX, y: event.clientY, element, mayDrag: event.pointerType === "mouse"
      || Boolean(target.closest(".hand")) };
  }

  /** @param {PointerEvent} event */
  const moved = (event) => (start ? Math.hypot(event.clientX - start.x, event.clientY - start.y) : 0);

  /** @param {PointerEvent} event */
  function move(event) {
    if (!start) return;
    if (!ghost && moved(event) > FAR && start.mayDrag) {
      ghost = /** @type {HTMLElement} */ (start.element.cloneNode(true));
      ghost.classList.add("ghost");
      delete ghost.dataset.token;
      document.body.append(ghost);
    }
    if (!ghost) return;
    event.preventDefault();
    ghost.style.transform = `translate(${event.clientX - 32}px, ${event.clientY - 50}px)`;
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-token]") ?? null;
    if (under === over) return;
    over?.classList.remove("over");
    under?.classList.add("over");
    over = under;
  }

  /** @param {PointerEvent} event */
  function up(event) {
    if (!start) return;
    const { token } = start;
    if (ghost) {
      const under = document.elementFromPoint(event.clientX, event.clientY), onto = tokenAt(under);
      if (under?.closest(".felt") || (onto && onto !== token)) drop(token, onto === token ? null : onto);
    } else if (event.type === "pointerup" && moved(event) <= FAR) {
      tap(token);
    }
    cancel();
  }

  function cancel() {
    ghost?.remove();
    over?.classList.remove("over");
    start = ghost = over = null;
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const token = tokenAt(event.target);
    if (token && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      tap(token);
    }
  }

  /** Do not scroll while a card is dragged: fingers drag hand cards and scroll elsewhere. @param {TouchEvent} event */
  function touch(event) {
    if (ghost) event.preventDefault();
  }

  /** @type {[EventTarget, string, any][]} */
  const hooks = [[root, "pointerdown", down], [window, "pointermove", move], [window, "pointerup", up],
    [window, "pointercancel", cancel], [root, "keydown", key], [root, "touchmove", touch]];
  for (const [where, name, run] of hooks) where.addEventListener(name, run, { passive: false });
  return () => {
    cancel();
    for (const [where, name, run] of hooks) where.removeEventListener(name, run);
  };
}
