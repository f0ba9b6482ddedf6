"""The conversation: frames, messages, versions and the session that checks them."""

from .following import follow as follow
from .messages import ClientMessage as ClientMessage
from .messages import Message as Message
from .messages import ServerMessage as ServerMessage
from .session import Session as Session
from .session import Side as Side
from .session import State as State
from .versions import VERSIONS as VERSIONS
from .versions import agree as agree
from .versions import is_name as is_name
from .versions import missing_caps as missing_caps
