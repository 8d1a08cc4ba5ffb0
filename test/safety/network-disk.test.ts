/** A data folder on a network disk: the service starts all the same, and says it wherever somebody may look. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src-main/app/headless/main.ts'
import type { Look } from '../../src-main/features/system/adapters/file-system.ts'
import { servedService } from '../support/served-service.ts'

const NFS = 0x6969
const EXT4 = 0xef53

async function start(type: number) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-network-disk-'))
  const look: Look = {
    platform: 'linux',
    realPath: async (path) => path,
    type: async () => type,
    mounts: async () => undefined,
  }
  const server = await startServer({ data: join(folder, 'data'), port: 0, stopGraceMs: 0, look })
  onTestFinished(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const key = readFileSync(server.keyFile, 'utf8').trim()
  const answer = await fetch(`${server.url}/api/doctor`, { headers: { authorization: `Bearer ${key}` } })
  const { rows } = (await answer.json()) as { rows: { check: string; state: string; found: string; fix?: string }[] }
  const log = readFileSync(join(server.data, 'drydock.log'), 'utf8')
  return { server, row: rows.find(({ check }) => check === 'file system'), log }
}

test('the start, the log and the checks of the pages say that the data folder is on a network disk', async () => {
  const { server, row, log } = await start(NFS)
  const why = 'NFS: locks and syncs are not reliable there, so a crash can lose or damage data'
  const fix = 'Keep the data folder on a disk of this machine: name one with --data.'
  expect(server.warnings).toEqual([`The data folder ${server.data} is on ${why}. ${fix}`])
  expect(row).toEqual({ check: 'file system', state: 'warning', found: why, fix })
  expect(log).toContain(`"warning":"The data folder ${server.data} is on NFS`)
})

test('a start on a disk of this machine says nothing', async () => {
  const { server, row, log } = await start(EXT4)
  expect([server.warnings, row]).toEqual([[], { check: 'file system', state: 'ok', found: 'ext4' }])
  expect(log).not.toContain('warning')
})

// Loaded before the service: each file system is one of another machine.
const ALL_NFS = `
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
const { statfs } = files
files.statfs = async (...args) => Object.assign(await statfs(...args), { type: ${NFS} })
syncBuiltinESMExports()`

test('the command prints the warning as a line of its start', async ({ skip }) => {
  skip(process.platform !== 'linux', 'the number of a file system is of Linux')
  const service = servedService()
  const preload = `--import=data:text/javascript,${encodeURIComponent(ALL_NFS)}`
  await service.start({ env: { NODE_OPTIONS: preload } })
  const { exitCode, stderr } = await service.stop()
  expect([exitCode, stderr.match(/^warning: .*$/gm)]).toEqual([
    0,
    [
      `warning: The data folder ${service.data} is on NFS: locks and syncs are not reliable there, so a crash can lose or damage data. Keep the data folder on a disk of this machine: name one with --data.`,
    ],
  ])
})
