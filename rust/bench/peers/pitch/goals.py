"""The goals of this package's tracker, by class."""

import dataclasses
import math

MIDDLE = tuple(f"A{octave}" for octave in range(1, 7))
OUTER = ("A0", "A7")


@dataclasses.dataclass
class Goal:
    """`measure` of the clips of `kind`, of `notes` where given, is at most `limit`; "rpa" is at least."""

    kind: str
    measure: str
    limit: float
    notes: tuple | None = None

    def met(self, value):
        # Without a value the goal is missed: a tracker that reports no pitch makes no errors.
        if math.isnan(value):
            return False
        return value >= self.limit if self.measure == "rpa" else value <= self.limit

    def where(self):
        if self.notes is None:
            return self.kind
        return f"{self.kind} {self.notes[0]}{'..' if len(self.notes) > 2 else ', '}{self.notes[-1]}"


def goals():
    listed = []
    for kind in ("sine", "harmonic", "missing_f0", "weak_f0"):
        listed += [Goal(kind, "p95", 0.1, MIDDLE), Goal(kind, "gross", 0, MIDDLE), Goal(kind, "missing", 0, MIDDLE),
                   Goal(kind, "p95", 1, OUTER), Goal(kind, "gross", 0, OUTER)]
    for kind in ("harmonic", "sine"):
        for level in (40, 20, 10):
            listed += [Goal(f"{kind}_snr{level}", "ratio", 2, MIDDLE), Goal(f"{kind}_snr{level}", "gross", 0),
                       Goal(f"{kind}_snr{level}", "missing", 5)]
    listed += [Goal("harmonic_snr0", "gross", 0.5), Goal("sine_snr0", "gross", 1.5),
               Goal("inharmonic", "median", 0.1), Goal("inharmonic", "p95", 0.8), Goal("inharmonic", "missing", 5)]
    for kind in ("vibrato", "glide"):
        listed += [Goal(f"{kind} at 2048", "median", 0.5), Goal(kind, "median", 2)]
    listed += [Goal("instruments", "rpa", 99.5), Goal("instruments", "gross", 0.2), Goal("instruments", "missing", 0.3),
               Goal("instruments", "octave", 0.1),
               # "None", rounded to one decimal.
               Goal("speech_world", "rpa", 92), Goal("speech_world", "vfa", 10), Goal("speech_world", "gross", 1.5),
               Goal("speech_world", "octave", 0.05)]
    # Harder sets, by the same limits.
    listed += [Goal("more_instruments", measure, limit)
               for measure, limit in (("rpa", 99.5), ("gross", 0.2), ("missing", 0.3), ("octave", 0.1))]
    listed += [Goal("speech_world_rough", measure, limit)
               for measure, limit in (("rpa", 92), ("vfa", 10), ("gross", 1.5), ("octave", 0.05))]
    listed += [Goal("silence", "vfa", 0), Goal("lsb", "vfa", 0)]
    listed += [Goal(kind, "vfa", 1) for kind in ("white", "pink", "brown", "clicks")]
    for kind in ("quiet", "clipped", "dc", "hum", "thin", "uneven"):
        listed += [Goal(kind, "gross", 0), Goal(kind, "p95", 1), Goal(kind, "missing", 1)]
    return listed


# CPU seconds per second of sound, at 4096 samples and a hop of 512.
REAL_TIME_FACTOR = 0.005
