import { createHash } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOCK_SCHEMA, workflowLock } from '../../../../src-main/contract/worker-images.ts'
import { readLockFile } from '../../../../src-main/features/worker-images/commands/read-lock-file.ts'
import { writeLock } from '../../../../src-main/features/worker-images/rules/lock-file.ts'
import { surroundingsOf, temporaryFolder } from '../../app/cli/support.ts'
import { writeFiles } from './git-folders.ts'

const GRAPH = '{"1":{"class_type":"SaveImage","inputs":{}}}'

test('a lock puts no other file of this machine into an image as its workflow', async () => {
  const folder = temporaryFolder()
  const project = join(folder, 'project')
  const read = (file: string, content: string) => {
    const sha256 = createHash('sha256').update(content).digest('hex')
    const lock = workflowLock.parse({
      schema: LOCK_SCHEMA,
      comfyui: { repository: 'https://code.example/ComfyUI', commit: 'a'.repeat(40) },
      base: { image: 'python:3.12', python: '3.12' },
      workflow: { file, sha256 },
    })
    writeFiles(project, { 'cat.lock.yaml': writeLock(lock) })
    return readLockFile('cat.lock.yaml', surroundingsOf(project).surroundings)
  }
  writeFiles(folder, { 'private.key': 'key', 'project/own.json': '{"edited":true}', 'away.json': GRAPH })
  symlinkSync('../private.key', join(project, 'cat.json'))
  for (const file of ['../private.key', join(folder, 'private.key'), 'cat.json'])
    await expect(read(file, 'unknown')).rejects.toThrow('is outside its folder')
  await expect(read('../private.key', 'key')).rejects.toThrow('is outside its folder')
  await expect(read('../away.json', 'other')).rejects.toThrow('is outside its folder')
  expect((await read('../away.json', GRAPH)).graphFile).toBe(join(folder, 'away.json'))
  expect((await read('own.json', '{}')).graphFile).toBe(join(project, 'own.json'))
  expect((await read('missing.json', '{}')).graphFile).toBe(join(project, 'missing.json'))
})
