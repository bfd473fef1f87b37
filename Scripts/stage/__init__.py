# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What a run of the real program needs around it: media, origins, clients, and an end to all of it.

The demo, the checks and the benchmarks share it. Standard library only. Everything listens on 127.0.0.1 at a
free port, every process is ended by its own number, every wait has a limit.
"""
