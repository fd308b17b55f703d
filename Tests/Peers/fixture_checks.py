"""fixtures: pygdtf, pymvr and Python's parser of XML read the same in the files that `rustle fixture import` reads."""

import concurrent.futures
import json
import pathlib
import random
import subprocess
import zipfile
from xml.etree import ElementTree

import numpy
import pygdtf
import pymvr
from hosts import expect, expect_equal

ROOT = pathlib.Path(__file__).parents[2]
DEVICE = ROOT / "rust/shows/tests/fixtures/small-device.xml"
QLCPLUS = pathlib.Path("/usr/share/qlcplus/fixtures")
IDENTITY = "{1,0,0,0}{0,1,0,0}{0,0,1,0}{0,0,0,1}"
# Attributes of GDTF, and what they are in our profiles.
ATTRIBUTES = {"Dimmer": "dimmer", "ColorAdd_R": "red", "ColorAdd_G": "green", "ColorAdd_B": "blue", "ColorAdd_W": "white",
              "ColorAdd_UV": "ultraviolet", "Pan": "pan", "Tilt": "tilt", "Zoom": "zoom", "Iris": "iris"}


def imported(lab, path):
    """Runs `rustle fixture import`: returns the JSON and the notes."""
    run = subprocess.run([lab.command, "fixture", "import", path], capture_output=True, text=True, check=False)
    expect_equal(f"the status of the import of {path} ({run.stderr})", 0, run.returncode)
    return json.loads(run.stdout), run.stderr


