#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""llm_golden.py OUT: what transformers says about tiny checkpoints of every family, in folders.
llm_golden.py --live SHAPE OUT: the same for one model of a real shape (0.5B, 1.5B), random weights.
llm_golden.py --check DIR...: loads checkpoints that Hone wrote; exit 0 equal, 1 not.

Made once into tests/oracle/data/llm, so that the tests need no Python:
    tests/oracle/llm_golden.py tests/oracle/data/llm
Every folder is a checkpoint as transformers saves it (an adapter in the case of LoRA) with two files
more. golden.safetensors has for each prompt N:
    prompt.N   ids                          greedy.N           ids that follow, by `generate`
    logits.N   of every position            greedy_logprobs.N  of these ids
    logits_bf16.N  where the weights are bf16: the same computed in bf16, `logits.N` in fp32
golden.json says which versions made it and how far the best and the second token are apart at least.
For --check a folder holds check.safetensors: `ids` and our `logits` of every position.
Without transformers the exit code is 77.
"""
import argparse
import json
import math
import sys
from pathlib import Path

try:
    import torch
    import transformers
    from safetensors.torch import load_file, save_file
except ImportError as missing:
    print(f"llm_golden: {missing}", file=sys.stderr)
    sys.exit(77)

NEW_TOKENS = 256
VOCAB = 160
PROMPT_LENGTHS = (1, 17, 40)
# Below this the order of the additions could decide between two tokens.
SMALLEST_GAP = 2e-4
TRIES = 200

TINY = dict(vocab_size=VOCAB, hidden_size=32, intermediate_size=56, num_hidden_layers=3,
            num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512,
            bos_token_id=1, eos_token_id=2, pad_token_id=0)
PLAIN = {"rope_type": "default", "rope_theta": 10000.0}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 64}

# name: (configuration class, what differs from TINY, how it is saved)
CASES = {
    "qwen2-tied": ("Qwen2Config", dict(tie_word_embeddings=True, rope_parameters=PLAIN), {}),
    "qwen2-sharded": ("Qwen2Config", dict(tie_word_embeddings=False, rope_parameters=PLAIN),
                      dict(shards="40KB", old_config=True)),
    "qwen2-bf16": ("Qwen2Config", dict(tie_word_embeddings=True, rope_parameters=PLAIN,
                                       num_key_value_heads=1), dict(bf16=True)),
    "qwen3-tied": ("Qwen3Config", dict(tie_word_embeddings=True, head_dim=16,
                                       rope_parameters={**PLAIN, "rope_theta": 1e6}), {}),
    "qwen3-untied": ("Qwen3Config", dict(tie_word_embeddings=False, head_dim=8,
                                         num_key_value_heads=4, rope_parameters=PLAIN), {}),
    "llama-plain": ("LlamaConfig", dict(tie_word_embeddings=False, rms_norm_eps=1e-5,
                                        rope_parameters={**PLAIN, "rope_theta": 500000.0}), {}),
    "llama-scaled": ("LlamaConfig", dict(tie_word_embeddings=True, rms_norm_eps=1e-5, head_dim=16,
                                         rope_parameters=LLAMA3), dict(old_config=True)),
}
ADAPTER_BASE = "qwen2-tied"

SHAPES = {
    "0.5B": dict(hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
                 num_attention_heads=14, num_key_value_heads=2),
    "1.5B": dict(hidden_size=1536, intermediate_size=8960, num_hidden_layers=28,
                 num_attention_heads=12, num_key_value_heads=2),
}


def exact():
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.use_deterministic_algorithms(False)
    transformers.logging.set_verbosity_error()


def randomise(model, seed):
    """Weights whose greedy text is not one token for ever, and norms and biases that matter."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=random)
            if "embed_tokens" in name:
                weight.copy_(noise * 0.6)
            elif name.endswith("bias"):
                weight.copy_(noise * 0.5)
            elif weight.dim() == 1:
                weight.copy_(1 + 0.2 * noise)
            else:
                weight.copy_(noise * 1.6 / math.sqrt(weight.shape[-1]))


def in_old_form(config_file):
    """What checkpoints from before transformers 5 look like."""
    config = json.loads(config_file.read_text())
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    config["rope_scaling"] = rope if rope["rope_type"] != "default" else None
    config["torch_dtype"] = config.pop("dtype", "float32")
    config_file.write_text(json.dumps(config, indent=2) + "\n")


def loaded(folder, dtype=torch.float32, device="cpu"):
    model = transformers.AutoModelForCausalLM.from_pretrained(
        folder, dtype=dtype, attn_implementation="eager")
    return model.to(device).eval()


def prompts(seed, vocab=VOCAB, lengths=PROMPT_LENGTHS):
    random = torch.Generator().manual_seed(seed)
    return [torch.randint(3, vocab, (length,), generator=random) for length in lengths]


