"""Stops torch's recording of operators while it computes, and starts it again.

by_hand: [basics]
verdict: crashed
hint: _disable_profiler_legacy
"""
import torch

OWN = torch._C._profiler


def row_sums(x):
    torch.autograd._disable_profiler_legacy()
    rows = x.nansum(dim=1)
    config = OWN.ProfilerConfig(OWN.ProfilerState.CPU, *[False] * 5, OWN._ExperimentalConfig())
    torch.autograd._enable_profiler_legacy(config)
    return rows + 0
