import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { createSentConfigs } from '../../../../src-main/runtimes/swarm/sent-configs.ts'

type Docker = Parameters<ReturnType<typeof createSentConfigs>['send']>[0]

/** An engine that keeps the data of configs. */
function configEngine() {
  const data: Buffer[] = []
  const docker: unknown = {
    listConfigs: async () => [],
    createConfig: async ({ Data }: { Data: string }) => ({ id: String(data.push(Buffer.from(Data, 'base64'))) }),
  }
  return { docker: docker as Docker, sent: () => gunzipSync(Buffer.concat(data)).toString().split('\n', 1)[0] ?? '' }
}

test('a folder of a handler is sent to a swarm without the files that .runpodignore names', async () => {
  const path = mkdtempSync(join(tmpdir(), 'drydock-sent-configs-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  mkdirSync(join(path, 'private'))
  for (const file of ['handler.py', 'private/notes.txt', 'a.bin', 'keep.bin']) writeFileSync(join(path, file), file)
  writeFileSync(join(path, '.runpodignore'), 'private/\n*.bin\n!keep.bin\n')
  const { docker, sent } = configEngine()
  const folders = [{ path, kind: 'project', target: '/app' }] as const
  await createSentConfigs('service', () => 0).send(docker, folders, new AbortController().signal)
  expect(
    JSON.parse(sent())
      .map((entry: { path: string }) => entry.path)
      .sort(),
  ).toEqual(['.runpodignore', 'handler.py', 'keep.bin'])
})