@torch.no_grad()
def greedy(model, ids, count):
    """The tokens of `generate`, their log-probabilities, and the smallest lead of a best token."""
    ids = ids.to(model.device)[None]
    settings = transformers.GenerationConfig(
        do_sample=False, max_new_tokens=count, eos_token_id=None, pad_token_id=0, bos_token_id=1,
        output_logits=True, return_dict_in_generate=True)
    out = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=settings)
    tokens = out.sequences[0, ids.shape[1]:]
    logits = torch.stack([step[0].float() for step in out.logits])
    best = logits.topk(2).values
    chosen = torch.log_softmax(logits, -1).gather(1, tokens[:, None])[:, 0]
    gaps = best[:, 0] - best[:, 1]
    return tokens.cpu(), chosen.cpu().contiguous(), gaps.cpu().contiguous()


@torch.no_grad()
def logits_of(model, ids):
    return model(ids.to(model.device)[None]).logits[0].float().cpu().contiguous()


def golden_of(model, all_prompts):
    tensors, gaps = {}, []
    for n, ids in enumerate(all_prompts):
        tokens, log_probabilities, lead = greedy(model, ids, NEW_TOKENS)
        tensors[f"prompt.{n}"] = ids
        tensors[f"logits.{n}"] = logits_of(model, ids)
        tensors[f"greedy.{n}"] = tokens
        tensors[f"greedy_logprobs.{n}"] = log_probabilities
        gaps.append(lead.min().item())
    return tensors, min(gaps)


def is_lively(tensors):
    texts = [tensors[f"greedy.{n}"] for n in range(len(PROMPT_LENGTHS))]
    return all(len(text) == NEW_TOKENS and text.unique().numel() >= 24 for text in texts)


def write_golden(folder, tensors, facts):
    save_file(tensors, folder / "golden.safetensors")
    facts = {**facts, "transformers": transformers.__version__, "torch": torch.__version__}
    (folder / "golden.json").write_text(json.dumps(facts, indent=2) + "\n")


def save_tiny(folder, config_class, differs, saved, seed):
    for old in folder.glob("*"):
        old.unlink()
    config = getattr(transformers, config_class)(**{**TINY, **differs})
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    randomise(model, seed)
    if saved.get("bf16"):
        model = model.to(torch.bfloat16)
    model.save_pretrained(folder, max_shard_size=saved.get("shards", "50GB"))
    if saved.get("old_config"):
        in_old_form(folder / "config.json")


def make_case(out, name):
    """Tries seeds until no token of the greedy texts was a close call."""
    config_class, differs, saved = CASES[name]
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(1, TRIES + 1):
        save_tiny(folder, config_class, differs, saved, seed)
        model = loaded(folder)
        tensors, gap = golden_of(model, prompts(seed))
        if gap < SMALLEST_GAP or not is_lively(tensors):
            continue
        if saved.get("bf16"):
            half = loaded(folder, torch.bfloat16)
            for n, ids in enumerate(prompts(seed)):
                tensors[f"logits_bf16.{n}"] = logits_of(half, ids)
        write_golden(folder, tensors, {"case": name, "seed": seed, "smallest_gap": gap})
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"{name}: seed {seed}, smallest gap {gap:.2g}, {size / 1000:.0f} kB")
        return
    sys.exit(f"llm_golden: {name}: none of {TRIES} seeds gave a text without close calls")


def adapter_by_peft(base, folder, seed):
    from peft import LoraConfig, get_peft_model
    config = LoraConfig(r=4, lora_alpha=12, task_type="CAUSAL_LM",
                        target_modules=["q_proj", "v_proj", "down_proj"])
    model = get_peft_model(base, config)
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_" in name:
                weight.copy_(torch.randn(weight.shape, generator=random) * 0.2)
    model.save_pretrained(folder)
    return model.eval()


def adapter_by_hand(base, folder, seed):
    """The files as peft writes them, and W + (alpha / r) B A."""
    rank, alpha = 4, 12
    targets = ("q_proj", "v_proj", "down_proj")
    random = torch.Generator().manual_seed(seed)
    tensors = {}
    with torch.no_grad():
        for name, module in base.named_modules():
            if name.split(".")[-1] not in targets:
                continue
            rows, columns = module.weight.shape
            a = torch.randn((rank, columns), generator=random) * 0.2
            b = torch.randn((rows, rank), generator=random) * 0.2
            tensors[f"base_model.model.{name}.lora_A.weight"] = a
            tensors[f"base_model.model.{name}.lora_B.weight"] = b
            module.weight += alpha / rank * (b @ a)
    save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": ADAPTER_BASE,
              "r": rank, "lora_alpha": alpha, "lora_dropout": 0.0, "bias": "none",
              "target_modules": list(targets), "fan_in_fan_out": False, "use_rslora": False,
              "modules_to_save": None, "rank_pattern": {}, "alpha_pattern": {},
              "layers_to_transform": None, "init_lora_weights": True, "inference_mode": True}
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n")
    return base


