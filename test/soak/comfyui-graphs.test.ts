/** Graphs of users and of our own, by the command line, on a real ComfyUI; see test/support/real-comfyui. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from 'fast-png'
import { describe, expect } from 'vitest'
import { beforeComfyUi, type ComfyService, ENDPOINT } from '../support/real-comfyui/before-comfyui.ts'
import { DOCUMENT, OWN_GRAPHS } from '../support/real-comfyui/graphs.ts'
import { maskedPicture } from '../support/real-comfyui/pictures.ts'
import { CHECKPOINT } from '../support/real-comfyui/start-comfyui.ts'
import { noWorkflowFiles, readWorkflowFile } from '../support/workflow-files.ts'

// Those that need no model but a checkpoint.
const OF_USERS = [
  '01_api_sd15-txt2img.json',
  '02_api_sdxl-base-refiner.json',
  '05_api_sd3-oneline-no-meta.json',
  '06_api_img2img-loadimage.json',
  '10_api_inpaint-is-changed.json',
  '17_api_seed-above-2-53-derived.json',
]

// Values that differ by graph, small enough that a processor draws in a second.
const SET: Readonly<Record<string, string | number>> = {
  ...{ ckpt_name: CHECKPOINT, image: 'masked.png', width: 64, height: 64 },
  ...{ steps: 2, start_at_step: 0, end_at_step: 2 },
}

type Node = { readonly inputs: Readonly<Record<string, unknown>> }

// Inputs that servers require since the file was made.
const MISSING: Readonly<Record<string, readonly string[]>> = {
  '10_api_inpaint-is-changed.json': ['--set', '26.grow_mask_by=0'],
}

/** Options that set what the graph has of these. */
const setting = (payload: Readonly<Record<string, Node>>): readonly string[] =>
  Object.entries(payload).flatMap(([id, { inputs }]) =>
    Object.entries(SET).flatMap(([name, value]) =>
      typeof inputs[name] === typeof value ? ['--set', `${id}.${name}=${value}`] : [],
    ),
  )

/** Runs a file of the service's folder by the command line. @returns the files that it wrote, in the server's order */
async function runFile(service: ComfyService, file: string, options: readonly string[] = []) {
  const argv = ['workflow', 'run', file, '--endpoint', ENDPOINT, '-o', `made-${file}`, ...options]
  const { exitCode, stdout, stderr } = await service.command(...argv)
  expect([file, exitCode, stderr]).toEqual([file, 0, ''])
  const { status, errors, results } = JSON.parse(stdout)
  expect([file, status, errors]).toEqual([file, 'COMPLETED', []])
  return results.map((result: { readonly file: string }) => readFileSync(result.file))
}

const sizeOf = (bytes: Buffer): readonly [number, number] => {
  const { width, height } = decode(bytes)
  return [width, height]
}

describe('before a real ComfyUI', () => {
  const { test, withService } = beforeComfyUi()

  test('graphs of users run by the command line, with the checkpoint that is there', async ({ skip }) => {
    if (noWorkflowFiles !== undefined) return skip(true, noWorkflowFiles)
    const service = await withService()
    writeFileSync(join(service.folder, 'masked.png'), maskedPicture())
    for (const name of OF_USERS) {
      const text = readWorkflowFile(name)
      writeFileSync(join(service.folder, name), text)
      const files = await runFile(service, name, [...setting(JSON.parse(text)), ...(MISSING[name] ?? [])])
      expect([name, files.length > 0]).toEqual([name, true])
      const size = /img2img|inpaint/.test(name) ? [256, 64] : [64, 64]
      for (const file of files) expect([name, sizeOf(file)]).toEqual([name, size])
    }
  })

  test('payloads run as the documents that they are converted to, and give what they say', async () => {
    const service = await withService()
    for (const [at, [name, { payload, gives }]] of Object.entries(OWN_GRAPHS).entries()) {
      const [api, ui] = [`api-${at}.json`, `ui-${at}.json`]
      writeFileSync(join(service.folder, api), JSON.stringify(payload))
      expect((await service.command('workflow', 'convert', api, '--to', 'ui', '-o', ui)).exitCode).toBe(0)
      const files = await runFile(service, ui)
      const found = files.map((file: Buffer, index: number) =>
        typeof gives[index] === 'string' ? file.toString() : sizeOf(file),
      )
      expect([name, found.toSorted()]).toEqual([name, gives.toSorted()])
    }
  })

  test('a document runs with its primitive, its reroute, and without what is bypassed or muted', async () => {
    const service = await withService()
    writeFileSync(join(service.folder, 'document.json'), JSON.stringify(DOCUMENT))
    const files = await runFile(service, 'document.json')
    expect(files.map(sizeOf)).toEqual([[80, 24]])
    expect(new Set(decode(files[0]).data)).toEqual(new Set([255]))
  })
})
