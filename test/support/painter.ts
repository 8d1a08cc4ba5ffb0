/** An image worker for tests: it paints squares by the words and the seed of a graph, and is led by files. */
import { expect } from 'vitest'
import type { ServedService } from './served-service.ts'

/**
 * Reports each node, and two steps of its sampler with a preview; where the title of the sampler is a file's, it waits
 * for that after each step.
 */
const PAINTER = `
import base64, os, struct, time, zlib
from svc_worker import progress

def picture(words, seed, size=64):
    red, green, blue = (zlib.crc32(f"{words} {seed} {n}".encode()) % 200 + 40 for n in range(3))
    def pixel(x, y):
        return bytes((red, (green + 2 * y) % 256, blue) if (x // 16 + y // 16) % 2 else (red // 2, green // 2, blue))
    rows = b"".join(b"\\0" + b"".join(pixel(x, y) for x in range(size)) for y in range(size))
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return base64.b64encode(b"\\x89PNG\\r\\n\\x1a\\n" + parts).decode()

def handler(job):
    nodes = job["input"]["workflow"]
    done = []
    images = []
    words = " ".join(str(n["inputs"].get("text", "")) for n in nodes.values())
    seed = next((n["inputs"]["seed"] for n in nodes.values() if "seed" in n["inputs"]), 0)
    for id, node in sorted(nodes.items(), key=lambda item: item[1]["class_type"] == "SaveImage"):
        kind = node["class_type"]
        progress({"node": id, "done": list(done)})
        if kind == "CheckpointLoaderSimple" and node["inputs"]["ckpt_name"] == "none.safetensors":
            error = {"message": "no such checkpoint is here", "node": id, "class": kind, "input": "ckpt_name"}
            return {"error": error}
        if kind == "KSampler":
            for step in (1, 2):
                preview = {"node": id, "data": "data:image/png;base64," + picture(words, seed * 10 + step, 16)}
                progress({"node": id, "step": step, "steps": 2, "done": list(done), "preview": preview})
                gate = node.get("_meta", {}).get("title", "")
                while gate.startswith("/") and not os.path.exists(f"{gate}-{step}"):
                    time.sleep(0.005)
        if kind == "SaveImage":
            name = f"{node['inputs']['filename_prefix']}_00001_.png"
            images.append({"filename": name, "type": "base64", "data": picture(words, seed), "node": id})
        done.append(id)
    return {"images": images}
`

/** Makes an endpoint `painter`, whose classes of nodes are known: the editor chooses it by itself. */
export async function createPainter(service: Pick<ServedService, 'createHandler' | 'ask' | 'get'>): Promise<void> {
  await service.createHandler('painter', PAINTER, { workersMax: 1, workflows: {} })
  const { text } = await service.get('/api/node-types')
  const { status } = await service.ask('PUT', '/api/node-types/painter', { text })
  expect(status).toBe(200)
}

/** Differences between the graphs of a test. */
export type PaintSettings = {
  readonly text?: string
  /** As JSON has it, so that it may be larger than a double holds. */
  readonly seed?: string
  /** Title of the sampler: of a file, it waits there after each of its steps for the file and `-1`, `-2`. */
  readonly gate?: string
  /** A node that loads a picture is in it too; nothing is made of that. */
  readonly loads?: boolean
  /** It asks for a checkpoint that the painter has not. */
  readonly fails?: boolean
}

/** The text of a payload that the painter runs. */
export function payloadText({
  text = 'a harbour',
  seed = '1',
  gate = 'KSampler',
  loads = false,
  fails = false,
}: PaintSettings = {}): string {
  const checkpoint = fails ? 'none.safetensors' : 'v1-5.safetensors'
  return `{
    "3": {"class_type": "KSampler", "inputs": {"seed": ${seed}, "steps": 2, "cfg": 7.0, "sampler_name": "euler",
      "scheduler": "normal", "denoise": 1.0, "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0],
      "latent_image": ["5", 0]}, "_meta": {"title": ${JSON.stringify(gate)}}},
    "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "${checkpoint}"}},
    "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 64, "height": 64, "batch_size": 1}},
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": ${JSON.stringify(text)}, "clip": ["4", 1]}},
    "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "blurry", "clip": ["4", 1]}},
    "8": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["4", 2]}},
    ${loads ? '"10": {"class_type": "LoadImage", "inputs": {"image": "none.png"}},' : ''}
    "9": {"class_type": "SaveImage", "inputs": {"filename_prefix": "harbour", "images": ["8", 0]}}
  }`
}