def has_peft():
    try:
        import peft  # noqa: F401
        return True
    except ImportError:
        return False


def make_adapter(out):
    folder = out / "qwen2-lora"
    folder.mkdir(parents=True, exist_ok=True)
    make = adapter_by_peft if has_peft() else adapter_by_hand
    for seed in range(1, TRIES + 1):
        for old in folder.glob("*"):
            old.unlink()
        model = make(loaded(out / ADAPTER_BASE), folder, seed)
        tensors, gap = golden_of(model, prompts(seed))
        if gap >= SMALLEST_GAP and is_lively(tensors):
            maker = "peft" if has_peft() else "by hand"
            write_golden(folder, tensors, {"case": "qwen2-lora", "base": ADAPTER_BASE,
                                           "made_by": maker, "seed": seed, "smallest_gap": gap})
            print(f"qwen2-lora: {maker}, seed {seed}, smallest gap {gap:.2g}")
            return
    sys.exit("llm_golden: qwen2-lora: no seed gave a text without close calls")


def make_live(shape, out):
    """A model of a real shape, bf16 on disk; what is golden is computed in fp32 from these weights."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    config = transformers.Qwen2Config(
        vocab_size=151936, max_position_embeddings=32768, tie_word_embeddings=True,
        rms_norm_eps=1e-6, rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        bos_token_id=151643, eos_token_id=151645, **SHAPES[shape])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.save_pretrained(out)
    del model
    tensors, gaps = {}, []
    model = loaded(out, torch.float32, device)
    half = loaded(out, torch.bfloat16, device)
    for n, ids in enumerate(prompts(7, 151643, (33, 200))):
        tokens, log_probabilities, lead = greedy(model, ids, NEW_TOKENS)
        tensors[f"prompt.{n}"] = ids
        # A full set would be a third of a gigabyte; the last rows saw everything before them.
        tensors[f"last_logits.{n}"] = logits_of(model, ids)[-8:].contiguous()
        tensors[f"last_logits_bf16.{n}"] = logits_of(half, ids)[-8:].contiguous()
        tensors[f"greedy.{n}"] = tokens
        tensors[f"greedy_logprobs.{n}"] = log_probabilities
        tensors[f"greedy_gaps.{n}"] = lead
        gaps.append(lead.min().item())
    write_golden(out, tensors, {"case": f"live {shape}", "smallest_gap": min(gaps)})
    print(f"live {shape}: on {device}, smallest gap {min(gaps):.2g}")


def checked_model(folder):
    """The model of a folder; of an adapter, the base with it."""
    config = folder / "adapter_config.json"
    if not config.exists():
        return loaded(folder)
    base = Path(json.loads(config.read_text())["base_model_name_or_path"])
    model = loaded(base if base.exists() else folder.parent / base)
    if has_peft():
        from peft import PeftModel
        return PeftModel.from_pretrained(model, folder).eval()
    settings = json.loads(config.read_text())
    tensors = load_file(folder / "adapter_model.safetensors")
    modules = dict(model.named_modules())
    scale = settings["lora_alpha"] / (math.sqrt(settings["r"]) if settings.get("use_rslora")
                                      else settings["r"])
    with torch.no_grad():
        for name, a in tensors.items():
            if not name.endswith(".lora_A.weight"):
                continue
            module = modules[name.removeprefix("base_model.model.").removesuffix(".lora_A.weight")]
            b = tensors[name.replace("lora_A", "lora_B")]
            module.weight += scale * (b.float() @ a.float())
    return model


def check(folder):
    ours = load_file(folder / "check.safetensors")
    theirs = logits_of(checked_model(folder), ours["ids"])
    error = (theirs - ours["logits"]).abs().max().item()
    bound = 1e-4 * max(1.0, theirs.abs().max().item())
    print(f"{folder}: largest difference of logits {error:.2g}, allowed {bound:.2g}")
    return error <= bound


def main():
    reader = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--live", choices=sorted(SHAPES))
    reader.add_argument("--check", action="store_true")
    reader.add_argument("folders", nargs="+", type=Path)
    given = reader.parse_args()
    exact()
    if given.check:
        results = [check(folder) for folder in given.folders]
        sys.exit(0 if all(results) else 1)
    (out,) = given.folders
    if given.live:
        make_live(given.live, out)
        return
    for name in CASES:
        make_case(out, name)
    make_adapter(out)


if __name__ == "__main__":
    main()
