"""What a row hears from its neighbours, and only from those of its own thread."""

import numpy as np
import pytest

from memories.search.threads import Threads

THREADS = Threads.of(np.array([7, 7, 7, 9, 9, 0, 0], np.int64))


def window(values: list[float], **fields: object) -> list[float]:
    return THREADS.window(np.array(values, np.float32), (0.5, 0.25), np.maximum, **fields).tolist()


def test_a_row_without_thread_is_alone():
    assert THREADS.number.tolist() == [0, 0, 0, 1, 1, 2, 3]
    assert THREADS.starts.tolist() == [0, 3, 5, 6]


def test_a_word_is_heard_more_faintly_with_every_row():
    assert window([0, 0, 8, 0, 0, 0, 0]) == [2, 4, 8, 0, 0, 0, 0]


def test_nothing_is_heard_from_another_thread():
    assert window([0, 0, 0, 8, 0, 0, 0]) == [0, 0, 0, 8, 4, 0, 0]
    assert window([0, 0, 0, 0, 0, 8, 0]) == [0, 0, 0, 0, 0, 8, 0]


def test_an_answer_hears_the_question_before_it():
    after = np.array([1, 0.5, 0, 0.5, 0, 0], np.float32)
    assert window([8, 0, 0, 0, 0, 0, 0], after=after) == [8, 8, 2, 0, 0, 0, 0]


def test_every_row_of_a_thread_has_its_best_value():
    assert THREADS.best(np.array([1, 3, 2, 5, 4, 6, 7], np.float32)).tolist() == [3, 3, 3, 5, 5, 6, 7]


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows_are_no_error(rows):
    few = Threads.of(np.full(rows, 7, np.int64))
    values = np.ones(rows, np.float32)
    assert few.window(values, (0.5, 0.4, 0.3), np.maximum).tolist() == [1] * rows
    assert few.best(values).tolist() == [1] * rows
