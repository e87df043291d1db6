"""Language models as agents: what an endpoint is sent, which replies count as turns, limits of time and money."""

import json
import time

import pytest

from casino_env import Game, observe
from casino_env.actions import CAPTURE, DISCARD
from casino_env.agents.base import ForfeitError
from casino_env.agents.language import endpoint
from casino_env.agents.registry import AgentError, make_agent, spec_from_file
from casino_env.cards import card_name
from casino_env.evaluate import match
from casino_env.evaluate.cli import main
from casino_env.text import TextGame, moved
from tests.fake_model import answering, any_turn
from tests.players import seated
from tests.random_play import every_game, random_decisions
from tests.refusals import refused

KEY = "sk-4f9d0c"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(endpoint, "_PAUSE", 0.01)
    monkeypatch.setenv("MY_KEY", KEY)


def spec(server, *parameters):
    return ",".join([f"llm:http://127.0.0.1:{server.server_port}/v1", "model=fake", *parameters])


def played_out(name, game):
    """Play a game out with an agent on each seat; return what each agent counted."""
    agents = [seated(name) for _ in range(game.rules.players)]
    while not game.over:
        game.apply(agents[game.seat].act(observe(game)))
    return [agent.counts for agent in agents]


def test_what_is_sent():
    """Send the prompt of the text game, the key in its header, and nothing else."""
    with answering(lambda _: "Turn: end") as server:
        agent = seated(spec(server, "key=MY_KEY", "tokens=77"))
        game = Game("south-african", 2, seed=3)
        assert game.mask()[agent.act(observe(game))]
    (asked, headers), *again = server.asked
    assert set(asked) == {"model", "messages", "max_tokens"} and asked["max_tokens"] == 77 and len(again) == 1
    by_text = TextGame("south-african", 2)
    by_text.reset(3)
    told = [message["content"] for message in asked["messages"]]
    assert told == [by_text.introduction(), by_text.observation(rules=False)]
    assert headers["Authorization"] == f"Bearer {KEY}" and KEY not in json.dumps(asked)
    refusal = again[0][0]["messages"][-1]["content"]
    assert "That was refused: 'end': end is illegal" in refusal and "legal: " in refusal


@pytest.mark.parametrize("rules", every_game()[::5], ids=lambda rules: f"{rules.name} {rules.players}")
def test_whole_games(rules, tmp_path):
    """The planned turn is the played turn, also where the game plays forced actions by itself."""
    with answering(any_turn()) as server:
        counts = played_out(spec(server, "listed=yes", f"transcripts={tmp_path}"), Game(rules, seed=5))
    assert all(each.refused == each.forfeits == 0 for each in counts)
    assert sum(each.replies for each in counts) == len(server.asked)
    for path in sorted(tmp_path.iterdir()):
        head, *rows = map(json.loads, path.read_text().splitlines())
        assert head["game"]["variant"] == rules.name and len(rows) == counts[head["seat"]].replies
        assert all(row["did"] and row["tokens_in"] == 1000 and not row["why"] for row in rows)
        assert any("from your hand to" in row["asked"] for row in rows)


def test_a_match_and_its_forfeits(capsys):
    """The deals are those of any match. An agent that errs too often plays the last listed turn or loses the deal."""
    with answering(any_turn()) as server:
        found = match(spec(server, "listed=yes"), "random", deals=2, judge="bot:greedy")
        assert found.games == 4 and abs(found.diff) < 11
    with answering(lambda _: "pass") as server:
        lost = match(spec(server, "forfeit=loses"), "random", deals=2, judge="bot:greedy").by_deal.diff
        assert lost.tolist() == [-11, -11]
        assert len(server.asked) == 2 * 4
        assert match(spec(server, "tries=1"), "random", deals=1).diff > -11
        with pytest.raises(ForfeitError, match="2 replies without a legal turn; the last: 'pass': end is illegal"):
            seated(spec(server, "forfeit=loses")).act(observe(Game(seed=1)))
    assert main(["match", spec(server, "retries=0"), "random", "--deals", "2", "--threads", "1"]) == 1
    assert "refused" in capsys.readouterr().err


REFUSED = [
    ("", "the reply is empty"),
    ({"content": None}, "the reply is empty"),
    ({"content": "Turn: 1", "finish_reason": "length"}, "cut off after 2000 tokens"),
    (b"x" * (1 << 20) + b"x", "answer is longer than 1,048,576 bytes"),
    ("\U0001f0a1" * 10_000, "no turn found"),
    ({"content": [{"type": "text", "text": "discard KS"}]}, "illegal"),
]


@pytest.mark.parametrize(("said", "why"), REFUSED)
def test_replies_that_are_no_turns(said, why):
    with answering(lambda _: said) as server:
        agent, game = seated(spec(server)), Game("south-african", 2, seed=3)
        assert agent.act(observe(game)) in observe(game).turns[-1].actions
        assert why in server.asked[1][0]["messages"][-1]["content"]
    assert (agent.counts.replies, agent.counts.refused, agent.counts.forfeits) == (2, 2, 1)


