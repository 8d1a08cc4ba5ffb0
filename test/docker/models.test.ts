/** Model folders in containers of workers. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { LORA, sha256Of } from '../support/model-files.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

// Finds the folders as ComfyUI does: from extra_model_paths.yaml, whose texts are quoted as in JSON.
const LOOK = `
import hashlib, json, os, re

PATHS = "/comfyui/extra_model_paths.yaml"

def attempt(work):
    try:
        work()
        return "done"
    except OSError as error:
        return error.strerror

def put(path):
    with open(path, "wb") as file:
        file.write(b"x")

def handler(job):
    with open(PATHS) as file:
        section = file.read().split("drydock_1:", 1)[1]
    base = json.loads(re.search(r"base_path: (.+)", section)[1])
    places = json.loads(re.search(r'"loras": (.+)', section)[1]).split("\\n")
    model = os.path.join(base, places[0], job["input"]["name"])
    with open(model, "rb") as file:
        sha256 = hashlib.sha256(file.read()).hexdigest()
    return {
        "model": model,
        "sha256": sha256,
        "writes": {
            "new file": attempt(lambda: put(os.path.join(base, places[0], "new.safetensors"))),
            "the model": attempt(lambda: put(model)),
            "its end": attempt(lambda: os.remove(model)),
            "new folder": attempt(lambda: os.mkdir(os.path.join(base, "new"))),
            "the paths": attempt(lambda: put(PATHS)),
        },
    }
`

test('a worker that takes graphs finds a model through extra_model_paths.yaml and can read it, but not change it', async () => {
  const service = await startedContainerService(engine)
  const folder = join(service.folder, 'models')
  const file = join(folder, 'loras', 'ink.safetensors')
  mkdirSync(join(folder, 'loras'), { recursive: true })
  writeFileSync(file, LORA)
  await service.post('/api/models/folders', { folders: [{ path: folder }] })
  const look = async (id: string, settings: object) => {
    await service.createContainerHandler(id, LOOK, { workflows: {}, ...settings }, { prepared: 0 })
    return service.jobEnd(id, await service.run(id, { name: 'ink.safetensors' }))
  }
  const readOnly = 'Read-only file system'
  expect(await look('paints', {})).toMatchObject({
    status: 'COMPLETED',
    output: {
      model: '/opt/drydock/models/1/loras/ink.safetensors',
      sha256: sha256Of(LORA),
      writes: {
        'new file': readOnly,
        'the model': readOnly,
        'its end': readOnly,
        'new folder': readOnly,
        'the paths': readOnly,
      },
    },
  })
  expect(readFileSync(file).equals(LORA)).toBe(true)
  // Endpoints without models get neither the folder nor the file.
  expect(await look('apart', { workflows: { modelFolders: false } })).toMatchObject({
    status: 'FAILED',
    error: expect.stringContaining('/comfyui/extra_model_paths.yaml'),
  })
})
