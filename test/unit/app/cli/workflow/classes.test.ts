import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { typesIn } from '../../../../../src-main/features/workflows/rules/classes-file.ts'
import { type Answers, NOW, setupCli, startStandIn } from '../support.ts'

const CLASSES = {
  Ink: {
    input: { required: { image: [['mine.png'], { image_upload: true }], ink: ['INT', { tooltip: 'how much' }] } },
    output: ['IMAGE'],
    description: 'draws',
    python_module: 'custom_nodes.ink',
  },
  Mask: { input: { required: {} }, output: [], python_module: 'nodes' },
}
const FACTS = `{"version": "ComfyUI 0.33.0", "types": {
"Ink": {"input":{"required":{"image":[[],{"image_upload":true}],"ink":["INT"]}},"output":["IMAGE"],"python_module":"custom_nodes.ink"},
"Mask": {"input":{"required":{}},"output":[],"python_module":"nodes"}
}}
`
const STATS = { system: { comfyui_version: '0.33.0', python_version: '3' }, devices: [] }

const comfy = (answers: Answers = {}) =>
  startStandIn({ 'GET /object_info': CLASSES, 'GET /system_stats': STATS, ...answers })

describe('workflow classes', () => {
  test('lists those that come along with their version, and asks nobody', async () => {
    const { run, service } = await setupCli({})
    const { stdout, exitCode } = await run(['workflow', 'classes'])
    expect({ exitCode, seen: service.seen }).toEqual({ exitCode: 0, seen: [] })
    expect(stdout).toMatch(/source +comes with Drydock\nversion +ComfyUI \d+\.\d+\.\d+\nclasses +\d+\n/)
    expect(stdout).toMatch(/ComfyUI, partner nodes +\d+/)
  })

  test('lists those of a server by package, custom ones with their names', async () => {
    const { run } = await setupCli({})
    const { url } = await comfy()
    const address = url.replace('//', '//ann:secret@')
    const { stdout } = await run(['workflow', 'classes', '--server', address])
    expect(stdout).toBe(
      [
        `source   ${url}`,
        'version  ComfyUI 0.33.0',
        'classes  2',
        '',
        'PACKAGE  CLASSES  NAMES',
        'ComfyUI  1',
        'ink      1        Ink',
        '',
      ].join('\n'),
    )
    const asJson = await run(['workflow', 'classes', '--server', address, '--json'])
    expect(asJson.json()).toEqual({
      source: 'server',
      server: url,
      version: 'ComfyUI 0.33.0',
      packages: [
        { name: 'ComfyUI', kind: 'comfyui', classes: ['Mask'] },
        { name: 'ink', kind: 'custom', classes: ['Ink'] },
      ],
    })
  })

  test('writes the facts of a server as a file', async () => {
    const { run, folder } = await setupCli({})
    const { url } = await comfy()
    const { stdout } = await run(['workflow', 'classes', '--server', url, '-o', 'made.json'])
    expect(stdout).toBe('made.json: 2 classes of ComfyUI 0.33.0\n')
    expect(readFileSync(join(folder, 'made.json'), 'utf8')).toBe(FACTS)
  })

  test('writes those that come along as they are', async () => {
    const { run, folder } = await setupCli({})
    await run(['workflow', 'classes', '-o', 'made.json'])
    const made = readFileSync(join(folder, 'made.json'), 'utf8')
    const own = join(import.meta.dirname, '..', '..', '..', '..', '..', 'resources', 'node-types.json')
    expect(made === readFileSync(own, 'utf8')).toBe(true)
    expect(typesIn(made).size).toBeGreaterThan(800)
  })

  test('lists those of an endpoint, with when they were read', async () => {
    const answer = {
      text: JSON.stringify(CLASSES),
      source: 'server',
      server: 'http://far:1',
      readAt: NOW - 60_000,
      version: 'ComfyUI 0.30.0',
    }
    const { run, service } = await setupCli({ 'GET /api/node-types': answer })
    const { stdout } = await run(['workflow', 'classes', '--endpoint', 'e'])
    expect(stdout).toMatch(/source +http:\/\/far:1\nread +1 min ago\nversion +ComfyUI 0\.30\.0\nclasses +2\n/)
    expect(service.seen.map(({ line }) => line)).toEqual(['GET /api/node-types?endpoint=e'])
  })

  test.each<[string, Answers, RegExp]>([
    ['is another one', { 'GET /object_info': { detail: 'no' } }, /: it has no node classes/],
    [
      'refuses',
      { 'GET /object_info': (response: ServerResponse) => void response.writeHead(403).end('no') },
      /it answered with 403, and began with: no/,
    ],
  ])('says why there are none where the server %s', async (_what, answers, why) => {
    const { run } = await setupCli({})
    const { url } = await comfy(answers)
    const { exitCode, stderr } = await run(['workflow', 'classes', '--server', url.replace('//', '//ann:secret@')])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(why)
    expect(stderr).not.toContain('secret')
  })

  test('says what an address is, and takes one of server and endpoint', async () => {
    const { run } = await setupCli({})
    const bad = await run(['workflow', 'classes', '--server', 'far:8188'])
    expect(bad).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('an address like http://127.0.0.1:8188') })
    const both = await run(['workflow', 'classes', '--server', 'http://far', '--endpoint', 'e'])
    expect(both.stderr).toMatch(/cannot be used with/)
  })
})
