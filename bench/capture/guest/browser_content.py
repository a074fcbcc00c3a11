"""What the browser is shown: a page of orders as a shop's server renders it, the same orders as JSON, icons."""

import html
import json
import random
from pathlib import Path

_ORDERS = 6_000
_ROWS = 2_000
_ICONS = 24
_NOUNS = "lamp table chair shelf carpet mirror clock kettle basket curtain candle cushion".split()
_WORDS = "please deliver before noon to the back door and ring twice or leave it with a neighbour".split()

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Orders</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<h1>Orders</h1>
{frame}
<div id="pictures"></div>
<div>{icons}</div>
<table>
<thead><tr><th>Number</th><th>Customer</th><th>Goods</th><th>Note</th><th>Sum</th></tr></thead>
<tbody id="rows">
{rows}
</tbody>
</table>
<script src="/page.js"></script>
</body>
</html>
"""


def icons():
    """The paths of the largest pictures that the system has."""
    paths = (path for path in Path("/usr/share").rglob("*.png") if path.is_file())
    return sorted(paths, key=lambda path: (-path.stat().st_size, path))[:_ICONS]


class Content:
    """All that one page shows; the same seed gives the same."""

    def __init__(self, seed, icon_count, frame=None):
        draw = random.Random(seed)
        self._orders = [_order(draw, number) for number in range(_ORDERS)]
        self._icon_count = icon_count
        self._frame = frame  # the address of another page, to be shown within this one

    def page(self):
        """The page, rows and all."""
        frame = f'<iframe src="{html.escape(self._frame)}"></iframe>' if self._frame else ""
        images = "".join(f'<img src="/icon/{number}" alt="">' for number in range(self._icon_count))
        rows = "\n".join(_row(order) for order in self._orders[:_ROWS])
        return _PAGE.format(frame=frame, icons=images, rows=rows)

    def orders(self):
        """All orders as JSON."""
        return json.dumps(self._orders)


def _order(draw, number):
    return {
        "number": number,
        "customer": f"{draw.choice('ABCDEFGHJKLMNPRSTW')}. {draw.choice(_NOUNS).title()}{draw.randrange(1000)}",
        "goods": [
            {"name": draw.choice(_NOUNS), "count": draw.randrange(1, 10), "cents": draw.randrange(90_000)}
            for _ in range(draw.randrange(1, 6))
        ],
        "note": " ".join(draw.choices(_WORDS, k=draw.randrange(14))),
        "late": draw.randrange(9) == 0,
    }


def _row(order):
    cents = sum(item["count"] * item["cents"] for item in order["goods"])
    cells = (
        str(order["number"]),
        order["customer"],
        ", ".join(f"{item['count']} {item['name']}" for item in order["goods"]),
        order["note"],
        f"{cents / 100:.2f}",
    )
    style = ' class="late"' if order["late"] else ""
    bar = f'<span class="bar" style="width:{min(120, cents // 10_000)}px"></span>'
    return f"<tr{style}>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}<td>{bar}</td></tr>"
