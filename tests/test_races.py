"""Races of turns: whom worlds let win, and how far they are played."""

import numpy as np

from casino_env.agents.search.racing import Race, heats_of


def test_the_race_is_won_by_what_worlds_show():
    """The world decides the level; what is expected counts as long as few worlds are known."""
    rng = np.random.default_rng(5)
    race = Race(np.array([1.0, 0.8, 0.0, -2.0]), trust=0.5)
    truth = np.array([0.5, 1.5, 0.0, -2.0])
    for _ in range(60):
        level = rng.normal(0.0, 4.0, (2, 1))
        race.add((truth + level + rng.normal(0.0, 0.7, (2, 4)))[:, race.running])
    assert race.leader == 1 and race.running.tolist() == [1]
    assert race.worth[1] - race.worth[0] > 0.3


def test_a_few_worlds_do_not_outweigh_a_clear_expectation():
    race = Race(np.array([3.0, 0.0]), trust=0.5)
    race.add(np.array([[0.0, 3.0], [6.0, 0.5]]))
    assert race.leader == 0 and race.running.tolist() == [0, 1]


def test_what_an_early_heat_doubts_a_later_one_decides():
    """Behind by less than the doubt no number of worlds puts a turn out; worlds that are played further can turn it."""
    race = Race(np.array([0.5, 0.0, -3.0]), trust=0.5)
    race.next_heat(doubt=0.3)
    for _ in range(100):
        race.add(np.array([[1.0, 0.5, -3.0], [2.0, 1.5, -2.0]])[:, race.running])
    assert race.leader == 0 and race.running.tolist() == [0, 1]
    before = race.worth.copy()
    race.next_heat(doubt=0.1)
    assert (race.games, race.total) == (0, 200) and np.array_equal(race.worth, before)
    for _ in range(100):
        race.add(np.array([[1.0, 2.0, 0.0], [2.0, 3.0, 0.0]])[:, race.running])
    assert race.leader == 1 and race.running.tolist() == [1]


def test_heats_are_played_further_and_further_unless_it_is_said_how_far():
    assert [heat.cut for heat in heats_of(3, None)] == [5, 11, 23]
    assert [heat.cut for heat in heats_of(2, 0)] == [0]
