"""A provider of OpenID Connect that lies as a test wants."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time
import urllib.parse

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

CLIENT, SECRET, ACCESS = "studio", "a secret/of it", "access-Zmx1ZmZ5"
BASIC, POST = "client_secret_basic", "client_secret_post"
KEYS = {"RS256": lambda kid: RSAKey.generate_key(2048, {"kid": kid, "use": "sig"}),
        "ES256": lambda kid: ECKey.generate_key("P-256", {"kid": kid, "use": "sig"})}


class Liar:
    """Issues one code for each request that it is sent, and a token that `lie` changes.

    Its algorithm is that of the tokens, `authentication` what it asks of its client; without discovery the addresses have to be configured.
    """

    def __init__(self, algorithm="RS256", authentication=BASIC, has_discovery=True):
        self.algorithm, self.authentication, self.has_discovery = algorithm, authentication, has_discovery
        self.key, self.wrong = KEYS[algorithm]("one"), KEYS[algorithm]("one")
        # Its own as well.
        [self.other] = KEYS.keys() - {algorithm}
        self.other_key = KEYS[self.other]("other")
        self.lie, self.subject, self.key_requests = None, "7", 0
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                provider.get(self)

            def do_POST(self):
                provider.post(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}/o"
        self.endpoints = {"authorization_endpoint": f"{self.issuer}/authorize?a=b", "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys"}
        self.configuration = {"name": "Test", "issuer": self.issuer, "client": CLIENT, "secret": SECRET, "algorithm": algorithm,
                              "authentication": authentication, "endpoints": None if has_discovery else self.endpoints}
        self.codes = {}
        # What nobody else is to know.
        self.secrets = {SECRET, ACCESS}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def authorize(self, location):
        """What a browser that follows the redirection is sent back with."""
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlparse(location).query))
        assert query["response_type"] == "code" and query["client_id"] == CLIENT and query["code_challenge_method"] == "S256"
        assert query["scope"].split()[0] == "openid"
        code = base64.urlsafe_b64encode(hashlib.sha256(query["state"].encode()).digest()).decode()
        self.codes[code] = query
        self.secrets |= {code, query["state"], query["nonce"]}
        return {"code": code, "state": query["state"]}

    def get(self, request):
        if self.has_discovery and request.path == "/o/.well-known/openid-configuration":
            # With another issuer it is not the one that was asked.
            issuer = self.issuer + "/" if self.lie == "discovery" else self.issuer
            return answer(request, {"issuer": issuer, **self.endpoints})
        if request.path.startswith("/o/authorize?"):
            location = f"{self.issuer}{request.path[2:]}"
            query = urllib.parse.urlencode(self.authorize(location))
            request.send_response(302)
            request.send_header("Location", dict(urllib.parse.parse_qsl(urllib.parse.urlparse(location).query))["redirect_uri"] + f"?{query}")
            request.end_headers()
            return None
        if request.path == "/o/keys":
            self.key_requests += 1
            if self.lie == "endless keys":
                request.send_response(200)
                request.end_headers()
                try:
                    while True:
                        request.wfile.write(b'{"keys":[' + b" " * 65536)
                except OSError:
                    return None
            return answer(request, {"keys": [{"kty": "unheard of"}, *(key.as_dict(private=False) for key in [self.other_key, self.key])]})
        return answer(request, {}, 404)

    def post(self, request):
        body = dict(urllib.parse.parse_qsl(request.rfile.read(int(request.headers["Content-Length"])).decode()))
        query = self.codes.pop(body["code"], None)
        self.secrets.add(body["code_verifier"])
        challenge = encoded(hashlib.sha256(body["code_verifier"].encode()).digest())
        if query is None or query["code_challenge"] != challenge or query["redirect_uri"] != body["redirect_uri"] \
                or self.credentials(request.headers["Authorization"], body) != (CLIENT, SECRET):
            return answer(request, {"error": "invalid_grant"}, 400)
        if self.lie == "redirection":
            request.send_response(302)
            request.send_header("Location", f"{self.issuer}/elsewhere")
            request.end_headers()
            return None
        if self.lie == "silence":
            time.sleep(10)
            return None
        if self.lie == "no JSON":
            return answer(request, "<html>")
        token = self.token(query["nonce"])
        self.secrets.add(token)
        return answer(request, {"access_token": ACCESS, "token_type": "Bearer", "id_token": token})

    def credentials(self, header, body):
        """The client's name and secret, where they are to be and nowhere else."""
        if self.authentication == POST:
            return (body["client_id"], body.get("client_secret")) if header is None else None
        if header is None or "client_secret" in body:
            return None
        return tuple(urllib.parse.unquote(each) for each in base64.b64decode(header.removeprefix("Basic ")).decode().split(":"))

    def token(self, nonce):
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": self.subject, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": nonce,
                  "email": "ada@example.org", "email_verified": True}
        claims.update({
            "iss": {"iss": self.issuer + "/"}, "aud": {"aud": "another"}, "two audiences": {"aud": [CLIENT, "another"]},
            "azp": {"azp": "another"}, "expired": {"exp": now - 120}, "issued later": {"iat": now + 300}, "nonce": {"nonce": "another"},
            "no subject": {"sub": ""}, "unverified": {"email_verified": False}}.get(self.lie, {}))
        if self.lie == "no nonce":
            del claims["nonce"]
        header, key = {"alg": self.algorithm, "kid": "one"}, self.key
        if self.lie == "wrong key":
            key = self.wrong
        elif self.lie == "kid":
            header["kid"] = "two"
        elif self.lie in ["none", "HS256"]:
            # By hand: no library signs with a public key as a secret.
            parts = ".".join(encoded(json.dumps(each).encode()) for each in [{**header, "alg": self.lie}, claims])
            secret = self.key.as_pem(private=False)
            return f"{parts}." + (encoded(hmac.digest(secret, parts.encode(), "sha256")) if self.lie == "HS256" else "")
        elif self.lie == "RS512":
            header["alg"] = "RS512"
        elif self.lie == "other algorithm":
            header, key = {"alg": self.other, "kid": "other"}, self.other_key
        elif self.lie == "other key":
            # Of the right kind by its name, and of another by what it is.
            header["kid"] = "other"
        token = jwt.encode(header, claims, key, algorithms=["RS256", "RS512", "ES256"])
        if self.lie == "changed":
            head, _, signature = token.split(".")
            return ".".join([head, encoded(json.dumps({**claims, "sub": "8"}).encode()), signature])
        return token


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def answer(request, value, status=200):
    body = (value if isinstance(value, str) else json.dumps(value)).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
