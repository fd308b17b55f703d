"""Runs the checks with real peers, on the host of the peers: run.py RUSTLE FOLDER [WORD...]

With words, those checks whose names or texts have one of them. A line for each check; the last line is `N passed, N failed`.
"""

import sys
import time
import traceback

import artnet_checks
import bytes_checks
import link_checks
import ola_checks
import sacn_checks
from hosts import Lab, Unmet, connect

MODULES = [sacn_checks, artnet_checks, ola_checks, bytes_checks, link_checks]


def main():
    rustle, folder, *words = sys.argv[1:]
    connect()
    lab = Lab(rustle, folder)
    passed = failed = 0
    for module in MODULES:
        for check in module.CHECKS:
            text = f"{module.__doc__.split(':')[0]}: {check.__doc__}"
            if words and not any(word in f"{text} {check.__name__}" for word in words):
                continue
            start = time.monotonic()
            try:
                found = check(lab)
                passed += 1
                print(f"ok      {text}{f' ({found})' if found else ''}, {time.monotonic() - start:.1f} s", flush=True)
            except Unmet as unmet:
                failed += 1
                print(f"FAILED  {text}: {unmet}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {text}: {traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
