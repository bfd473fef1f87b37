# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The checks, a module for each topic, each with a function `run` that adds to the given `Results`."""
