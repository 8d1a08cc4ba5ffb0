import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startedService, until } from '../support/served-service.ts'

const INPUTS = 60
// In three kinds of outputs at once, of some inputs: a number, a line of a text, a pixel of a picture.
const HANDLER = (version: number) => `
import base64, struct, zlib

BROKEN = ${version >= 6 ? 'True' : 'False'}

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

def picture(first):
    rows = b"".join(b"\\x00" + bytes([first if y == 0 and x == 0 else 100 for x in range(16)]) for y in range(16))
    head = struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0)
    png = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return base64.b64encode(png).decode()

def handler(job):
    n = job["input"]["n"]
    bad = BROKEN and n % 15 == 0
    image = picture(200 if bad and n == 30 else 100)
    text = "a\\nb" if bad and n == 45 else "a\\nc"
    return {"n": n + 1 if bad and n == 60 else n, "text": text, "images": [image], "version": ${version}}
`

test('a bisection finds the version that broke JSON, texts and pictures, over a kill of the service', async () => {
  const service = await startedService()
  const names = Array.from({ length: 8 }, (_one, at) => `v${at + 1}`)
  for (const [at, name] of names.entries())
    await service.createHandler(name, HANDLER(at + 1), { workersMax: 2, idleTimeoutMs: 2000 })
  const lines = Array.from({ length: INPUTS }, (_one, at) => JSON.stringify({ input: { n: at + 1 } }))
  writeFileSync(join(service.folder, 'inputs.jsonl'), lines.join('\n'))
  const words = ['bisect', ...names, '--input-file', 'inputs.jsonl', '--ignore', 'version']
  const cutOff = service.command(...words)
  const read = async () => (await service.get('/api/comparisons')).comparisons[0]
  // In the second round, with jobs of both kinds: ended, and under way.
  await until(async () => {
    const one = await read()
    expect(one?.versions[6].ended).toBeGreaterThan(6)
    expect(one.state).toBe('running')
  })
  await service.kill()
  expect((await cutOff).exitCode).not.toBe(1)
  await service.start()
  const one = await until(async () => {
    const found = await read()
    expect(found.state).toBe('done')
    return found
  })
  expect(one).toMatchObject({ items: INPUTS, rounds: [4, 6, 5], verdict: { result: 'differs', firstDiffering: 5 } })

  // Four versions were run, each with each input once.
  expect((await service.get('/api/job-count')).count).toBe(4 * INPUTS)
  const shown = await service.command('compare', 'show', one.id)
  expect(shown.exitCode).toBe(1)
  const { rows } = JSON.parse(shown.stdout)
  const found = rows.filter(
    (row: { version: number; outcome: string }) => row.version === 5 && row.outcome === 'differs',
  )
  expect(found.map((row: { item: number; differences: object[] }) => [row.item, row.differences])).toEqual([
    [45, [expect.objectContaining({ path: 'text', kind: 'text' })]],
    [30, [expect.objectContaining({ path: 'images[0]', kind: 'picture' })]],
    [60, [expect.objectContaining({ path: 'n', text: '61 instead of 60' })]],
  ])
})

test('drydock compare tells by its exit code what it found', async () => {
  const service = await startedService()
  await service.createHandler('one', 'handler = lambda job: {"n": 1}')
  await service.createHandler('two', 'handler = lambda job: {"n": 1.01}')
  writeFileSync(join(service.folder, 'inputs.jsonl'), '{"input": {}}')
  const compare = async (...words: string[]) => (await service.command('compare', 'one', 'two', ...words)).exitCode
  expect(await compare('--input-file', 'inputs.jsonl')).toBe(1)
  expect(await compare('--input-file', 'inputs.jsonl', '--relative', '0.02')).toBe(0)
  expect(await compare()).toBe(2)
  expect(await compare('--ids', 'none')).toBe(5)
  expect(JSON.parse((await service.command('compare', 'list')).stdout).comparisons).toHaveLength(2)
})
