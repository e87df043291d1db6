// The server's API. Every refusal becomes an Error with the server's own words.

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let reply;
  try {
    reply = await fetch(path, options);
  } catch {
    throw Object.assign(new Error("the server does not answer"), { code: "away" });
  }
  const text = await reply.text();
  if (!reply.ok) {
    const { error, message } = JSON.parse(text);
    throw Object.assign(new Error(message), { code: error });
  }
  return reply.headers.get("content-type").startsWith("application/json") ? JSON.parse(text) : text;
}

const game = (id, rest = "") => `/api/games/${encodeURIComponent(id)}${rest}`;

export const api = {
  menu: () => ask("/api/menu"),
  rulesOf: (variant, players) => ask(`/api/rules?variant=${encodeURIComponent(variant)}&players=${players}`),
  begin: (setup) => ask("/api/games", setup),
  state: (id, since = 0) => ask(game(id, `?since=${since}`)),
  move: (id, version, since, actions) => ask(game(id, "/move"), { version, since, actions }),
  advance: (id, version, since) => ask(game(id, "/advance"), { version, since }),
  undo: (id, version, since) => ask(game(id, "/undo"), { version, since }),
  past: (id, step) => ask(game(id, `/past?step=${step}`)),
  hints: (id, agent) => ask(game(id, `/hints?agent=${encodeURIComponent(agent)}`)),
  why: (id, cards, what = "") => ask(game(id, `/why?cards=${cards.join(",")}&do=${what}`)),
  rules: (id) => ask(game(id, "/rules")),
  position: (id) => ask(game(id, "/position")),
  record: (id) => ask(game(id, "/record")),
  replay: (wish) => ask("/api/replay", wish),
  review: (wish) => ask("/api/review", wish),
};
