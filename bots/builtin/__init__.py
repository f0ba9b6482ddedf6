"""The bots that come with the program."""
