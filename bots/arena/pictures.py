"""The pictures of a report, as SVG that goes into the page."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from .errors import needs_extra

try:
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
except ImportError:
    raise needs_extra("tournament") from None

from .results import Document

_INK, _QUIET, _GRID = "#22303c", "#5b6b78", "#dfe5ea"
_COLOURS = (
    "#1b6ca8", "#d1495b", "#3a9d5d", "#b7791f", "#6b4fa0", "#0f8b8d", "#a23b72", "#5f6f52",
    "#e07a5f", "#33658a", "#7a9e00", "#8d5524",
)  # fmt: skip
_MARKERS = "osD^vP*Xh<>p"
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hollywood",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.edgecolor": _QUIET,
    "axes.labelcolor": _INK,
    "xtick.color": _QUIET,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def margins(document: Document) -> str:
    """Return each bot's margin with its interval, the best on top."""
    bots = _ranked(document)
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.2, 0.9 + 0.36 * len(bots)), layout="constrained")
        axes = figure.add_subplot()
        axes.axvline(0, color=_QUIET, linewidth=1)
        for place, bot in enumerate(bots):
            y, margin = len(bots) - place, bot["margin"]
            colour = _colour(document, bot["name"])
            if margin["low"] is not None:
                axes.plot(
                    [margin["low"], margin["high"]],
                    [y, y],
                    color=colour,
                    linewidth=2.5,
                    solid_capstyle="butt",
                )
            axes.plot(margin["mean"], y, "o", color=colour, markersize=7)
            if bot["corrected"]:
                axes.plot(
                    bot["corrected"]["mean"],
                    y,
                    "D",
                    color="white",
                    markersize=5,
                    markeredgecolor=colour,
                )
        axes.set_yticks(range(len(bots), 0, -1), [bot["name"] for bot in bots])
        axes.set_ylim(0.4, len(bots) + 0.6)
        label = "points a game ahead of the others at the table (95 % interval)"
        has_luck = any(bot["corrected"] for bot in bots)
        axes.set_xlabel(label + ("; diamond: without luck" if has_luck else ""))
        axes.grid(axis="x", color=_GRID)
        axes.set_axisbelow(True)
        return _svg(figure, "Margins with intervals")


def by_deal(document: Document, measure: str, label: str) -> str:
    """Return a line for each bot over the deals of a game.

    Args:
        document: The results.
        measure: `points`, `buys` or `down_turn`.
        label: What is drawn upwards.
    """
    bots = [bot for bot in _ranked(document) if bot["deals"]]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.2, 3.1), layout="constrained")
        axes = figure.add_subplot()
        for bot in bots:
            numbers = [deal["deal"] + 1 for deal in bot["deals"]]
            values = [float("nan") if (v := deal[measure]) is None else v for deal in bot["deals"]]
            at = _place(document, bot["name"])
            axes.plot(
                numbers,
                values,
                color=_colour(document, bot["name"]),
                label=bot["name"],
                marker=_MARKERS[at % len(_MARKERS)],
                markersize=4.5,
                linewidth=1.5,
            )
        most = max((deal["deal"] + 1 for bot in bots for deal in bot["deals"]), default=1)
        axes.set_xticks(range(1, most + 1, 1 if most <= 20 else 5))
        axes.set_xlabel("deal of the game")
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color=_GRID)
        axes.set_axisbelow(True)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9)
        return _svg(figure, label)


def strength(document: Document) -> str:
    """Return each bot's strength with its interval."""
    bots = _ranked(document)
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.2, 0.9 + 0.3 * len(bots)), layout="constrained")
        axes = figure.add_subplot()
        for place, bot in enumerate(bots):
            y, found = len(bots) - place, bot["strength"]
            colour = _colour(document, bot["name"])
            axes.plot(
                [found["low"], found["high"]],
                [y, y],
                color=colour,
                linewidth=2.5,
                solid_capstyle="butt",
            )
            axes.plot(found["value"], y, "o", color=colour, markersize=6)
        axes.set_yticks(range(len(bots), 0, -1), [bot["name"] for bot in bots])
        axes.set_ylim(0.4, len(bots) + 0.6)
        axes.set_xlabel("strength (Plackett-Luce, logarithm; 95 % interval)")
        axes.grid(axis="x", color=_GRID)
        axes.set_axisbelow(True)
        return _svg(figure, "Strengths with intervals")


def _ranked(document: Document) -> list[Document]:
    by_name = {bot["name"]: bot for bot in document["bots"]}
    return [by_name[name] for name in document["ranking"]]


def _place(document: Document, name: str) -> int:
    names: Sequence[str] = [bot["name"] for bot in document["bots"]]
    return names.index(name)


def _colour(document: Document, name: str) -> str:
    return _COLOURS[_place(document, name) % len(_COLOURS)]


def _svg(figure: Figure, title: str) -> str:
    text = io.StringIO()
    FigureCanvasSVG(figure)
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # a page has several pictures, whose parts must not have the same names
    prefix = re.sub(r"\W+", "-", title.lower())
    svg = re.sub(r'id="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}-", svg)
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)