def archive(path, files):
    """Writes a ZIP archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            written.writestr(name, content)
    return path


def device(seed):
    """The description of a device with random modes: cells at references, channels of 8 to 24 bits, virtual ones, holes."""
    draw = random.Random(seed)
    cells = draw.randint(1, 6)
    modes = []
    for mode in range(draw.randint(1, 4)):
        slots = iter(range(1, 400))
        channels = []

        def add(attribute, geometry, offset, dmx_break=1, channels=channels):
            function = f'<ChannelFunction Name="F" Attribute="{attribute}" DMXFrom="0/1" Default="0/1"/>'
            channels.append(f'<DMXChannel DMXBreak="{dmx_break}" Offset="{offset}" Highlight="None" Geometry="{geometry}">'
                            f'<LogicalChannel Attribute="{attribute}">{function}</LogicalChannel></DMXChannel>')

        for attribute in draw.sample(["Dimmer", "Pan", "Tilt", "Zoom", "Iris", "Gobo1", "Shutter1", "Frost1"], draw.randint(1, 8)):
            for _ in range(draw.choice([0, 0, 0, 1])):
                next(slots)
            offset = ",".join(str(next(slots)) for _ in range(draw.randint(1, 3)))
            add(attribute, draw.choice(["Base", "Head"]), draw.choice([offset] * 6 + ["None", ""]))
        colors = [f"ColorAdd_{color}" for color in draw.sample(["R", "G", "B", "W", "UV"], draw.randint(1, 5))]
        width = draw.randint(1, 2)
        for place, color in enumerate(colors):
            offset = ",".join(str(place * width + byte + 1) for byte in range(width))
            add(color, f"Cell {mode}", offset, "Overwrite")
        first = next(slots)
        stride = len(colors) * width + draw.choice([0, 0, 1])
        references = "".join(f'<GeometryReference Name="C{cell}" Geometry="Cell {mode}" Position="{IDENTITY}">'
                             f'<Break DMXBreak="1" DMXOffset="{first + cell * stride}"/></GeometryReference>' for cell in range(cells))
        modes.append((references, "".join(channels)))
    bases = "".join(f'<Geometry Name="Base {mode}" Position="{IDENTITY}"><Axis Name="Base" Position="{IDENTITY}"><Axis Name="Head" '
                    f'Position="{IDENTITY}">{references}</Axis></Axis></Geometry><Geometry Name="Cell {mode}" Position="{IDENTITY}">'
                    f'<Beam Name="Lens {mode}" BeamAngle="20" Position="{IDENTITY}"/></Geometry>'
                    for mode, (references, _) in enumerate(modes))
    written = "".join(f'<DMXMode Name="Mode {mode}" Geometry="Base {mode}"><DMXChannels>{channels}</DMXChannels></DMXMode>'
                      for mode, (_, channels) in enumerate(modes))
    return (f'<GDTF DataVersion="1.2"><FixtureType Name="Random {seed}" Manufacturer="Nobody" ShortName="R" LongName="R" '
            'Description="" FixtureTypeID="3F2504E0-4F89-41D3-9A0C-0305E82C3301"><AttributeDefinitions><ActivationGroups/>'
            '<FeatureGroups/><Attributes/></AttributeDefinitions><Wheels/><PhysicalDescriptions/><Models/>'
            f'<Geometries>{bases}</Geometries><DMXModes>{written}</DMXModes></FixtureType></GDTF>')


def gdtf_devices(lab):
    """pygdtf reads the same modes, footprints, attributes and offsets in GDTF"""
    descriptions = [DEVICE.read_text(encoding="utf-8"), *(device(seed) for seed in range(40))]
    channels = modes = 0
    for number, description in enumerate(descriptions):
        path = archive(lab.folder / f"device-{number}.gdtf", {"description.xml": description})
        theirs = pygdtf.FixtureType(str(path))
        ours, notes = imported(lab, path)
        # A fixture of ours has one address.
        wanted = [mode for mode in theirs.dmx_modes if len(mode.dmx_breaks) == 1]
        expect_equal("modes", [mode.name for mode in wanted], [mode["name"] for mode in ours["modes"]])
        for left_out in theirs.dmx_modes:
            expect(left_out in wanted or f'"{left_out.name}": left out' in notes, f"expected a note on {left_out.name}, got {notes}")
        for their, our in zip(wanted, ours["modes"], strict=True):
            name = f"{ours['name']}, {their.name}"
            expect_equal(f"footprint of {name}", their.dmx_channels_count, max(max(each["slots"]) for each in our["channels"]))
            their_channels = sorted((each.offset, str(each.attribute)) for each in their.dmx_channels
                                    if each.offset and str(each.attribute) != "NoFeature")
            our_channels = sorted((each["slots"], each["attribute"]) for each in our["channels"] if each["attribute"] != "unused")
            expect_equal(f"offsets of {name}", [each[0] for each in their_channels], [each[0] for each in our_channels])
            for (_, wanted_attribute), (_, attribute) in zip(their_channels, our_channels, strict=True):
                expect_equal(f"attribute in {name}", ATTRIBUTES.get(wanted_attribute, attribute), attribute)
            channels += len(our_channels)
        modes += len(wanted)
    return f"{len(descriptions)} devices, {modes} modes, {channels} channels"


def turned(draw):
    """A random rotation as rows of the axes, in the text of a matrix with a random origin."""
    axes, _ = numpy.linalg.qr(numpy.array([[draw.gauss(0, 1) for _ in range(3)] for _ in range(3)]))
    if numpy.linalg.det(axes) < 0:
        axes[2] = -axes[2]
    origin = [draw.uniform(-20_000, 20_000) for _ in range(3)]
    return "".join("{" + ",".join(f"{value:.9f}" for value in row) + "}" for row in [*axes, origin])


def scene(draw):
    """The description of a scene with fixtures in layers, and in groups within groups."""
    numbers = iter(range(1, 1_000))

    def fixture():
        number = next(numbers)
        address = draw.choice([str(draw.randint(1, 10 * 512)), f"{draw.randint(1, 10)}.{draw.randint(1, 495)}"])
        return (f'<Fixture name="Wash {number}" uuid="8BF13DD7-CBF3-415B-99E4-{number:012}"><Matrix>{turned(draw)}</Matrix>'
                f'<GDTFSpec>Nobody@Small.gdtf</GDTFSpec><GDTFMode>{draw.choice(["Cells", "One slot"])}</GDTFMode><Addresses>'
                f'<Address break="0">{address}</Address></Addresses><FixtureID>{number}</FixtureID></Fixture>')

    def children(depth):
        inner = "".join(fixture() for _ in range(draw.randint(1, 4)))
        for group in range(draw.randint(0, 2) if depth else 0):
            matrix = f"<Matrix>{turned(draw)}</Matrix>" if draw.random() < 0.8 else ""
            inner += (f'<GroupObject name="g{group}" uuid="8BF13DD7-CBF3-415B-99E5-{draw.randint(0, 10 ** 9):012}">{matrix}'
                      f"{children(depth - 1)}</GroupObject>")
        return f"<ChildList>{inner}</ChildList>"

    layers = "".join(f'<Layer name="Layer {layer}" uuid="8BF13DD7-CBF3-415B-99E6-{layer:012}">{children(3)}</Layer>'
                     for layer in range(draw.randint(1, 3)))
    return ('<?xml version="1.0"?><GeneralSceneDescription verMajor="1" verMinor="6"><UserData/><Scene><Layers>'
            f"{layers}</Layers></Scene></GeneralSceneDescription>")


def placed(matrix, within):
    """The matrix of an object in the venue: pymvr reads that within the group."""
    own = numpy.array([row[:3] for row in matrix.matrix], float)
    axes, origin = within
    return own[:3] @ axes, own[3] @ axes + origin


def fixtures_of(children, place, layer):
    """The fixtures of a list of pymvr with their places in the venue and their layer."""
    found = [(fixture, placed(fixture.matrix, place), layer) for fixture in children.fixtures]
    for group in children.group_objects:
        found += fixtures_of(group.child_list, placed(group.matrix, place), layer)
    return found


def rotation(degrees):
    """The axes of a rotation around x, then y, then z, as rows."""
    (sx, sy, sz), (cx, cy, cz) = numpy.sin(numpy.radians(degrees)), numpy.cos(numpy.radians(degrees))
    around = [[[1, 0, 0], [0, cx, sx], [0, -sx, cx]], [[cy, 0, -sy], [0, 1, 0], [sy, 0, cy]], [[cz, sz, 0], [-sz, cz, 0], [0, 0, 1]]]
    return numpy.linalg.multi_dot([numpy.array(one) for one in around])


def mvr_scenes(lab):
    """pymvr reads the same fixtures, modes, addresses, positions and rotations in MVR"""
    small = archive(lab.folder / "small.gdtf", {"description.xml": DEVICE.read_text(encoding="utf-8")}).read_bytes()
    count = 0
    for seed in range(20):
        path = archive(lab.folder / f"scene-{seed}.mvr",
                       {"GeneralSceneDescription.xml": scene(random.Random(seed)), "Nobody@Small.gdtf": small})
        ours, _ = imported(lab, path)
        with pymvr.GeneralSceneDescription(str(path)) as read:
            theirs = [found for layer in read.scene.layers
                      for found in fixtures_of(layer.child_list, (numpy.eye(3), numpy.zeros(3)), layer.name)]
        by_id = {fixture["id"]: fixture for fixture in ours["fixtures"]}
        expect_equal("ids", sorted(int(fixture.fixture_id) for fixture, _, _ in theirs), sorted(by_id))
        for fixture, (axes, origin), layer in theirs:
            our = by_id[int(fixture.fixture_id)]
            address = fixture.addresses.addresses[0]
            expect_equal(f"{our['name']}: name, mode, universe, address, layer",
                         (fixture.name, fixture.gdtf_mode, str(address.universe), address.address, layer),
                         (our["name"], our["mode"], str(our["universe"]), our["address"], our["group"]))
            expect(numpy.allclose(origin / 1_000, our["position"], atol=1e-6),
                   f"{our['name']}: expected the position {origin / 1_000} in metres, got {our['position']}")
            expect(numpy.allclose(axes, rotation(our["rotation"]), atol=1e-5),
                   f"{our['name']}: expected the axes {axes}, got a rotation of {our['rotation']}")
            count += 1
    return f"{count} fixtures"


def qxf_definitions(lab):
    """Python's parser of XML reads the same names, modes and numbers of channels in all definitions of QLC+"""
    paths = sorted(QLCPLUS.rglob("*.qxf"))
    expect(len(paths) > 1_000, f"expected the definitions of qlcplus-data in {QLCPLUS}, got {len(paths)}")

    def check(path):
        root = ElementTree.parse(path).getroot()
        name = "{" + root.tag[1:].partition("}")[0] + "}"
        modes = [(mode.get("Name"), len(mode.findall(f"{name}Channel"))) for mode in root.findall(f"{name}Mode")]
        run = subprocess.run([lab.command, "fixture", "import", path], capture_output=True, text=True, check=False)
        if run.returncode:
            expect_equal("status", 65, run.returncode)
            expect(f"{path}: " in run.stderr and "expected" in run.stderr, f"expected a reason, got {run.stderr}")
            return 0, 0
        ours = json.loads(run.stdout)
        slots = lambda mode: max(slot for channel in mode["channels"] for slot in channel["slots"])
        got = [(mode["name"], slots(mode)) for mode in ours["modes"]]
        expect_equal(f"the name and the modes of {path}",
                     (f"{root.findtext(f'{name}Manufacturer')} {root.findtext(f'{name}Model')}".strip(), modes), (ours["name"], got))
        return 1, len(modes)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        read = list(pool.map(check, paths))
    count, modes = (sum(each) for each in zip(*read, strict=True))
    expect(count >= 0.98 * len(paths), f"expected 98 % of {len(paths)} definitions, got {count}")
    return f"{count} of {len(paths)} definitions, {modes} modes"


CHECKS = [gdtf_devices, mvr_scenes, qxf_definitions]
