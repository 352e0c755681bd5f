"""Opens pages of the built site in a headless Chromium, and checks that each shows its title and reports no error.

    pages.py SITE [--all] [--seconds N]    articles and modules; with --all the page of every symbol, too

The pages are opened one after the other in a frame of one page, which is served from here. A page fails if its heading does not appear,
if the server lacks a file that it asks for, or if its scripts write an error to the console.
"""
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
# The longest time until the heading of a page appears.
SECONDS_FOR_A_PAGE = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 30

DRIVER = """<!doctype html><title>pages</title><iframe id="frame" width="1200" height="900"></iframe><script>
const frame = document.getElementById("frame");
const tell = (page) => fetch("/told", {method: "POST", body: JSON.stringify(page)});
async function open(page) {
  await tell({opening: page.path});
  frame.src = page.path;
  const limit = Date.now() + SECONDS * 1000;
  let shown = null;
  while (Date.now() < limit) {
    await new Promise((done) => setTimeout(done, 20));
    const inside = frame.contentDocument;
    if (!inside || frame.contentWindow.location.pathname !== page.path) continue;
    const heading = inside.querySelector("h1");
    shown = heading ? heading.innerText.replace(/[\\u200b\\s]+/g, " ").trim() : null;
    if (shown && shown.replaceAll(" ", "") === page.title.replaceAll(" ", "")) return tell({path: page.path, ok: true});
  }
  return tell({path: page.path, ok: false, shown});
}
fetch("/list").then((list) => list.json()).then(async (pages) => {
  for (const page of pages) await open(page);
  await tell({done: true});
});
</script>"""


def pages(site, everything):
    """The paths and titles of the pages to open."""
    for path in sorted((site / "data").rglob("*.json")):
        page = json.loads(path.read_text())
        title = page.get("metadata", {}).get("title")
        if title and (everything or page["kind"] == "article" or page["metadata"].get("symbolKind") == "module"):
            yield {"path": "/" + str(path.relative_to(site / "data").with_suffix("")) + "/", "title": title}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site, the driver and its list, and hears what the driver tells."""

    def do_GET(self):
        if self.path == "/driver":
            return self.answer("text/html", DRIVER.replace("SECONDS", str(SECONDS_FOR_A_PAGE)))
        if self.path == "/list":
            return self.answer("application/json", json.dumps(self.server.pages))
        return super().do_GET()

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer("text/plain", "")
        self.server.hear(told)

    def answer(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

    def send_error(self, code, message=None, explain=None):
        if not self.path.startswith(("/favicon", "/theme-settings.json")):
            self.server.faults.append(f"{self.server.opening}: {self.path} was answered with {code}")
        super().send_error(code, message, explain)


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, site, listed):
        super().__init__(("127.0.0.1", 0), lambda *arguments: Handler(*arguments, directory=str(site)))
        self.pages, self.faults, self.opening, self.shown = listed, [], "/", 0
        self.done, self.alive = threading.Event(), threading.Event()

    def hear(self, told):
        self.alive.set()
        if told.get("done"):
            self.done.set()
        elif "opening" in told:
            self.opening = told["opening"]
        elif told["ok"]:
            self.shown += 1
        else:
            self.faults.append(f"{told['path']}: the heading is {told['shown']!r}")


site = pathlib.Path(sys.argv[1])
program = next(filter(None, map(shutil.which, PROGRAMS)), None)
if program is None:
    sys.exit("pages.py: there is no Chromium; apt-get install chromium-headless-shell")
server = Server(site, list(pages(site, "--all" in sys.argv)))
if not server.pages:
    sys.exit(f"pages.py: {site} has no pages")
threading.Thread(target=server.serve_forever, daemon=True).start()
# The browser's children may still write into the profile when it is removed.
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, tempfile.TemporaryFile("w+") as log:
    command = [program, "--headless", "--disable-gpu", "--no-first-run", "--enable-logging=stderr", f"--user-data-dir={profile}"]
    if os.geteuid() == 0:
        command.append("--no-sandbox")
    browser = subprocess.Popen(
        command + ["--remote-debugging-port=0", f"http://127.0.0.1:{server.server_port}/driver"], stderr=log, stdout=subprocess.DEVNULL)
    try:
        while not server.done.is_set():
            server.alive.clear()
            if not server.alive.wait(SECONDS_FOR_A_PAGE + 60) and not server.done.is_set():
                server.faults.append(f"{server.opening}: the browser stopped there")
                break
    finally:
        browser.terminate()
        browser.wait()
    log.seek(0)
    server.faults += [line.strip() for line in log if re.search(r"CONSOLE.*(Uncaught|Error)", line)]
for fault in server.faults:
    print(fault)
print(f"opened: {server.shown} of {len(server.pages)} pages, {len(server.faults)} faults")
sys.exit(1 if server.faults or server.shown != len(server.pages) else 0)
