"""Writes a checkpoint that a ComfyUI server takes for Stable Diffusion 1.5, and that means nothing.

    python tiny_checkpoint.py <folder of ComfyUI> <file to write>

The UNet has one level and random weights, the decoder is the tiny one, the words' weights are zeros, which take no place
on the disk: a step takes some tens of milliseconds on a processor.
"""

import json
import struct
import sys

sys.path.insert(0, sys.argv[1])
target = sys.argv[2]
sys.argv = [sys.argv[0], "--cpu"]

import torch  # noqa: E402

# The options of the server are read while its modules load.
import comfy.options  # noqa: E402

comfy.options.enable_args_parsing()

import comfy.ldm.modules.diffusionmodules.openaimodel as openaimodel  # noqa: E402
import comfy.ops  # noqa: E402
import comfy.sd1_clip  # noqa: E402
import comfy.taesd.taesd  # noqa: E402

UNET = {
    "image_size": 32,
    "in_channels": 4,
    "out_channels": 4,
    "model_channels": 320,
    "num_res_blocks": [1],
    "channel_mult": [1],
    "transformer_depth": [1],
    "transformer_depth_output": [1, 1],
    "transformer_depth_middle": 1,
    "num_heads": 8,
    "use_spatial_transformer": True,
    "context_dim": 768,
    "legacy": False,
}


def random_weights(module: torch.nn.Module, prefix: str) -> dict[str, torch.Tensor]:
    """The weights of a module, small and always the same."""
    generator = torch.Generator().manual_seed(7)
    weights = {}
    for name, value in module.state_dict().items():
        if value.dim() == 0:  # of the decoder: what it multiplies by and adds
            weights[prefix + name] = value.half()
            continue
        # As large as keeps the size of what passes: pictures of different seeds differ.
        spread = (2 / value[0].numel()) ** 0.5 if value.dim() > 1 else 0.0
        weights[prefix + name] = (torch.randn(value.shape, generator=generator) * spread).half()
        if value.dim() == 1 and name.endswith("weight"):
            weights[prefix + name] = torch.ones(value.shape).half()
    return weights


def main() -> None:
    operations = comfy.ops.disable_weight_init
    unet = openaimodel.UNetModel(**UNET, dtype=torch.float32, operations=operations)
    dense = random_weights(unet, "model.diffusion_model.")
    dense |= random_weights(comfy.taesd.taesd.TAESD(latent_channels=4), "first_stage_model.")
    words = comfy.sd1_clip.SD1ClipModel(device="meta", dtype=torch.float16)
    zeros = {
        name.replace("clip_l.", "cond_stage_model.", 1): value.shape for name, value in words.state_dict().items()
    }

    # The format of safetensors: length of the header, header, values. The zeros come last, as a hole of the file.
    header, at = {}, 0
    for name, value in dense.items():
        size = value.numel() * 2
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": [at, at + size]}
        at += size
    for name, shape in zeros.items():
        size = shape.numel() * 2
        header[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with open(target, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for value in dense.values():
            file.write(value.contiguous().numpy().tobytes())
        file.truncate(8 + len(text) + at)


main()
