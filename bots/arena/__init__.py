"""Tournaments: bots against bots on duplicate deals.

    event      what an event file says
    course     which deal set comes next: a function of the event and what was played
    match      one game, one deal set (this runs in workers)
    journal    every deal set that counts, one line each, chained
    tally      the sums that statistics are made of
    statistics, strength, results
    executors, runner
    pictures, report

Only `event`, `lines` and `match` run in workers; the rest is the coordinator's.
"""
