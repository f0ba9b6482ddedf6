"""The bot SDK: write a `Bot`, run it in process or over TCP."""

from .api import Bot as Bot
