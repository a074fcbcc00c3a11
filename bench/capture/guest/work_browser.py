"""Headless Chromium with two pages open, which a server in this process serves; they tell it when they are warm."""

import http.server
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path

import browser_content

_PAGE_FILES = {"/page.css": "text/css", "/page.js": "text/javascript"}
_DIRECTORY = Path(__file__).resolve().parent / "page"
_PORT = 8080
# Every address is a site of its own, so each page gets a process of its own.
_SITES = ("127.0.0.1", "127.0.0.2")
_CHROMIUM = (
    "/usr/bin/chromium",
    "--headless",
    "--no-sandbox",  # it refuses to run as root with it
    # Under emulation: no graphics card in software, no guards against hanging, and nothing in the background.
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-hang-monitor",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--enable-features=NetworkServiceInProcess2",  # in a process of its own it has crashed here
    "--disable-features=OptimizationGuideOnDeviceModel,OptimizationHints,Translate,MediaRouter,Vulkan",
    "--no-default-browser-check",
    "--no-first-run",
    "--window-size=1280,900",
    "--user-data-dir=/var/lib/capture/browser",
)


class Server(http.server.ThreadingHTTPServer):
    """Knows the content of each site, and who has reported."""

    def __init__(self, seed):
        super().__init__(("", _PORT), Handler)
        self.icons = browser_content.icons()
        count = len(self.icons)
        # Headless Chromium opens one page only; that one shows the other in a frame.
        self.sites = {
            _SITES[0]: browser_content.Content(seed, count, frame=address(_SITES[1])),
            _SITES[1]: browser_content.Content(seed + 1, count),
        }
        self.reports = []
        self.browser = None


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the pages, and counts those that have reported."""

    protocol_version = "HTTP/1.1"  # keeps connections

    def do_GET(self):
        """A page, or what belongs to it."""
        path = urllib.parse.urlsplit(self.path).path
        content = self.server.sites[self.headers["Host"].split(":")[0]]
        if path == "/":
            self._send("text/html; charset=utf-8", content.page().encode())
        elif path == "/orders.json":
            self._send("application/json", content.orders().encode())
        elif path.startswith("/icon/"):
            self._send("image/png", self.server.icons[int(path.removeprefix("/icon/"))].read_bytes())
        elif path in _PAGE_FILES:
            self._send(_PAGE_FILES[path], (_DIRECTORY / path[1:]).read_bytes())
        else:
            self.send_error(404)

    def do_POST(self):
        """A page is warm, or an error stopped it."""
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._send("text/plain", b"")
        print(text, file=sys.stderr, flush=True)
        if text.startswith("error"):
            self.server.browser.kill()
            return
        self.server.reports.append(text)
        if len(self.server.reports) == len(_SITES):
            print(f"warm: {len(_SITES)} pages of {text}", flush=True)

    def _send(self, kind, data):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def address(site):
    """The page's address."""
    return f"http://{site}:{_PORT}/"


def main():
    """Runs the browser until the guest ends; returns 1 if it ends by itself."""
    with Server(int(sys.argv[1])) as server:
        command = [*_CHROMIUM, address(_SITES[0])]
        server.browser = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        status = server.browser.wait()
    print(f"chromium ended with status {status}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
