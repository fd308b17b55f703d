"""A provider of OpenID Connect that lies as a test wants."""

import base64
import hashlib
import http.server
import json
import threading
import time
import urllib.parse

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT, SECRET, ACCESS = "studio", "a secret/of it", "access-Zmx1ZmZ5"


class Liar:
    """Issues one code for each request that it is sent, and a token that `lie` changes."""

    def __init__(self):
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.wrong = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
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
        if request.path == "/o/.well-known/openid-configuration":
            # With another issuer it is not the one that was asked.
            issuer = self.issuer + "/" if self.lie == "discovery" else self.issuer
            return answer(request, {"issuer": issuer, "authorization_endpoint": f"{self.issuer}/authorize?a=b",
                                    "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys"})
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
            return answer(request, {"keys": [{"kty": "unheard of"}, self.key.as_dict(private=False)]})
        return answer(request, {}, 404)

    def post(self, request):
        body = dict(urllib.parse.parse_qsl(request.rfile.read(int(request.headers["Content-Length"])).decode()))
        query = self.codes.pop(body["code"], None)
        self.secrets.add(body["code_verifier"])
        pair = base64.b64decode(request.headers["Authorization"].removeprefix("Basic ")).decode().split(":")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(body["code_verifier"].encode()).digest()).decode().rstrip("=")
        if query is None or query["code_challenge"] != challenge or query["redirect_uri"] != body["redirect_uri"] \
                or [urllib.parse.unquote(each) for each in pair] != [CLIENT, SECRET]:
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
        header, key = {"alg": "RS256", "kid": "one"}, self.key
        if self.lie == "wrong key":
            key = self.wrong
        elif self.lie == "kid":
            header["kid"] = "two"
        elif self.lie == "none":
            parts = [base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in ({"alg": "none"}, claims)]
            return ".".join([*parts, ""])
        elif self.lie == "HS256":
            header["alg"], key = "HS256", OctKey.import_key(self.key.as_pem(private=False))
        token = jwt.encode(header, claims, key, algorithms=["RS256", "HS256"])
        if self.lie == "changed":
            head, body, signature = token.split(".")
            changed = json.dumps({**claims, "sub": "8"}).encode()
            return ".".join([head, base64.urlsafe_b64encode(changed).decode().rstrip("="), signature])
        return token


def answer(request, value, status=200):
    body = (value if isinstance(value, str) else json.dumps(value)).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
