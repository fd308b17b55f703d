"""Runs the checks with real peers, on the host of the peers: run.py RUSTLE FOLDER [WORD...]

With words, those checks whose names or texts have one of them; a word that begins with = is the whole name of a check. A line for
each check; the last line is `N passed, N failed`. Checks of modules that are `APART` run beside each other, on hosts of their own.
"""

import concurrent.futures
import pathlib
import subprocess
import sys
import time
import traceback

import artnet_checks
import bluez_checks
import bytes_checks
import fixture_checks
import link_checks
import link_programs
import ola_checks
import sacn_checks
from hosts import Lab, Unmet, connect

MODULES = [sacn_checks, artnet_checks, ola_checks, bytes_checks, fixture_checks, bluez_checks, link_programs, link_checks]
# How many run beside each other; they wait nearly all of the time.
BESIDE = 6
# A network and a place for its names that only the check has.
HOSTS = ["unshare", "--net", "--mount", "sh", "-c", 'mount -t tmpfs none /run && mkdir /run/netns && exec "$@"', "hosts"]


def named(module, check):
    return f"{module.__name__}.{check.__name__}"


def run(lab, module, check):
    """Runs a check: returns whether it passed, and its line."""
    text = f"{module.__doc__.split(':')[0]}: {check.__doc__}"
    start = time.monotonic()
    try:
        found = check(lab)
        return True, f"ok      {text}{f' ({found})' if found else ''}, {time.monotonic() - start:.1f} s"
    except Unmet as unmet:
        return False, f"FAILED  {text}: {unmet}"
    except Exception:
        return False, f"FAILED  {text}: {traceback.format_exc()}"


def run_apart(lab, module, check):
    """As run, in a process of its own."""
    folder = pathlib.Path(lab.folder, named(module, check))
    folder.mkdir()
    command = [*HOSTS, sys.executable, __file__, lab.command, str(folder), f"={named(module, check)}"]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    # The last line is of the numbers.
    lines = result.stdout.splitlines()[:-1] or [f"FAILED  {named(module, check)}: status {result.returncode}"]
    return result.returncode == 0, "\n".join(lines)


def main():
    rustle, folder, *words = sys.argv[1:]
    only = words[0][1:] if words and words[0].startswith("=") else None

    def is_wanted(module, check):
        if only:
            return named(module, check) == only
        text = f"{module.__doc__.split(':')[0]}: {check.__doc__} {check.__name__}"
        return not words or any(word in text for word in words)

    connect()
    lab = Lab(rustle, folder)
    wanted = [(module, check) for module in MODULES for check in module.CHECKS if is_wanted(module, check)]
    is_apart = lambda one: not only and getattr(one[0], "APART", False)
    results = []

    def report(result):
        results.append(result[0])
        print(result[1], flush=True)

    for one in wanted:
        if not is_apart(one):
            report(run(lab, *one))
    with concurrent.futures.ThreadPoolExecutor(BESIDE) as pool:
        for result in pool.map(lambda one: run_apart(lab, *one), filter(is_apart, wanted)):
            report(result)
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
