"""The bot SDK: write a `Bot`, run it in process, over TCP or as a child process."""

from .api import Bot as Bot
from .budget import Budget as Budget
from .options import option as option
