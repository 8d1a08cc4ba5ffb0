/**
 * Remains of an artifact that could not be written completely: a limit on the size of files simulates a full disk.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { archive, file } from './tar-bytes.ts'

const ROOT = new URL('../../', import.meta.url)
// 900 KiB: POSIX counts blocks of 512 bytes. Without the trap the limit ends the process.
const LIMITED = `trap '' XFSZ; ulimit -f 1800; exec "$0" "$@"`
const BELOW_BYTES = 700_000
const ABOVE_BYTES = 3_000_000

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-half-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  /** Runs a program that may write no large file. @returns what it tells */
  const run = (module: string, program: string): unknown => {
    const imports = `const all = await import(${JSON.stringify(new URL(module, ROOT).href)})`
    const folderLine = `const folder = ${JSON.stringify(folder)}`
    const code = `${imports}\n${folderLine}\nconst tell = (told) => console.log(JSON.stringify(told))\n${program}`
    const args = ['-c', LIMITED, process.execPath, '--input-type=module', '-e', code]
    return JSON.parse(execFileSync('sh', args, { encoding: 'utf8' }))
  }
  return { folder, run }
}

test('a part of an upload that cannot be stored is cut off again, and the upload continues before it', () => {
  const { run } = setup()
  const told = run(
    'src-main/features/apps/store/artifact-files.ts',
    `const files = all.openArtifactFiles(folder)
     const name = 'a'.repeat(64)
     const append = (offset, bytes) => files.append(name, { offset, total: 9_000_000 }, Buffer.alloc(bytes))
     await append(0, ${BELOW_BYTES})
     const refused = await append(${BELOW_BYTES}, ${ABOVE_BYTES}).catch(({ code }) => code)
     tell([refused, await files.status(name), await append(${BELOW_BYTES}, 5)])`,
  )
  const partial = { state: 'partial', total: 9_000_000 }
  expect(told).toEqual([
    'DATABASE_BUSY',
    { ...partial, received: BELOW_BYTES },
    { ...partial, received: BELOW_BYTES + 5 },
  ])
})

test.each([
  ['that is written as it is read', ABOVE_BYTES],
  ['that is still written while it is read', 1_000_000],
])('nothing is left of an archive with a file %s and cannot be stored', (_which, bytes) => {
  const { folder, run } = setup()
  writeFileSync(
    join(folder, 'artifact'),
    archive(file('a'), file('large', { content: Buffer.alloc(bytes) }), file('b')),
  )
  const told = run(
    'src-main/features/apps/adapters/unpack-artifact.ts',
    `const unpacking = all.unpackArtifact(folder + '/artifact', folder + '/unpacked/app', new AbortController().signal)
     tell(await unpacking.then(() => 'unpacked', ({ message }) => message))`,
  )
  expect(told).toContain('The artifact cannot be unpacked: EFBIG')
  expect(readdirSync(join(folder, 'unpacked'))).toEqual([])
})
