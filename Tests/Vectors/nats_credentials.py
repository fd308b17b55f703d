"""Writes the JWTs of an operator, its account and a user of NATS, signed with Ed25519 by fixed keys: nats_credentials.py > FILE.swift

They are NATS' tokens of version 2 (nats-io/jwt, nats-io/nkeys) and do not expire. The user of the second credentials is not of the account
that the operator has signed. Needs Python's cryptography.
"""

import base64
import hashlib
import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

# The first bytes of nkeys, which make the letters O, A, U and S of their texts.
OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3


def crc16(data):
    """CRC-16/XMODEM."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021) & 0xFFFF if crc & 0x8000 else crc << 1 & 0xFFFF
    return crc


def text(data):
    return base64.b32encode(data + crc16(data).to_bytes(2, "little")).decode().rstrip("=")


class Key:
    def __init__(self, name, kind):
        self.kind, self.secret = kind, hashlib.sha256(f"a test's {name}".encode()).digest()
        self.private = Ed25519PrivateKey.from_private_bytes(self.secret)

    @property
    def public(self):
        return text(bytes([self.kind]) + self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    @property
    def seed(self):
        return text(bytes([SEED | self.kind >> 5, (self.kind & 31) << 3]) + self.secret)

    def sign(self, subject, name, **claims):
        """A JWT about a key, signed by this one."""
        def part(value):
            return base64.urlsafe_b64encode(value).rstrip(b"=")
        body = {"iat": 1_700_000_000, "iss": self.public, "name": name, "sub": subject.public, "nats": {"version": 2, **claims}}
        body["jti"] = base64.b32encode(hashlib.sha256(json.dumps(body).encode()).digest()).decode().rstrip("=")
        signed = b".".join(part(json.dumps(value, separators=(",", ":")).encode()) for value in ({"typ": "JWT", "alg": "ed25519-nkey"}, body))
        return (signed + b"." + part(self.private.sign(signed))).decode()


def credentials(user, account):
    token = account.sign(user, "user", type="user", subs=-1, data=-1, payload=-1)
    return [
        "-----BEGIN NATS USER JWT-----", token, "------END NATS USER JWT------", "", "-----BEGIN USER NKEY SEED-----", user.seed,
        "------END USER NKEY SEED------", ""]


def main():
    operator, account, other = Key("operator", OPERATOR), Key("account", ACCOUNT), Key("other account", ACCOUNT)
    user, stranger = Key("user", USER), Key("stranger", USER)
    limits = {"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1}
    texts = {
        "operatorToken": [operator.sign(operator, "operator", type="operator")],
        "account": [account.public],
        "accountToken": [operator.sign(account, "account", type="account", limits=limits)],
        "user": credentials(user, account),
        "stranger": credentials(stranger, other),
    }
    print("// Written by Tests/Vectors/nats_credentials.py.\n\n/// Signed tokens of NATS, of keys that are used in tests alone.\nenum TestCredentials {")
    for index, (name, lines) in enumerate(texts.items()):
        whole = "\n".join(lines)
        pieces = [piece for line in whole.splitlines(keepends=True) for piece in (line[place:place + 100] for place in range(0, len(line), 100))]
        print("\n" * (index > 0) + f"  static let {name}: String = [")
        for piece in pieces:
            print("    " + json.dumps(piece) + ("," if len(pieces) > 1 else ""))
        print("  ].joined()")
    print("}")


if __name__ == "__main__":
    main()
