"""A sound system that never answers holds up neither the lamps nor the end of the server."""

import os
import signal
import threading
import time

import pytest

from client import PATIENCE, answer, ask, client, post, send, state
from conftest import Studio
from rig import arm, stage_arguments, wait

NAME = "nully"


class Hanging:
    """A studio with lamps, and a sound device that it knows: neither the device nor the search for others returns once it `hangs`."""

    def __init__(self, folder, lamps):
        self.configuration = folder / "asound.conf"
        self.configuration.write_text(f'pcm.{NAME} {{ type null hint {{ show on description "Null" }} }}\n')
        self.studio = Studio(*stage_arguments(folder), env={**os.environ, "ALSA_CONFIG_PATH": str(self.configuration)})
        wait(lambda: any(each["name"] == NAME for each in state(self.studio, "sound")["devices"]))
        arm(self.studio, lamps)
        wait(lambda: all(lamps.levels))

    def hangs(self):
        # A pipe that nobody writes.
        self.configuration.unlink()
        os.mkfifo(self.configuration)

    def select(self, name=NAME):
        return post(self.studio, "sound/select", {"kind": "device", "name": name})


@pytest.fixture
def hanging(tmp_path, lamps):
    running = Hanging(tmp_path, lamps)
    yield running
    # Also while the system does not answer.
    assert running.studio.stop() == 0


def test_devices_that_do_not_open_stop_nothing_else(hanging, lamps):
    with client(hanging.studio) as page:
        send(page, subscribe=["meter"])
        wait(lambda: 'subscribed{topic="meter"} 1' in ask(hanging.studio, "metrics")[2])
        hanging.hangs()
        # More than there are processors.
        for _ in range(os.cpu_count() + 2):
            assert hanging.select()[0] == 200
            assert post(hanging.studio, "sound/select", {"kind": "none"})[0] == 200
        assert post(hanging.studio, "lights/blackout", {"on": True})[0] == 200
        wait(lambda: not any(lamps.levels))
        assert hanging.select()[0] == 200
        wait(lambda: "does not answer" in (state(hanging.studio, "sound")["error"] or ""))
        # The demo needs no device.
        assert post(hanging.studio, "sound/select", {"kind": "demo"})[0] == 200
        while not isinstance(page.recv(timeout=PATIENCE), bytes):
            pass


def test_an_action_that_hangs_holds_up_the_others_for_a_while(hanging, lamps):
    with client(hanging.studio) as page:
        hanging.hangs()
        start = time.monotonic()
        for number in [1, *range(4, 10)]:
            send(page, id=number, do="sound/select", **{"with": {"kind": "device", "name": "nowhere"}})
        send(page, id=2, do="lights/master", **{"with": {"level": 0.5}})
        # It disarms at once.
        send(page, id=3, do="lights/stop")
        wait(lambda: not state(hanging.studio, "lights")["armed"])
        replies = {}
        while len(replies) < 9:
            reply = answer(page)
            if "id" in reply:
                replies[reply["id"]] = reply
        # Not the five seconds of each.
        assert time.monotonic() - start < PATIENCE
        assert replies.pop(2)["ok"] and replies.pop(3)["ok"]
        assert {reply["error"]["message"] for reply in replies.values()} == {"the sound system does not answer"}
        assert not state(hanging.studio, "lights")["running"]


@pytest.mark.alone
@pytest.mark.parametrize("by", ["a request", "an action", "many actions", "an opening"])
def test_a_stop_waits_for_nothing_that_hangs(hanging, lamps, by):
    with client(hanging.studio) as page:
        send(page, subscribe=["meter"])
        wait(lambda: 'subscribed{topic="meter"} 1' in ask(hanging.studio, "metrics")[2])
        hanging.hangs()
        asking = threading.Thread(target=lambda: hanging.select("nowhere"))
        if by == "a request":
            asking.start()
        elif by == "an opening":
            assert hanging.select()[0] == 200
        else:
            for number in range(400 if by == "many actions" else 1):
                send(page, id=number, do="sound/select", **{"with": {"kind": "device", "name": "nowhere"}})
        # The action has begun: this one is behind it.
        send(page, id=1000, do="no/action")
        time.sleep(0.5)
        start = time.monotonic()
        hanging.studio.process.send_signal(signal.SIGINT)
        assert hanging.studio.process.wait(timeout=PATIENCE) == 0
        # Less than the five seconds for which an action waits.
        assert time.monotonic() - start < 3
    if by == "a request":
        asking.join()
