"""An OAuth 2 server by Authlib: client credentials, refresh tokens that are good for one time, logins on another device, and an API.

Prints its port. /api needs a token; /count says how many tokens were asked for; /expire ends all access tokens, /revoke withdraws them, and
/revoke?all=1 the refresh tokens too; /approve?code=… and /deny?code=… are the user's answer; /user gives a user's first token.
"""
import logging
import os
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from flask import Flask, jsonify, request
from werkzeug.serving import make_server


class Client(ClientMixin):
    def __init__(self, id, secret, grants):
        self.id, self.secret, self.grants = id, secret, grants

    def get_client_id(self): return self.id
    def get_default_redirect_uri(self): return None
    def get_allowed_scope(self, scope): return " ".join(word for word in (scope or "").split() if word in ("read", "write"))
    def check_client_secret(self, secret): return self.secret == secret
    def check_endpoint_auth_method(self, method, endpoint): return method == "none" if self.secret is None else method != "none"
    def check_grant_type(self, grant): return grant in self.grants


class Token(TokenMixin):
    def __init__(self, token, client, user):
        self.__dict__.update(token)
        self.client, self.user, self.issued, self.isRevoked = client, user, time.time(), False
        self.refresh_token = token.get("refresh_token")

    def check_client(self, client): return self.client is client
    def get_scope(self): return getattr(self, "scope", "")
    def get_expires_in(self): return self.expires_in
    def is_expired(self): return self.issued + self.expires_in < time.time()
    def is_revoked(self): return self.isRevoked
    def get_user(self): return self.user
    def get_client(self): return self.client


DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
clients = {one.id: one for one in [Client("service", "service-secret", ["client_credentials"]), Client("tool", None, ["refresh_token", DEVICE])]}
tokens, devices, answers, counts = [], {}, {}, {"token": 0}
app = Flask("oauth")
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"client_credentials": 3600, "refresh_token": 3600, DEVICE: 3600}


def save(token, request):
    tokens.append(Token(token, request.client, request.user))


server = AuthorizationServer(app, query_client=clients.get, save_token=save)


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, text):
        return next((token for token in tokens if token.refresh_token == text and not token.isRevoked), None)

    def authenticate_user(self, token): return token.user

    def revoke_old_credential(self, token): token.isRevoked = True


class Device(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]
    INTERVAL = 1

    def get_verification_uri(self): return "http://localhost/device"
    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(client_id=client_id, scope=scope, expires_at=time.time() + data["expires_in"], **data)


class DeviceCode(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def query_device_credential(self, code): return devices.get(code)
    def query_user_grant(self, code): return answers.get(code)
    def should_slow_down(self, credential): return False


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return next((token for token in tokens if token.access_token == text), None)


for grant in (ClientCredentials, Refresh, DeviceCode):
    server.register_grant(grant)
server.register_endpoint(Device)
protector = ResourceProtector()
protector.register_token_validator(Validator())


@app.post("/token")
def token():
    counts["token"] += 1
    return server.create_token_response()


@app.post("/device")
def device(): return server.create_endpoint_response(Device.ENDPOINT_NAME)


@app.get("/api")
@protector()
def api(): return "welcome"


@app.get("/count")
def count(): return str(counts["token"])


@app.post("/expire")
def expire():
    for token in tokens:
        token.issued = 0
    return ""


@app.post("/revoke")
def revoke():
    for token in tokens:
        token.access_token = ""
        token.isRevoked = token.isRevoked or "all" in request.args
    return ""


@app.post("/approve")
def approve():
    answers[request.args["code"]] = ("wader", True)
    return ""


@app.post("/deny")
def deny():
    answers[request.args["code"]] = ("wader", False)
    return ""


@app.post("/user")
def user():
    token = {"access_token": os.urandom(16).hex(), "refresh_token": os.urandom(16).hex(), "expires_in": 3600, "token_type": "Bearer"}
    tokens.append(Token(token, clients["tool"], "wader"))
    return jsonify(token)


logging.getLogger("werkzeug").disabled = True
listener = make_server("127.0.0.1", 0, app, threaded=True)
print(listener.server_port, flush=True)
listener.serve_forever()
