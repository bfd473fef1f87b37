# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""What Scripts/apple-check does: the sources as an Apple platform sees them, against headers of our own."""
