"""Measures 28 biquads, fourteen on each channel of a stereo signal, in scipy and in pedalboard, on request.

Standard input: a line `RATE FRAMES`, a line of fourteen centre frequencies in Hz, a line of 28 gains in dB, left and then
right, and FRAMES left and right samples by turns as little-endian 32-bit floats. Then lines

    PEER BLOCK BLOCKS noise|silence REPEATS

A job takes BLOCKS blocks of BLOCK frames: of noise, each job those that follow in the signal; of silence from a fresh state,
after one block of noise. The answer is a line: the mean time of a job in ns. Channels lie apart, as these libraries want
them, and are put so before the clock runs.
"""

import sys
import time

import numpy
import pedalboard
import scipy
from scipy.signal import sosfilt


def peaking(rate, centre, gain):
    """Numerator and denominator of a peaking filter of one octave, by R. Bristow-Johnson's cookbook."""
    w = 2 * numpy.pi * centre / rate
    alpha = numpy.sin(w) * numpy.sinh(numpy.log(2) / 2 * w / numpy.sin(w))
    a = 10 ** (gain / 40)
    coefficients = numpy.array([1 + alpha * a, -2 * numpy.cos(w), 1 - alpha * a,
                                1 + alpha / a, -2 * numpy.cos(w), 1 - alpha / a])
    return coefficients / coefficients[3]


class Scipy:
    """`sosfilt` for each channel, with sections and samples of one type."""

    def __init__(self, rate, centres, gains, kind):
        self.sections = [numpy.array([peaking(rate, centre, gain) for centre, gain in zip(centres, half)]).astype(kind)
                         for half in (gains[:14], gains[14:])]
        self.kind = kind
        self.reset()

    def reset(self):
        self.states = [numpy.zeros((14, 2), self.kind) for _ in self.sections]

    def process(self, block):
        for channel, sections in enumerate(self.sections):
            _, self.states[channel] = sosfilt(sections, block[channel], zi=self.states[channel])


class Pedalboard:
    """One chain for both channels, which has the left gains: it cannot have others on the right."""

    kind = numpy.float32

    def __init__(self, rate, centres, gains):
        self.rate = rate
        # Its filters are the cookbook's by Q; the square root of 2 is an octave.
        self.board = pedalboard.Pedalboard([pedalboard.PeakFilter(centre, gain, 2 ** 0.5)
                                            for centre, gain in zip(centres, gains)])

    def reset(self):
        self.board.reset()

    def process(self, block):
        self.board.process(block, self.rate, buffer_size=block.shape[1], reset=False)


class Peer:
    """A peer with the signal in the form that it wants."""

    def __init__(self, way, signal):
        self.way = way
        self.signal = signal.astype(way.kind)
        self.position = 0
        self.blocks = {}

    def noise(self, length):
        """The next block of the signal."""
        if length not in self.blocks:
            count = self.signal.shape[1] // length
            self.blocks[length] = [numpy.ascontiguousarray(self.signal[:, k * length:(k + 1) * length]) for k in range(count)]
        self.position += 1
        return self.blocks[length][self.position % len(self.blocks[length])]

    def time(self, length, count, silent, repeats):
        """The mean time of a job in ns."""
        total = 0
        for _ in range(repeats):
            blocks = [self.noise(length) for _ in range(count)]
            if silent:
                self.way.reset()
                blocks[1:] = [numpy.zeros((2, length), self.way.kind)] * (count - 1)
            start = time.perf_counter_ns()
            for block in blocks:
                self.way.process(block)
            total += time.perf_counter_ns() - start
        return total / repeats


def main():
    stdin = sys.stdin.buffer
    rate, frames = (int(word) for word in stdin.readline().split())
    centres = [float(word) for word in stdin.readline().split()]
    gains = [float(word) for word in stdin.readline().split()]
    signal = numpy.frombuffer(stdin.read(8 * frames), "<f4").reshape(-1, 2).T
    peers = {
        "scipy-f64": Peer(Scipy(rate, centres, gains, numpy.float64), signal),
        "scipy-f32": Peer(Scipy(rate, centres, gains, numpy.float32), signal),
        "pedalboard": Peer(Pedalboard(rate, centres, gains), signal),
    }
    print(f"scipy {scipy.__version__}, pedalboard {pedalboard.__version__}", flush=True)
    for line in stdin:
        peer, length, count, kind, repeats = line.decode().split()
        print(peers[peer].time(int(length), int(count), kind == "silence", int(repeats)), flush=True)


main()
