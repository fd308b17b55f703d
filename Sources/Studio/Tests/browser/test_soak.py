"""Memory while browsers come and go: RUSTLE_SOAK_SECONDS of it, which scripts/test --long makes an hour."""

import os

import pytest

from soak import growth, soak

# In a short time the collectors of both languages have run a few times only.
SECONDS = float(os.environ.get("RUSTLE_SOAK_SECONDS", "20"))
MOST = 0.1 if SECONDS >= 600 else 0.25


@pytest.mark.alone
def test_memory_stays_while_browsers_come_and_go(browser, studio):
    values, visits = soak(browser, studio, SECONDS)
    grown = {name: round(growth(each), 3) for name, each in values.items()}
    assert visits >= SECONDS / 10, visits
    assert max(grown.values()) <= MOST, (grown, values)
