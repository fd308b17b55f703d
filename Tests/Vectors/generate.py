#!/usr/bin/env python3
"""Writes the vectors that the Rust and the Swift tests share, computed in double precision by numpy and scipy.

Usage: python3 generate.py        (writes the .txt files beside itself)

The format: lines of a key and its values; `case NAME` begins a case; lines with # in front are comments. Inputs are not
stored: `noise SEED LENGTH` is white noise that a few lines make in any language, see `noise` below.
"""

import pathlib

import numpy
import scipy
import scipy.signal

HERE = pathlib.Path(__file__).parent
WINDOWS = {"rectangular": "boxcar", "hann": "hann", "hamming": "hamming", "blackman": "blackman"}
SYMMETRIES = {"periodic": True, "symmetric": False}


def noise(seed, length):
    """Multiples of 2^-23 in -1 ..< 1 from the upper 24 bits of a 32-bit linear congruential generator."""
    samples, state = [], seed
    for _ in range(length):
        state = (state * 1664525 + 1013904223) % 2**32
        samples.append(((state >> 8) - 2**23) / 2**23)
    return numpy.array(samples)


def window(name, symmetry, length):
    return scipy.signal.get_window(WINDOWS[name], length, fftbins=SYMMETRIES[symmetry])


def numbers(values):
    return " ".join(f"{value:.10e}" for value in values)


def write(name, cases):
    head = f"# Made by generate.py with numpy {numpy.__version__} and scipy {scipy.__version__}.\n"
    (HERE / name).write_text(head + "".join(cases))


def window_cases():
    for name in WINDOWS:
        for symmetry in SYMMETRIES:
            for length in (1, 2, 5, 16, 64):
                values = window(name, symmetry, length)
                yield (
                    f"case {name}-{symmetry}-{length}\nwindow {name}\nsymmetry {symmetry}\nlength {length}\n"
                    f"coefficients {numbers(values)}\n"
                    f"sum {values.sum():.15e}\nsum_of_squares {(values**2).sum():.15e}\n"
                )


def fft_case(label, seed, length, size, name, symmetry, bins):
    frame = numpy.zeros(size)
    signal = noise(seed, length)[:size]
    frame[: len(signal)] = signal
    # The window spans the whole frame, also where the signal does not reach.
    magnitudes = numpy.abs(numpy.fft.rfft(frame * window(name, symmetry, size), size))
    power = numpy.sum(magnitudes**2)
    return (
        f"case {label}\nnoise {seed} {length}\nsize {size}\nwindow {name}\nsymmetry {symmetry}\n"
        f"bins {' '.join(map(str, bins))}\nmagnitudes {numbers(magnitudes[bins])}\nsum_of_squares {power:.12e}\n"
    )


def fft_cases():
    """Every bin of the small sizes, 33 bins of the large ones, and the sum of squares over all bins."""
    size = 64
    while size <= 65536:
        for name in WINDOWS:
            for symmetry in SYMMETRIES:
                step = 1 if size <= 256 else size // 64
                bins = list(range(0, size // 2 + 1, step))
                yield fft_case(f"{name}-{symmetry}-{size}", size, size, size, name, symmetry, bins)
        size *= 2


def padding_cases():
    """What numpy.fft.rfft(a, n) does with an `a` that is shorter or longer than n."""
    for size in (256, 512):
        for length in (1, 100, size - 1, size, size + 1, 2 * size):
            for name in ("rectangular", "hann"):
                bins = list(range(0, size // 2 + 1, 4))
                yield fft_case(f"{name}-{length}-of-{size}", 9, length, size, name, "periodic", bins)


def inverse_cases():
    """numpy.fft.irfft of noise as real and imaginary parts by turns."""
    size = 64
    while size <= 65536:
        parts = noise(size + 1, size + 2)
        samples = numpy.fft.irfft(parts[0::2] + 1j * parts[1::2], size)
        positions = list(range(0, size, 1 if size <= 256 else size // 64)) + [size - 1]
        yield (
            f"case inverse-{size}\nnoise {size + 1} {size + 2}\nsize {size}\n"
            f"positions {' '.join(map(str, positions))}\nsamples {numbers(samples[positions])}\n"
            f"sum_of_squares {numpy.sum(samples**2):.12e}\n"
        )
        size *= 2


PADDINGS = {"none": None, "zero": "constant", "reflect": "reflect"}


def padded(signal, padding, size):
    mode = PADDINGS[padding]
    return signal if mode is None else numpy.pad(signal, size // 2, mode=mode)


def starts(length, padding, size, hop):
    whole = length + (0 if PADDINGS[padding] is None else 2 * (size // 2))
    return range(0, whole - size + 1, hop)


def stft_cases():
    """Frames of a padded signal by numpy.fft.rfft; the first two, a middle one and the last are stored."""
    size = 64
    for length in (1, 20, 63, 64, 65, 100, 700):
        for hop in (1, 16, 100):
            for padding in PADDINGS:
                signal = padded(noise(length, length), padding, size)
                frames = [signal[at : at + size] for at in starts(length, padding, size, hop)]
                spectra = numpy.fft.rfft(numpy.array(frames).reshape(-1, size) * window("hann", "periodic", size))
                count = len(frames)
                chosen = sorted({0, 1, count // 2, count - 1} & set(range(count)))
                # All bins of the chosen frames, as real and imaginary parts by turns.
                parts = numpy.stack([spectra.real, spectra.imag], axis=2).reshape(count, size + 2)[chosen].ravel()
                yield (
                    f"case {padding}-{hop}-{length}\nnoise {length} {length}\nsize {size}\nhop {hop}\npadding {padding}\n"
                    f"count {count}\nchosen {' '.join(map(str, chosen))}\nbins {numbers(parts)}\n"
                    f"sum_of_squares {numpy.sum(numpy.abs(spectra)**2):.12e}\n"
                )


def istft_cases():
    """Noise as frames, back to a signal: the weighted frames overlapped, added, over the sum of the squared weights."""
    size = 64
    weights = window("hann", "periodic", size)
    for length in (64, 150):
        for hop in (1, 16, 33):
            for padding in PADDINGS:
                lead = 0 if PADDINGS[padding] is None else size // 2
                places = starts(length, padding, size, hop)
                parts = noise(length, len(places) * (size + 2)).reshape(-1, size + 2)
                signal, sums = numpy.zeros((2, length + size + 2 * lead))
                for at, row in zip(places, parts):
                    signal[at : at + size] += weights * numpy.fft.irfft(row[0::2] + 1j * row[1::2], size)
                    sums[at : at + size] += weights**2
                signal = numpy.divide(signal, sums, out=numpy.zeros_like(signal), where=sums > 1e-30)
                yield (
                    f"case {padding}-{hop}-{length}\nnoise {length} {parts.size}\nsize {size}\nhop {hop}\n"
                    f"padding {padding}\nsignal {numbers(signal[lead : lead + length])}\n"
                    f"weights {numbers(sums[lead : lead + length])}\n"
                )


write("windows.txt", window_cases())
write("fft.txt", fft_cases())
write("padding.txt", padding_cases())
write("inverse.txt", inverse_cases())
write("stft.txt", stft_cases())
write("istft.txt", istft_cases())
