"""The conversation: frames, messages, versions and the session that checks them."""
