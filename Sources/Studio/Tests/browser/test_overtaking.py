"""What darkens the lamps waits for no other action, and nothing that came before lights them afterwards."""

import os

import pytest

from client import answer, client, post, send, state
from conftest import Studio
from rig import HEIGHT, WIDTH, arm, send_blank, stage_arguments, wait


class Slow:
    """A studio whose system does not answer when it is asked for devices: an action that asks goes on until `release`."""

    def __init__(self, folder):
        self.pipe = folder / "asound.conf"
        os.mkfifo(self.pipe)
        self.studio = Studio(*stage_arguments(folder), env={**os.environ, "ALSA_CONFIG_PATH": str(self.pipe)})

    def begin(self, page, number):
        send(page, id=number, do="sound/select", **{"with": {"kind": "device", "name": "nowhere"}})

    def release(self):
        if self.pipe.exists():
            with self.pipe.open("wb"):
                self.pipe.unlink()


@pytest.fixture
def slow(tmp_path, lamps):
    running = Slow(tmp_path)
    arm(running.studio, lamps)
    wait(lambda: all(lamps.levels))
    yield running
    running.release()
    assert running.studio.stop() == 0


def answers(page, *numbers):
    """The answers of those numbers, which come in any order."""
    seen = {}
    while seen.keys() < set(numbers):
        reply = answer(page)
        if reply.get("id") in numbers:
            seen[reply["id"]] = reply
    return [seen[number] for number in numbers]


def expect_dark(lamps):
    """Nothing but zeros comes from now on: still levels are sent each second."""
    for _ in range(2):
        lamps.forget()
        before = lamps.count
        wait(lambda: lamps.count > before + 1)
    assert lamps.seen == {bytes(6)}


@pytest.mark.parametrize("by", ["the same page", "another page", "a request"])
def test_a_blackout_waits_for_no_other_action(slow, lamps, by):
    with client(slow.studio) as page, client(slow.studio) as other:
        slow.begin(page, 1)
        # Each would be performed after the blackout.
        send(page, id=2, do="lights/master", **{"with": {"level": 1}})
        send(page, id=3, do="lights/blackout", **{"with": {"on": False}})
        if by == "a request":
            # The restoring has arrived.
            send(page, id=9, do="no/action")
            answers(page, 9)
            assert post(slow.studio, "lights/blackout", {"on": True})[0] == 200
        else:
            if by == "another page":
                send(page, id=9, do="no/action")
                answers(page, 9)
            who = page if by == "the same page" else other
            send(who, id=4, do="lights/blackout", **{"with": {"on": True}})
            assert answers(who, 4)[0]["ok"]
        wait(lambda: not any(lamps.levels))
        slow.release()
        first, second, third = answers(page, 1, 2, 3)
        # The search may have taken longer than an action waits.
        assert first["error"]["code"] in ("validation", "refused") and second["ok"] and "somebody has" in third["error"]["message"]
        expect_dark(lamps)
        assert state(slow.studio, "lights")["blackout"]
        send(page, id=5, do="lights/blackout", **{"with": {"on": False}})
        assert answers(page, 5)[0]["ok"]
        wait(lambda: all(lamps.levels))


def test_a_disarming_waits_for_no_other_action_and_takes_back_an_arming(slow, lamps):
    with client(slow.studio) as page:
        slow.begin(page, 1)
        send(page, id=2, do="lights/arm", **{"with": {"armed": True, "output": lamps.address}})
        send(page, id=3, do="lights/arm", **{"with": {"armed": False}})
        assert answers(page, 3)[0]["ok"] and not state(slow.studio, "lights")["armed"]
        slow.release()
        assert "somebody has" in answers(page, 1, 2)[1]["error"]["message"]
        assert not state(slow.studio, "lights")["armed"]
        send(page, id=4, do="lights/arm", **{"with": {"armed": True, "output": lamps.address}})
        assert answers(page, 4)[0]["ok"]
        wait(lambda: all(lamps.levels))


@pytest.fixture(params=["lights/arm", "mapping/start"])
def lighting(request, stage, lamps):
    """An action that lights lamps, with its argument, of a studio that is armed."""
    arm(stage, lamps)
    arguments = {"lights/arm": {"armed": True, "output": lamps.address}, "mapping/start": {"source": "browser", "width": WIDTH, "height": HEIGHT}}
    return request.param, arguments[request.param]


def test_nothing_under_way_lights_lamps_after_a_blackout(stage, lamps, lighting):
    action, argument = lighting
    with client(stage) as page:
        for number in range(0, 40, 4):
            send_blank(page)
            send(page, id=number, do=action, **{"with": argument})
            send(page, id=number + 1, do="lights/blackout", **{"with": {"on": True}})
            answers(page, number, number + 1)
            wait(lambda: not any(lamps.levels))
            if number % 20 == 0:
                expect_dark(lamps)
            assert not state(stage, "mapping")["running"] and state(stage, "lights")["armed"]
            send(page, id=number + 2, do="lights/blackout", **{"with": {"on": False}})
            assert answers(page, number + 2)[0]["ok"]
            wait(lambda: all(lamps.levels))


def test_nothing_under_way_arms_after_a_disarming(stage, lamps, lighting):
    action, argument = lighting
    with client(stage) as page:
        for number in range(0, 40, 4):
            send_blank(page)
            send(page, id=number, do=action, **{"with": argument})
            send(page, id=number + 1, do="lights/arm", **{"with": {"armed": False}})
            answers(page, number, number + 1)
            seen = state(stage, "lights")
            assert not seen["armed"] and not seen["lent"] and not state(stage, "mapping")["running"]
            before = lamps.count
            send(page, id=number + 2, do="lights/arm", **{"with": {"armed": True, "output": lamps.address}})
            assert answers(page, number + 2)[0]["ok"]
            wait(lambda: lamps.count > before and all(lamps.levels))


def test_a_show_that_starts_in_a_blackout_is_dark(stage, lamps):
    with client(stage) as page:
        for number in range(0, 40, 4):
            send(page, id=number, do="lights/start")
            send(page, id=number + 1, do="lights/blackout", **{"with": {"on": True}})
            assert all(reply["ok"] for reply in answers(page, number, number + 1))
            send(page, id=number + 2, do="lights/arm", **{"with": {"armed": True, "output": lamps.address}})
            before = lamps.count
            wait(lambda: lamps.count > before)
            send(page, id=number + 3, do="lights/stop")
            assert all(reply["ok"] for reply in answers(page, number + 2, number + 3))
    assert lamps.seen == {bytes(6)}


def test_a_client_with_many_actions_is_read_on_when_they_end(slow, lamps):
    with client(slow.studio) as page, client(slow.studio) as other:
        slow.begin(page, 1)
        for number in range(2, 602):
            send(page, id=number, do="lights/master", **{"with": {"level": 1}})
        send(other, id=1, do="lights/blackout", **{"with": {"on": True}})
        assert answers(other, 1)[0]["ok"]
        wait(lambda: not any(lamps.levels))
        slow.release()
        assert answers(page, 601)[0]["ok"]
