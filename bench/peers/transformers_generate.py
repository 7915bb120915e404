#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""transformers_generate.py FOLDER BATCH PROMPT TOKENS: how fast transformers generates on this GPU, and
how fast the GPU copies. Lines of JSON; exit 77 without transformers or a GPU."""
import json
import statistics
import sys
import time

try:
    import torch
    import transformers
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("no GPU", file=sys.stderr)
    sys.exit(77)

FOLDER = sys.argv[1]
BATCH, PROMPT, TOKENS = (int(word) for word in sys.argv[2:5])


def copy_rate():
    """Bytes a second, read and written, as a copy within the GPU's memory does them."""
    block = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    other = torch.empty_like(block)
    times = []
    for _ in range(20):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        other.copy_(block)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return 2 * block.numel() / min(times)


def measured(model, ids, **settings):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    out = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0,
                         max_new_tokens=TOKENS, min_new_tokens=TOKENS, pad_token_id=0, **settings)
    torch.cuda.synchronize()
    made = (out.shape[1] - PROMPT) * BATCH
    return made / (time.perf_counter() - begin)


def tell(name, value):
    print(json.dumps({"name": name, "value": value}), flush=True)


def main():
    transformers.logging.set_verbosity_error()
    tell("copy_bytes_per_s", copy_rate())
    model = transformers.AutoModelForCausalLM.from_pretrained(FOLDER, dtype=torch.bfloat16).cuda().eval()
    ids = torch.randint(0, model.config.vocab_size, (BATCH, PROMPT), device="cuda")
    measured(model, ids)
    tell("generate", statistics.median(measured(model, ids) for _ in range(3)))
    # generate compiles the forward pass by itself with a static cache; the first calls pay for that.
    for _ in range(3):
        measured(model, ids, cache_implementation="static")
    tell("static", statistics.median(measured(model, ids, cache_implementation="static")
                                     for _ in range(3)))


main()
