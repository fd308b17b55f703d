"""OLA: olad receives from us, sends to us and is found, by both protocols."""

import json
import pathlib
import subprocess
import urllib.request
from contextlib import contextmanager

from hosts import OUR_CABLE, PEERS, Child, expect, expect_equal, numbers, until

# What needs hardware, or other protocols.
OTHERS = ("dummy espnet ftdidmx gpio karate kinet milinst opendmx openpixelcontrol osc pathport renard sandnet shownet spi "
          "stageprofi uartdmx usbdmx usbserial usbpro").split()
# A missing key would have its default.
ART_NET = {"always_broadcast": "false", "enabled": "true", "ip": PEERS, "long_name": "OLA of the peers", "net": "0",
           "output_ports": "4", "short_name": "OLA", "subnet": "0", "use_limited_broadcast": "false", "use_loopback": "false"}
SACN = {"cid": "5268781d-e469-4af4-b9f6-d19717ad6a22", "draft_discovery": "false", "dscp": "0", "enabled": "true",
        "ignore_preview": "true", "input_ports": "5", "ip": PEERS, "output_ports": "5", "prepend_hostname": "false",
        "revision": "0.46"}
ART_NET_DEVICE, SACN_DEVICE = "1", "2"
# Universes of OLA, which are the Port-Address and the universe of sACN as well.
ART_NET_IN, ART_NET_OUT, SACN_IN, SACN_OUT = 1, 2, 5, 6


@contextmanager
def server(lab):
    """Runs olad with an input and an output of each protocol."""
    folder = pathlib.Path(lab.folder, "ola")
    folder.mkdir(exist_ok=True)
    off = {"enabled": "false"}
    for name, keys in {**dict.fromkeys(OTHERS, off), "artnet": ART_NET, "e131": SACN}.items():
        lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
        (folder / f"ola-{name}.conf").write_text(lines, encoding="utf-8")
    # It refuses root: another user, in a namespace where that is allowed to all.
    user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    with Child([*user, "olad", "-c", str(folder), "--no-register-with-dns-sd", "-l", "2"], lab.folder) as child:
        until(lambda: f"the devices of olad ({child.text()})",
              lambda: ran("ola_dev_info").count("Device") == 2)
        for device, is_input, universe in ((ART_NET_DEVICE, True, ART_NET_IN), (ART_NET_DEVICE, False, ART_NET_OUT),
                                           (SACN_DEVICE, True, SACN_IN), (SACN_DEVICE, False, SACN_OUT)):
            ran("ola_patch", "-d", device, "-p", "0", *(["-i"] if is_input else []), "-u", universe)
        yield child
        child.process.terminate()
        child.end()


def ran(*words):
    """What one of OLA's programs prints, nothing when it fails."""
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else ""


def levels(universe):
    """The levels of one of its universes, by its web interface."""
    with urllib.request.urlopen(f"http://127.0.0.1:9090/get_dmx?u={universe}", timeout=5) as answer:
        return json.load(answer)["dmx"]


def receives(lab):
    """olad receives every level of our sACN and Art-Net"""
    with server(lab), lab.still({SACN_IN: numbers(1, 3)}), \
            lab.still({ART_NET_IN: numbers(2, 7)}, "--protocol", "artnet", "--to", PEERS):
        until("the levels by sACN", lambda: levels(SACN_IN) == numbers(1, 3))
        until("the levels by Art-Net", lambda: levels(ART_NET_IN) == numbers(2, 7))


def priority(lab):
    """olad shows our source of the highest priority, and the other one as soon as the first ends"""
    low, high = [200] * 512, [50] * 512
    with server(lab), lab.still({SACN_IN: low}, "--priority", 100):
        until("the levels of priority 100", lambda: levels(SACN_IN) == low)
        with lab.still({SACN_IN: high}, "--priority", 150) as second:
            until("the levels of priority 150", lambda: levels(SACN_IN) == high)
            expect_equal("status", 130, second.interrupt())
            until("the levels of priority 100 again", lambda: levels(SACN_IN) == low, 2)


def sends(lab):
    """We receive what olad sends by sACN, and by Art-Net as a node that it has found"""
    with lab.receive("--protocol", "both", "--universes", f"{ART_NET_OUT},{SACN_OUT}") as ours, server(lab):
        for protocol, universe, first in (("sacn", SACN_OUT, 40), ("artnet", ART_NET_OUT, 80)):
            wanted = numbers(first, 3)

            def has_sent(universe=universe, wanted=wanted, protocol=protocol):
                ran("ola_set_dmx", "-u", universe, "-d", ",".join(map(str, wanted)))
                changes = [line for line in ours.lines if isinstance(line, dict) and "dmx" in line]
                return any((line["protocol"], line["dmx"]) == (protocol, wanted) for line in changes)
            # It polls every ten seconds.
            until(lambda: f"the levels by {protocol} ({ours.text()})", has_sent, 25)


def found(lab):
    """`rustle dmx nodes` finds olad with its names and Port-Addresses, and that it is lost"""
    with lab.rustle("dmx", "nodes", "--interface", OUR_CABLE) as ours:
        with server(lab):
            line = ours.line("olad with its Port-Addresses",
                             lambda line: line["address"] == PEERS and line["port_count"] >= 2, 15)
            expect_equal("names, style, state", ("OLA", "OLA of the peers", 0, "online"),
                         (line["name"], line["long_name"], line["style"], line["state"]))
            expect({ART_NET_IN, ART_NET_OUT} <= set(line["port_addresses"]), f"expected both ports, got {line['port_addresses']}")
        ours.line("that it is late", lambda line: line["change"] == "late", 15)
        ours.line("that it is lost", lambda line: line["change"] == "lost", 20)
        expect_equal("status", 130, ours.interrupt())


def show(lab):
    """olad shows a show by both protocols: its fade and its full light"""
    fixture = {"profile": "dimmer", "address": 2}
    rig = {"v": 1, "fixtures": [{**fixture, "id": 1, "protocol": "sacn", "universe": SACN_IN},
                                {**fixture, "id": 2, "protocol": "artnet", "universe": f"0.0.{ART_NET_IN}"}]}
    scene = {"name": "full", "layers": [{"effect": "solid"}]}
    path = pathlib.Path(lab.folder, "show.json")
    path.write_text(json.dumps({"v": 1, "rig": rig, "scenes": [scene], "cues": [{"scene": "full", "fade_in": {"seconds": 3}}]}),
                    encoding="utf-8")
    with server(lab), lab.rustle("light", "run", path, "--interface", OUR_CABLE, "--output", "sacn:multicast",
                                 "--output", f"artnet:{PEERS}") as light:
        for universe in (SACN_IN, ART_NET_IN):
            until("a level of the fade", lambda universe=universe: any(0 < level < 255 for level in levels(universe)))
        for universe in (SACN_IN, ART_NET_IN):
            until("full light", lambda universe=universe: levels(universe)[:3] == [0, 255, 0])
        expect_equal("the status of an interrupt", 130, light.interrupt())


CHECKS = [receives, priority, sends, found, show]
