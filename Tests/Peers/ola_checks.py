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


def show_file(lab, name, scene, **cue):
    """Writes a show with fixtures of both protocols, and a cue of its scene: returns the path."""
    fixtures = []
    for protocol, universe in (("sacn", SACN_IN), ("artnet", f"0.0.{ART_NET_IN}")):
        place = {"protocol": protocol, "universe": universe}
        fixtures += [{"id": f"{protocol} {kind}", "profile": kind, "address": address, "position": [address / 9, 2, 4], **place}
                     for kind, address in (("dimmer", 2), ("rgbw-par", 10), ("moving-head", 20), ("bar-16", 465))]
    path = pathlib.Path(lab.folder, f"{name}.json")
    path.write_text(json.dumps({"v": 1, "rig": {"v": 1, "fixtures": fixtures}, "scenes": [{"name": name, **scene}],
                                "cues": [{"scene": name, **cue}]}), encoding="utf-8")
    return path


def frames(lab, show, seconds):
    """The levels of each frame that `rustle light render` makes of a show, by the universe of olad."""
    path = show.with_suffix(".ndjson")
    ran_rustle = subprocess.run([lab.command, "light", "render", show, "-o", path, "--to", str(seconds)], capture_output=True,
                                text=True, check=False)
    expect_equal("the status of light render", (0, f"rustle: wrote {path}\n"), (ran_rustle.returncode, ran_rustle.stderr))
    rendered = {SACN_IN: [], ART_NET_IN: []}
    for line in path.read_text(encoding="utf-8").splitlines():
        change = json.loads(line)
        rendered[SACN_IN if change["protocol"] == "sacn" else ART_NET_IN].append(change["dmx"])
    return rendered


@contextmanager
def running(lab, show):
    """Runs a show into olad by both protocols."""
    with server(lab), lab.rustle("light", "run", show, "--interface", OUR_CABLE, "--output", "sacn:multicast", "--output",
                                 f"artnet:{PEERS}") as light:
        yield light
        expect_equal("the status of an interrupt", 130, light.interrupt())


def faded_show(lab):
    """olad shows a show by both protocols: its fade and its full light"""
    path = show_file(lab, "full", {"layers": [{"effect": "solid"}]}, fade_in={"seconds": 3})
    with running(lab, path):
        for universe in (SACN_IN, ART_NET_IN):
            until("a level of the fade", lambda universe=universe: any(0 < level < 255 for level in levels(universe)[:3]))
        for universe in (SACN_IN, ART_NET_IN):
            until("full light", lambda universe=universe: levels(universe)[:3] == [0, 255, 0])


def still_show(lab):
    """olad shows the levels that light render says of a still show, in every slot of both protocols"""
    layers = [{"effect": "solid", "palette": ["#ff6010"]}, {"effect": "follow", "parameters": {"x": 3, "y": 1}},
              {"effect": "solid", "palette": ["#2050e0"], "opacity": 0.7, "fixtures": {"ids": ["sacn rgbw-par", "artnet bar-16"]}}]
    path = show_file(lab, "still", {"layers": layers})
    wanted = frames(lab, path, 3)
    with running(lab, path):
        for universe, rendered in wanted.items():
            expect_equal("frames of a still show", 1, len(rendered))
            expect(len({*rendered[0]}) > 10, f"expected many levels, got {rendered[0]}")
            until("the rendered levels", lambda universe=universe, last=rendered[-1]: levels(universe) == last)


def moving_show(lab):
    """olad shows frames that light render makes of a moving show, in their order, and no others"""
    layers = [{"effect": "rainbow", "rate": {"beats": 28}}, {"effect": "circle", "rate": {"beats": 20}}]
    path = show_file(lab, "moving", {"layers": layers})
    wanted = frames(lab, path, 30)
    seen = {universe: [] for universe in wanted}

    def has_read_many():
        for universe, rendered in wanted.items():
            read = levels(universe)
            expect(read in rendered, f"universe {universe}: expected a rendered frame, got {read}")
            seen[universe].append(rendered.index(read))
        return all(len({*places}) >= 100 for places in seen.values())

    with running(lab, path):
        for universe in wanted:
            until("the first frame", lambda universe=universe: any(levels(universe)))
        until("a hundred frames", has_read_many, 20)
    for universe, places in seen.items():
        expect_equal(f"the order of the frames of universe {universe}", sorted(places), places)
    return " and ".join(f"{len({*seen[universe]})} of {len(rendered)} frames" for universe, rendered in wanted.items())


CHECKS = [receives, priority, sends, found, faded_show, still_show, moving_show]
