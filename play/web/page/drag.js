// Taps and drags on the table, for mouse and finger alike.

const FAR = 8; // pixels that make a tap a drag

// tap(token): a card or build was tapped. drop(from, to): dragged onto another (null: the bare felt). lit(): what may be dragged.
export function dragging(root, tap, drop, lit) {
  let start = null, ghost = null, over = null;

  const tokenAt = (target) => target?.closest?.("[data-token]")?.dataset.token ?? null;

  function down(event) {
    const token = tokenAt(event.target);
    if (token && event.button === 0) start = { token, x: event.clientX, y: event.clientY, element: event.target.closest("[data-token]"), mayDrag: event.pointerType === "mouse" || event.target.closest(".hand") };
  }

  function move(event) {
    if (!start) return;
    if (!ghost && Math.hypot(event.clientX - start.x, event.clientY - start.y) > FAR && start.mayDrag && lit().has(start.token)) {
      ghost = start.element.cloneNode(true);
      ghost.classList.add("ghost");
      delete ghost.dataset.token;
      document.body.append(ghost);
    }
    if (!ghost) return;
    event.preventDefault();
    ghost.style.transform = `translate(${event.clientX - 32}px, ${event.clientY - 50}px)`;
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-token]");
    if (under !== over) {
      over?.classList.remove("over");
      under?.classList.add("over");
      over = under;
    }
  }

  function up(event) {
    if (!start) return;
    const { token } = start;
    if (ghost) {
      const under = document.elementFromPoint(event.clientX, event.clientY);
      const onto = tokenAt(under);
      if (under?.closest(".felt") || (onto && onto !== token)) drop(token, onto === token ? null : onto);
    } else if (event.type === "pointerup" && Math.hypot(event.clientX - start.x, event.clientY - start.y) <= FAR) {
      tap(token);
    }
    cancel();
  }

  function cancel() {
    ghost?.remove();
    over?.classList.remove("over");
    start = ghost = over = null;
  }

  function key(event) {
    const token = tokenAt(event.target);
    if (token && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      tap(token);
    }
  }

  // A finger on a hand card drags it; anywhere else it scrolls.
  function touch(event) {
    if (ghost) event.preventDefault();
  }

  const hooks = [[root, "pointerdown", down], [window, "pointermove", move], [window, "pointerup", up],
    [window, "pointercancel", cancel], [root, "keydown", key], [root, "touchmove", touch]];
  for (const [place, name, run] of hooks) place.addEventListener(name, run, { passive: false });
  return { stop: () => { cancel(); for (const [place, name, run] of hooks) place.removeEventListener(name, run); } };
}
