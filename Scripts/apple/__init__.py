# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The implementation of Scripts/apple-check: the sources as an Apple platform sees them, against our headers."""