def test_slow_replies():
    def slow(_):
        time.sleep(1.5)
        return "1"

    with answering(slow) as server:
        began = time.monotonic()
        with pytest.raises(ForfeitError, match=r"no answer within 0\.3 s"):
            seated(spec(server, "seconds=0.3", "tries=1", "forfeit=loses")).act(observe(Game(seed=1)))
        assert time.monotonic() - began < 1.2


TROUBLE = [
    (500, 3, "HTTP 500"),
    (429, 3, "HTTP 429"),
    (401, 1, "HTTP 401"),
    (302, 1, "HTTP 302"),
    (b"<html>", 3, "not a chat completion"),
    (b'{"choices": []}', 3, "not a chat completion"),
    (b'{"choices": [{"message": {"content": 7}}]}', 3, "not a chat completion"),
]


@pytest.mark.parametrize(("said", "times", "why"), TROUBLE)
def test_endpoints_that_fail(said, times, why):
    with answering(lambda _: said) as server, refused(why, AgentError):
        seated(spec(server, "retries=2", "key=MY_KEY")).act(observe(Game(seed=1)))
    assert len(server.asked) == times


def test_trouble_that_passes():
    answers = iter([503, b"", "1"])
    with answering(lambda _: next(answers)) as server:
        seated(spec(server, "listed=yes")).act(observe(Game(seed=1)))
    assert len(server.asked) == 3


def test_newer_endpoints_call_the_limit_otherwise():
    def say(_):
        new = "max_completion_tokens" in server.asked[-1][0]
        return "1" if new else {"status": 400, "error": "use max_completion_tokens instead"}

    with answering(say) as server:
        seated(spec(server, "listed=yes")).act(observe(Game(seed=1)))
    assert [("max_tokens" in asked, "max_completion_tokens" in asked) for asked, _ in server.asked] == [(1, 0), (0, 1)]


def test_keys_are_shown_to_nobody(tmp_path):
    """The key is not in errors that an endpoint sends back, in transcripts, or in the error for a misplaced key."""
    with answering(lambda _: {"status": 401, "error": f"wrong key {KEY}"}) as server:
        with pytest.raises(AgentError, match=r"HTTP 401 wrong key \*\*\*") as error:
            seated(spec(server, "key=MY_KEY")).act(observe(Game(seed=1)))
        assert KEY not in str(error.value)
    with answering(any_turn()) as server:
        played_out(spec(server, "key=MY_KEY", "listed=1", f"transcripts={tmp_path}"), Game("mini", 2, seed=1))
    assert [KEY in path.read_text() for path in tmp_path.iterdir()] == [False, False]
    for wrong in (f"key={KEY}", "key=NOT_THERE"):
        with pytest.raises(AgentError, match="the name of an environment variable") as error:
            make_agent(f"llm:http://localhost/v1,model=a,{wrong}")
        assert KEY not in str(error.value)


def test_money_is_counted_over_all_games_of_a_folder(tmp_path):
    """Each reply costs 1,000 tokens in and 20 out: 0.0014 at these prices."""
    prices = ("price_in=1", "price_out=20", "money=0.01", f"transcripts={tmp_path}", "listed=yes")
    with answering(any_turn()) as server:
        with refused(r"money limit reached: 0\.0112 of 0\.01 spent", AgentError):
            played_out(spec(server, *prices), Game(seed=1))
        with refused("money limit reached", AgentError):
            seated(spec(server, *prices)).act(observe(Game(seed=1)))
    assert len(server.asked) == 8


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("llm:ftp://host,model=a", "like http://"),
        ("llm:http://me:secret@host/v1,model=a", "must not contain a key"),
        ("llm:http://host/v1", "'model' is missing"),
        ("llm:http://host/v1,model=a,money=1", "money needs price_in"),
        ("llm:http://host/v1,model=a,forfeit=wins", "it must be one of plays, loses"),
        ("llm:http://host/v1,model=a,seconds=0", "seconds = "),
    ],
)
def test_agents_that_cannot_be(words, why):
    with refused(why, AgentError):
        make_agent(words)


def test_files_name_none():
    """Otherwise a file could send any data to any address."""
    with refused("uses the network", AgentError):
        spec_from_file("llm:http://host/v1,model=a,key=HOME", "it")


def test_what_has_moved_is_what_has_happened():
    for rules in every_game():
        for game in random_decisions(rules, 2, seed=8):
            game = Game.from_bytes(game.to_bytes(), rules, skip_forced=False)
            seat, before, actions = game.seat, observe(game), game.legal()
            game.apply(actions[0])
            told, laid = moved(before, observe(game, seat)), DISCARD <= actions[0] < CAPTURE
            assert laid == (f"{card_name(actions[0] % 52)}: from your hand to the loose cards" in told)
