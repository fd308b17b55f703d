"""nats-servers of a test on the loopback device, and the little of their protocol that a test needs."""

import contextlib
import json
import pathlib
import signal
import socket
import subprocess
import threading
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


class Liar:
    """A server whose stream stores nothing, and gives each message the greatest number."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.answers = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def url(self, prefix):
        return f"nats://127.0.0.1:{self.listener.getsockname()[1]}/{prefix}"

    def serve(self):
        link, _ = self.listener.accept()
        file, inboxes = link.makefile("rwb"), {}
        file.write(b'INFO {"server_id":"L","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}\r\n')
        file.flush()
        while line := file.readline():
            words = line.decode().split()
            if words[0] == "PING":
                file.write(b"PONG\r\n")
            elif words[0] == "SUB":
                inboxes[words[1].rstrip("*")] = words[-1]
            elif words[0] in ("PUB", "HPUB"):
                file.read(int(words[-1]) + 2)
                reply = words[2]
                number = next((number for inbox, number in inboxes.items() if reply.startswith(inbox)), None)
                if number:
                    text = '{"stream":"rustle-p", "seq":18446744073709551615}'
                    file.write(f"MSG {reply} {number} {len(text)}\r\n{text}\r\n".encode())
                    self.answers += 1
            file.flush()


class Elections:
    """When a stream has got a leader, as servers say within `with`."""

    def __init__(self, servers, stream):
        self.links, self.times = [], []
        for server in servers:
            link = socket.create_connection((server.host, server.port))
            file = link.makefile("rwb")
            file.readline()
            file.write(f'CONNECT {{"verbose":false}}\r\nSUB $JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.{stream} 1\r\nPING\r\n'.encode())
            file.flush()
            while file.readline() != b"PONG\r\n":
                pass
            self.links.append((link, file))

    def __enter__(self):
        self.readers = [threading.Thread(target=self.read, args=[file], daemon=True) for _, file in self.links]
        for reader in self.readers:
            reader.start()
        return self

    def read(self, file):
        try:
            while line := file.readline():
                if line.startswith(b"PING"):
                    file.write(b"PONG\r\n")
                    file.flush()
                elif line.startswith(b"MSG"):
                    file.read(int(line.split()[-1]) + 2)
                    self.times.append(time.monotonic())
        except (OSError, ValueError):
            pass

    def __exit__(self, *_):
        for link, _ in self.links:
            # The server may have closed it already.
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
        for reader in self.readers:
            reader.join()
        for link, file in self.links:
            with contextlib.suppress(OSError):
                file.close()
            link.close()


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
