"""The referee's side of the wire: connections, tables, seats, clocks."""
