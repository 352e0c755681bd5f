"""What botocore signs, and a server that checks signatures as AWS does (moto).

    aws-peer.py vectors COUNT SEED   writes generated requests as lines of JSON, each with what botocore makes of it
    aws-peer.py serve                runs moto's S3 with a user whose requests must be signed, and a judge of contents, which moto does not compare
                                     with their signed hash; prints both addresses and the keys as JSON

A request's URL is written as an app could write it, with escapes in any form. The vector has the URL that Curlew sends for it, which Python's
own functions make here, and botocore's signature of that.
"""
import base64
import datetime
import json
import random
import sys
from urllib.parse import quote, unquote_to_bytes, urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

PIECES = ["a", "B", "7", "-", ".", "_", "~", "+", "%20", "%2B", "%2b", "%2F", "%2f", "%C3%A9", "%e9", "%25", "%41", "!", "'", "(", ")", "*", ":", "@", "$", ",", ";"]
QUERY_PIECES = PIECES + ["/", "?", "=", "%26", "%3D"]
FIELDS = ["X-Amz-Meta-Bird", "X-Amz-Acl", "Content-Type", "Range", "If-Match", "x-custom", "My-Header", "Cache-Control", "Zebra", "Accept"]
VALUES = ["curlew", "  curlew  ", "a   b", "a \t b", "", "text/plain; charset=utf-8", "bytes=0-9", '"a  b"', "é", "a,b", "1"]
ROUTES = [("s3", "{b}.s3.eu-central-1.amazonaws.com"), ("s3", "localhost:9000"), ("s3", "[::1]:9000"), ("execute-api", "abc.execute-api.eu-west-1.amazonaws.com"),
          ("dynamodb", "dynamodb.us-east-1.amazonaws.com"), ("iam", "iam.amazonaws.com:443"), ("s3-outposts", "x.s3-outposts.us-west-2.amazonaws.com"), ("lambda", "127.0.0.1:80")]


def text(pieces, most, rng):
    return "".join(rng.choice(pieces) for _ in range(rng.randint(0, most)))


def canonical(part, safe=""):
    return quote(unquote_to_bytes(part), safe=safe + "-_.~")


def sent_target(path, query, is_object):
    """The target that is sent: each item of the query, and the key of an object, with the escapes of the signature."""
    path = canonical(path, "/") if is_object else path
    items = []
    for item in (query or "").split("&"):
        name, equals, value = item.partition("=")
        if item:
            items.append(canonical(name) + equals + canonical(value))
    return path + ("?" + "&".join(items) if items else "")


