"""A member of a tempo session by PyPI's LinkPython-extern or aalink (the binary wheels): link_peer.py linkpython|aalink BPM

It takes commands on standard input, a line each: `tempo BPM`, `play 0|1`, `enable 0|1`, `share 0|1` (starts and stops),
`document BPM` (in a state of its own that it does not commit), `at MICROSECONDS`, `quit`; `at` prints a line of JSON with what it
has for that host time.
"""

import json
import sys


def linkpython(bpm):
    import link

    member = link.Link(bpm)
    member.startStopSyncEnabled = True
    member.enabled = True
    for line in sys.stdin:
        words = line.split()
        state = member.captureSessionState()
        now = member.clock().micros()
        if words[0] in ("tempo", "document"):
            state.setTempo(float(words[1]), now)
        elif words[0] == "play":
            state.setIsPlaying(words[1] == "1", now)
        elif words[0] == "enable":
            member.enabled = words[1] == "1"
        elif words[0] == "share":
            member.startStopSyncEnabled = words[1] == "1"
        elif words[0] == "at":
            at = int(words[1])
            answer = {"at": at, "phase": state.phaseAtTime(at, 4), "bpm": state.tempo(), "peers": member.numPeers(),
                      "playing": state.isPlaying()}
            print(json.dumps(answer), flush=True)
        else:
            break
        if words[0] in ("tempo", "play"):
            member.commitSessionState(state)
    member.enabled = False


def aalink(bpm):
    import asyncio

    import aalink as module

    async def run():
        loop = asyncio.get_running_loop()
        member = module.Link(bpm)
        member.enabled = True
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            words = line.split()
            if words[0] == "tempo":
                member.tempo = float(words[1])
            elif words[0] == "at":
                answer = {"at": int(words[1]), "bpm": member.tempo, "peers": member.num_peers}
                print(json.dumps(answer), flush=True)
            else:
                break
        member.enabled = False

    asyncio.run(run())


{"linkpython": linkpython, "aalink": aalink}[sys.argv[1]](float(sys.argv[2]))
