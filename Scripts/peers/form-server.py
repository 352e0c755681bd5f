#!/usr/bin/env python3
"""Answers each POST of a form with a JSON object of what werkzeug and python-multipart read from it.

form-server.py PORTFILE
"""
import hashlib
import http.server
import io
import json
import os
import sys

from python_multipart import create_form_parser
from werkzeug.formparser import parse_form_data


def by_werkzeug(body, kind):
    environ = {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": kind,
               "REQUEST_METHOD": "POST"}
    _, form, files = parse_form_data(environ)
    return {"fields": list(form.items(multi=True)),
            "files": [[name, file.filename, hashlib.sha256(file.read()).hexdigest()]
                      for name, file in files.items(multi=True)]}


def by_python_multipart(body, kind):
    fields, files = [], []

    def on_file(part):
        part.file_object.seek(0)
        digest = hashlib.sha256(part.file_object.read()).hexdigest()
        files.append([part.field_name.decode(), part.file_name.decode(), digest])

    def on_field(part):
        fields.append([part.field_name.decode(), (part.value or b"").decode()])

    parser = create_form_parser({"Content-Type": kind.encode()}, on_field, on_file)
    for start in range(0, len(body), 4093):
        parser.write(body[start:start + 4093])
    parser.finalize()
    return {"fields": fields, "files": files}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def do_POST(self):
        body, kind = self.body(), self.headers["Content-Type"]
        answer = json.dumps({"chunked": "Content-Length" not in self.headers, "werkzeug": by_werkzeug(body, kind),
                             "python-multipart": by_python_multipart(body, kind)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
