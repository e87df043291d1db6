"""Tests of mutants.py: each mutant changes the program, and every mutant that is excused exists."""

import ast
import json

import pytest

from tests.mutants import ALIKE, ROOT, Mutant, _of_file
from tests.mutants_of_javascript import PACKAGE, every_mutant

FILE = "casino_env/rng.py"


def test_each_mutant_is_another_program() -> None:
    plain = ast.unparse(ast.parse((ROOT / FILE).read_text()))
    some = list(_of_file(FILE))
    programs = {ast.unparse(mutant.tree()) for mutant in some}
    assert plain not in programs
    assert len(some) > 20 and len(programs) > 0.9 * len(some)  # a few mutants are the same program


def test_a_constant_of_a_module_with_kernels_is_tried_with_them() -> None:
    kinds = {mutant.is_kernel for mutant in _of_file("casino_env/knowledge/sights.py") if not mutant.function}
    assert kinds == {True}


def test_default_values_are_tried_by_an_import() -> None:
    """They lie beside the code of their function, so replacing that would not change them."""
    names = {
        mutant.what: mutant.is_imported
        for mutant in _of_file("casino_env/position.py")
        if mutant.function == "Reader.cards"
    }
    assert names.pop("0 -> 1") and names and not any(names.values())


def test_so_is_a_function_that_the_import_calls() -> None:
    """The import has called it before its code is replaced."""
    kinds = {(one.function, one.is_imported, one.is_kernel) for one in _of_file("casino_env/engine/playable.py")}
    assert {("_word", True, True), ("points_of_a_deal", False, True)} <= kinds


def test_those_that_are_excused_are_there() -> None:
    excused = {key for key in json.loads(ALIKE.read_text()) if ".py " in key}
    files = {key.partition(" ")[0] for key in excused}
    assert excused <= {mutant.key for file in files for mutant in _of_file(file)}


@pytest.mark.skipif(not (PACKAGE / "node_modules").is_dir(), reason="npm install has not been run")
def test_those_of_javascript_that_are_excused_are_there() -> None:
    excused = {key for key in json.loads(ALIKE.read_text()) if ".js " in key}
    names = [mutant["name"] for mutant in every_mutant()]
    assert excused <= set(names) and len(names) == len(set(names))


def test_a_mutant_is_named_alike_wherever_it_stands() -> None:
    one = Mutant("a.py", "f", False, 7, 3, "1 -> 2", 0, around="x + 1")
    assert one.key == one._replace(line=9).key == "a.py f: x + 1: 1 -> 2"
    assert one._replace(what="+ -> -", around="").key == "a.py f: + -> -"
