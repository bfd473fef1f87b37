# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What is checked, a module a topic, each with a function `run` that takes the board."""
