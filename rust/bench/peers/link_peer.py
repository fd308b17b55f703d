"""A member of a tempo session by PyPI's LinkPython-extern (the binary wheel only), with the commands of the example link_peer."""

import sys

import link


def main():
    member = link.Link(float(sys.argv[1]) if len(sys.argv) > 1 else 120.0)
    member.startStopSyncEnabled = True
    member.enabled = True
    for line in sys.stdin:
        words = line.split()
        state = member.captureSessionState()
        now = member.clock().micros()
        if words[0] == "tempo":
            state.setTempo(float(words[1]), now)
            member.commitSessionState(state)
        elif words[0] == "play":
            state.setIsPlaying(words[1] == "1", now)
            member.commitSessionState(state)
        elif words[0] == "enable":
            member.enabled = words[1] == "1"
        elif words[0] == "at":
            at = int(words[1])
            playing = int(state.isPlaying())
            print(f"{at} {state.phaseAtTime(at, 4):.6f} {state.tempo():.6f} {member.numPeers()} {playing}", flush=True)
        elif words[0] == "quit":
            break
    member.enabled = False


main()
