"""The Cramér-Rao bound of a pitch: how exact any unbiased estimate from one window can be."""

import numpy as np

# The bound depends a little on where the window lies in the period; the mean over this many places is taken.
PLACES = 4


def cents_bound(frequency, partials, deviation, window, rate):
    """The standard deviation in cents of an efficient estimate from `window` samples of partials [k, amplitude, phase] in
    white noise of standard deviation `deviation`, where each partial's amplitude and phase are unknown too.

    The Fisher matrix is that of the model x(t) = Σ c_k cos(k w t) + s_k sin(k w t); what the frequency's derivative has beyond
    the span of the others decides. For one sine and many periods it is sqrt(12 / (SNR N (N² − 1))) of a radian per sample
    (D. Rife and R. Boorstyn, 1974).
    """
    t = (np.arange(window) - (window - 1) / 2) / rate
    angles = 2 * np.pi * frequency * np.outer([k for k, _, _ in partials], t)
    nuisance = np.concatenate([np.cos(angles), np.sin(angles)]).T
    basis, _ = np.linalg.qr(nuisance)
    found = []
    for place in range(PLACES):
        turn = 2 * np.pi * frequency * (window / 2 / rate + place / PLACES / frequency)
        slope = np.zeros(window)
        for (k, amplitude, phase), angle in zip(partials, angles):
            slope += amplitude * 2 * np.pi * k * t * np.cos(angle + phase + k * turn)
        own = slope - basis @ (basis.T @ slope)
        found.append(deviation / np.sqrt(own @ own))
    return float(np.mean(found)) / frequency * 1200 / np.log(2)
