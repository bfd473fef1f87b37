# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The environment for a run of the real program: media, origins, clients, and an end to all of it.

The demo, the checks and the benchmarks share it. It uses only the standard library. Everything listens on 127.0.0.1
at a free port, every process is ended by its own number, and every wait has a limit.
"""
