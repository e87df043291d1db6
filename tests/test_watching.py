"""Agents that look at the table while others decide: in matches, in environments and at the card table."""

import numpy as np
import pytest

import casino_env
from casino_env import observe
from casino_env.evaluate.matches.duplicate import play_game
from casino_env.evaluate.matches.pairing import AgentFailedError, Pairing
from casino_env.play.players import Players
from tests.tables import play_on, table_of

gymnasium = pytest.importorskip("gymnasium")


class Watching:
    """Takes the first action, and writes down what it has seen: whether it was asked, and the view."""

    def reset(self, seat, rng):
        self.seat, self.seen = seat, []

    def watch(self, observation):
        self._see(observation, asked=False)

    def act(self, observation):
        self._see(observation, asked=True)
        return observation.legal()[0]

    def _see(self, observation, asked):
        assert observation.seat == self.seat
        assert observation.legal() or not asked
        self.seen.append((asked, observation.view.tobytes()))


def all_that_is_seen(game, seat):
    """What such an agent writes down on a seat where everybody takes the first action."""
    seen = []
    while not game.over:
        seen.append((game.seat == seat, observe(game, seat).view.tobytes()))
        game.apply(game.legal()[0])
    return seen


def test_everybody_sees_each_decision_of_a_match_once():
    pairing = Pairing.of(casino_env.make_rules("swazi", 3), (Watching(), Watching()), np.array([[0, 1, 1]]))
    game = play_game(pairing, pairing.seatings[0], 7)
    assert game.over
    for (_, seat), player in pairing._copies.items():
        assert player.seen == all_that_is_seen(casino_env.Game("swazi", 3, seed=7), seat)


def test_an_agent_that_fails_to_watch_is_to_blame():
    class Blind(Watching):
        def watch(self, observation):
            raise RuntimeError("cannot see")

    pairing = Pairing.of(casino_env.make_rules("swazi", 2), (Watching(), Blind()), np.array([[0, 1]]))
    with pytest.raises(AgentFailedError, match="Blind: RuntimeError: cannot see"):
        play_game(pairing, pairing.seatings[0], 7)


def test_opponents_in_gymnasium_see_each_decision_once():
    opponents = [Watching(), Watching()]
    env = gymnasium.make("casino_env:CasinoEnv/Swazi-v0", players=3, opponents=opponents)
    env.reset(seed=7)
    over = False
    while not over:
        _, _, over, _, _ = env.step(int(np.argmax(env.unwrapped.action_masks())))
    for opponent in opponents:
        assert opponent.seen == all_that_is_seen(casino_env.Game("swazi", 3, seed=7), opponent.seat)


def test_opponents_in_a_batch_see_each_decision_once():
    env = gymnasium.make_vec(
        "casino_env:CasinoEnv/Swazi-v0", num_envs=2, players=3, opponents=Watching(), autoreset_mode="disabled"
    )
    observations, _ = env.reset(seed=[7, 8])
    over = np.zeros(2, bool)
    while not over.any():
        observations, _, over, _, _ = env.step(observations["action_mask"].argmax(axis=1))
    assert over.any()
    for seed, opponents, done in zip((7, 8), env.unwrapped._crowd.opponents, over, strict=True):
        for seat, opponent in opponents.items():
            whole = all_that_is_seen(casino_env.Game("swazi", 3, seed=seed), seat)
            assert opponent.seen == (whole if done else whole[: len(opponent.seen)])
            assert len(opponent.seen) > 5


def test_at_the_card_table_an_agent_is_shown_how_the_game_has_gone():
    class OnlyOne(Players):
        agent = Watching()

        def of(self, spec):
            return self.agent

    table, rng = table_of("swazi", 3, seat=0), np.random.default_rng(1)
    play_on(table, rng, steps=6)
    while table.mine:
        table.play([casino_env.actions.action_text(table.game.legal()[0])])
    before = table.game.clone()
    table.advance(OnlyOne())
    shown = [view for asked, view in OnlyOne.agent.seen if not asked]
    then, expected = table._start.clone(), []
    for _, action, _ in before.log:
        expected.append(observe(then, before.seat).view.tobytes())
        then.apply(action)
    assert shown == expected
    assert len(shown) > 6
