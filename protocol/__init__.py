"""What both ends must agree on: the game (`rules`) and the conversation (`wire`)."""