def vector(rng):
    service, host = rng.choice(ROUTES)
    host = host.format(b=rng.choice(["birds", "my.bucket"]))
    scheme = rng.choice(["https", "https", "http"])
    region = rng.choice(["eu-central-1", "us-east-1", "ap-southeast-2"])
    is_object = service in ("s3", "s3-outposts", "s3-object-lambda")
    segments = [rng.choice(["", ".", "..", text(PIECES, 6, rng), text(PIECES, 6, rng), text(PIECES, 12, rng)]) for _ in range(rng.randint(0, 5))]
    path = "/" + "/".join(segments)
    if path.startswith("//"):
        path = "/x" + path
    presigns = rng.random() < 0.25
    items = []
    for _ in range(rng.randint(0, 5)):
        name, value = text(QUERY_PIECES[:-4], 5, rng).replace("=", ""), text(QUERY_PIECES, 6, rng)
        # botocore reads the query of a URL to presign as UTF-8.
        value = value.replace("%e9", "%C3%A9") if presigns else value
        items.append(rng.choice([name + "=" + value, name + "=", name, ""]) if not presigns else "k%d=" % len(items) + value)
    if items and rng.random() < 0.3 and not presigns:
        items.append(items[0])
    query = "&".join(items) if items else None
    method = rng.choice(["GET", "PUT", "POST", "DELETE", "HEAD"])
    fields = [] if presigns else [[rng.choice(FIELDS), rng.choice(VALUES)] for _ in range(rng.randint(0, 4))]
    body = b"" if presigns or method in ("GET", "HEAD") else rng.randbytes(rng.choice([0, 1, 100]))
    payload = rng.choice(["signed", "signed", "unsigned"]) if is_object and not presigns else "signed"
    if payload == "unsigned" and scheme == "http":
        payload = "signed"
    time = datetime.datetime(2013, 5, 24, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=rng.randint(0, 800_000_000))
    keys = ["AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" + "x" * rng.choice([0, 0, 60]), rng.choice([None, None, "FwoGZXIvYXdzEB/+=token"])]
    # The host as an origin writes it: without the default port.
    authority = host.removesuffix(":443" if scheme == "https" else ":80")
    sent = f"{scheme}://{authority}{sent_target(path, query, is_object)}"

    botocore.auth.get_current_datetime = lambda: time.replace(tzinfo=None)
    request = AWSRequest(method, sent, data=body)
    for name, value in fields:
        request.headers[name] = value
    credentials = Credentials(*keys)
    expires = rng.choice([1, 3600, 604_800])
    if presigns:
        signer = (botocore.auth.S3SigV4QueryAuth if is_object else botocore.auth.SigV4QueryAuth)(credentials, service, region, expires=expires)
    else:
        signer = (botocore.auth.S3SigV4Auth if is_object else botocore.auth.SigV4Auth)(credentials, service, region)
        if payload == "unsigned":
            signer.payload = lambda request: "UNSIGNED-PAYLOAD"
    signer.add_auth(request)
    return {
        "method": method, "url": f"{scheme}://{host}{path}" + (f"?{query}" if query is not None else ""), "fields": fields, "body": base64.b64encode(body).decode(),
        "payload": payload, "service": service, "region": region, "time": int(time.timestamp()), "id": keys[0], "secret": keys[1], "token": keys[2],
        "expires": expires if presigns else None, "sent": request.url if presigns else sent, "authorization": request.headers.get("Authorization"),
    }


def is_usable(vector):
    # botocore takes the last name of a host with user information, and reads a query without names differently.
    parts = urlsplit(vector["url"])
    return "@" not in parts.netloc


def vectors(count, seed):
    rng = random.Random(seed)
    made = 0
    while made < count:
        one = vector(rng)
        if is_usable(one):
            print(json.dumps(one))
            made += 1


def judge(keys):
    """Starts a server that answers 200 if botocore signs what has arrived, with the hash of the content that has arrived, as the client did."""
    import hashlib
    import http.server
    import threading

    class Judge(http.server.BaseHTTPRequestHandler):
        def do_PUT(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            scope, names, signature = (part.partition("=")[2] for part in self.headers["Authorization"].split()[1:])
            request = AWSRequest(self.command, f"http://{self.headers['Host']}{self.path}", data=body)
            for name in names.rstrip(",").split(";"):
                request.headers[name] = self.headers[name]
            if self.headers["X-Amz-Content-SHA256"] != "UNSIGNED-PAYLOAD":
                request.headers.replace_header("x-amz-content-sha256", hashlib.sha256(body).hexdigest())
            request.context["timestamp"] = self.headers["X-Amz-Date"]
            region, service = scope.split("/")[2:4]
            signer = botocore.auth.S3SigV4Auth(Credentials(*keys), service, region)
            expected = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
            self.send_response(200 if expected == signature else 403)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments): pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Judge)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def serve():
    import logging

    import boto3
    import requests
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").disabled = True
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    client = lambda name: boto3.client(name, endpoint_url=address, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    iam = client("iam")
    iam.create_user(UserName="wader")
    key = iam.create_access_key(UserName="wader")["AccessKey"]
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    iam.put_user_policy(UserName="wader", PolicyName="birds", PolicyDocument=json.dumps(policy))
    client("s3").create_bucket(Bucket="birds")
    # From now on every action needs a signature, as with INITIAL_NO_AUTH_ACTION_COUNT=0.
    requests.post(f"{address}/moto-api/reset-auth", data=b"0").raise_for_status()
    keys = key["AccessKeyId"], key["SecretAccessKey"]
    print(json.dumps({"address": address, "judge": judge(keys), "id": keys[0], "secret": keys[1]}), flush=True)
    sys.stdin.read()
    server.stop()


if sys.argv[1] == "vectors":
    vectors(int(sys.argv[2]), int(sys.argv[3]))
else:
    serve()
