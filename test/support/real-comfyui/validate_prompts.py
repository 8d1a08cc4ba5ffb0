"""Asks the source of a real ComfyUI what it would say of payloads, without running them.

    python validate_prompts.py <folder of ComfyUI's source>

Payloads come as lines of JSON; for each, a line says what is wrong: a list of "node kind input", empty where it would be
queued.
"""

import asyncio
import json
import os
import sys

SOURCE = sys.argv[1]
os.chdir(SOURCE)
sys.path.insert(0, SOURCE)
sys.argv = ["main.py", "--cpu"]
# Its modules print at their start, for people.
answers, sys.stdout = sys.stdout, sys.stderr

import comfy.options  # noqa: E402

comfy.options.enable_args_parsing()


async def problems_of(execution, payload):
    try:
        is_valid, error, _, node_errors = await execution.validate_prompt("test", payload, None)
    except Exception as raised:  # noqa: BLE001 a server answers these with 500
        return [f"raised {type(raised).__name__}"]
    found = [
        f"{node} {one['type']} {one['extra_info'].get('input_name')}"
        for node, errors in node_errors.items()
        for one in errors["errors"]
    ]
    return sorted(found) if found or is_valid else [error["type"]]


async def main():
    import execution
    import nodes
    import server

    server.PromptServer(asyncio.get_running_loop())
    await nodes.init_extra_nodes(init_custom_nodes=False, init_api_nodes=True)
    for line in sys.stdin:
        problems = await problems_of(execution, json.loads(line))
        print(json.dumps(problems), file=answers, flush=True)


asyncio.run(main())
