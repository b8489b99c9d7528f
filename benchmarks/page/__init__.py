"""What the page *Performance* shows: its tables in Markdown, and its figures.

- `cases`: the results of all families, and what is read off a case.
- `figures`: the ratio of every case.
- `times`: what was measured where, losses, aims, and the tables of seconds.
- `accuracy`: what was not right, how exact both answers are, and what bins cost.
- `costs`: memory, first calls, and the distance from the floor.
- `kernels`: the first fit on a machine, and long fits with kernels.
- `sizes`: small fits, and how cost grows.
- `in_chunks`: data in chunks, and more machines.
"""
