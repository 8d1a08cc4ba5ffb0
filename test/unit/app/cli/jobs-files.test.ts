import { readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NOW, setupCli } from './support.ts'

const LINES = '{"id":"j2","input":{"n":2}}\n{"id":"j1","input":{"n":1}}\n'
const bad = { queued: 2, refused: 3, bad: [{ line: 2, reason: 'The body is not JSON.' }] }

const setup = (result: object = { queued: 2, refused: 0, bad: [] }) =>
  setupCli({
    'GET /api/job-export': (response: ServerResponse) => void response.writeHead(200).end(LINES),
    'POST /api/endpoints/hello/jobs': result,
  })

describe('jobs export', () => {
  test('prints the lines as they come, by the filter', async () => {
    const { run, service } = await setup()
    const { stdout } = await run(['jobs', 'export', '--endpoint', 'hello', '--status', 'FAILED', '--search', 'keel'])
    expect(stdout).toBe(LINES)
    expect(service.seen.map(({ line }) => line)).toEqual(['GET /api/job-export?endpoint=hello&status=FAILED&q=keel'])
  })

  test.each([
    ['2h', NOW - 7_200_000],
    ['30min', NOW - 1_800_000],
    ['1.5d', NOW - 129_600_000],
    ['2026-11-03T14:00Z', Date.UTC(2026, 10, 3, 14)],
    ['2026-11-03', new Date(2026, 10, 3).getTime()],
  ])('--since %s and --until are times of creation', async (since, from) => {
    const { run, service } = await setup()
    await run(['jobs', 'export', '--since', since, '--until', '0s'])
    expect(service.seen.map(({ line }) => line)).toEqual([`GET /api/job-export?from=${from}&to=${NOW}`])
  })

  test.each(['yesterday', '2', '-1h', '2026-13-40', '1e3'])('--since %s is refused', async (since) => {
    const { run, service } = await setup()
    const { exitCode, stderr } = await run(['jobs', 'export', `--since=${since}`])
    expect([exitCode, stderr, service.seen]).toEqual([2, expect.stringContaining('a duration like 30min'), []])
  })

  test('writes them into a file, and says how many', async () => {
    const { run, folder } = await setup()
    expect((await run(['jobs', 'export', '-o', 'jobs.jsonl'])).stdout).toContain('2 jobs written to ')
    expect(readFileSync(join(folder, 'jobs.jsonl'), 'utf8')).toBe(LINES)
  })
})

describe('jobs import', () => {
  test('sends the file as it is, from the disk and from standard input', async () => {
    const { run, service, folder } = await setup()
    writeFileSync(join(folder, 'jobs.jsonl'), LINES)
    expect((await run(['jobs', 'import', 'hello', 'jobs.jsonl'])).stdout).toContain('2 jobs queued on hello')
    await run(['jobs', 'import', 'hello', '-'], { stdin: LINES })
    expect(service.seen.map(({ body }) => body)).toEqual([LINES, LINES])
  })

  test('names bad lines by their numbers, and fails', async () => {
    const { run, folder } = await setup(bad)
    writeFileSync(join(folder, 'jobs.jsonl'), LINES)
    const { exitCode, stdout, stderr } = await run(['jobs', 'import', 'hello', 'jobs.jsonl'])
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('2 jobs queued')])
    expect(stderr).toContain('line 2: The body is not JSON.')
    expect(stderr).toContain('and 2 lines more')
  })

  test('of a file that does not exist is refused', async () => {
    const { run } = await setup()
    const { exitCode, stderr } = await run(['jobs', 'import', 'hello', 'none.jsonl'])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('none.jsonl cannot be read')])
  })
})
