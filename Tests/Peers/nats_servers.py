"""nats-servers of a test on the loopback device, and the little of their protocol that a test needs."""

import json
import pathlib
import signal
import socket
import subprocess
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(is_true, what, seconds=120):
    """Waits for a state; the time is a limit for a machine that is slow."""
    end = time.monotonic() + seconds
    while not (value := is_true()):
        if time.monotonic() > end:
            raise AssertionError(f"expected {what} within {seconds} s")
        time.sleep(0.02)
    return value


class Server:
    """One server, alone or of a cluster."""

    def __init__(self, folder, name="a", port=None, routes=(), options=(), host="127.0.0.1"):
        self.port, self.name, self.host = port or free_port(), name, host
        self.arguments = ["nats-server", "-a", host, "-p", str(self.port), "-js", "-sd", str(pathlib.Path(folder) / name),
                          "-n", name, *options]
        if routes:
            own, others = routes
            self.arguments += ["--cluster", f"nats://127.0.0.1:{own}", "--cluster_name", "rustle", "--routes",
                               ",".join(f"nats://127.0.0.1:{other}" for other in others)]
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def url(self, prefix):
        return f"nats://{self.host}:{self.port}/{prefix}"

    def request(self, subject, body="", seconds=5):
        """The answer to a request as JSON; None without one."""
        try:
            with socket.create_connection((self.host, self.port), timeout=seconds) as link:
                file = link.makefile("rwb")
                file.readline()
                file.write(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB _INBOX.test 1\r\n')
                file.write(f"PUB {subject} _INBOX.test {len(body)}\r\n{body}\r\n".encode())
                file.flush()
                while line := file.readline():
                    words = line.split()
                    if words[0] == b"PING":
                        file.write(b"PONG\r\n")
                        file.flush()
                    elif words[0] == b"MSG":
                        return json.loads(file.read(int(words[-1])))
                    elif words[0] == b"HMSG":
                        return None
        except (OSError, ValueError, IndexError):
            return None
        return None


def cluster(folder):
    """Three servers."""
    routes = [free_port() for _ in range(3)]
    return [Server(folder, name, routes=(own, [port for port in routes if port != own]))
            for name, own in zip("abc", routes)]


def stop(servers):
    for server in servers:
        if server.process.poll() is None:
            server.send(signal.SIGCONT)
            server.kill()
