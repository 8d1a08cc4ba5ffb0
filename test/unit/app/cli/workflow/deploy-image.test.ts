import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setupCli } from '../support.ts'

const GRAPH = { '1': { class_type: 'KSampler', inputs: { seed: 7 } } }

const LOCK = {
  schema: 'drydock-workflow-lock/1',
  comfyui: { repository: 'https://example.com/comfyui', commit: 'a'.repeat(40) },
  base: { image: 'python:3.11-slim', python: '3.11' },
}

async function setup() {
  const { folder, run } = await setupCli({})
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const sha256 = createHash('sha256').update(JSON.stringify(GRAPH)).digest('hex')
  write('cat.lock.yaml', JSON.stringify({ ...LOCK, workflow: { file: 'cat.json', sha256 } }))
  const deploy = async (file: string) =>
    (await run(['workflow', 'deploy', file, '--image', 'cat:1', '--target', 'box', '--plan'])).stderr
  return { write, deploy }
}

test('a graph that only its layout tells from the locked one has not changed', async () => {
  const { write, deploy } = await setup()
  write('cat.json', `${JSON.stringify(GRAPH, undefined, 2)}\n`)
  expect(await deploy('cat.lock.yaml')).not.toContain('was changed')
  write('cat.json', JSON.stringify(GRAPH).replace('7', '8'))
  expect(await deploy('cat.lock.yaml')).toContain(
    'was changed after it was locked. Lock it again: drydock workflow lock ',
  )
})

test('takes the graph that is next to its lock, and says how to lock one that is not locked', async () => {
  const { write, deploy } = await setup()
  write('cat.json', JSON.stringify(GRAPH).replace('7', '8'))
  expect(await deploy('cat.json')).toContain('was changed after it was locked')
  expect(await deploy('dog.json')).toContain(
    'dog.lock.yaml cannot be read: dog.json has no lock yet. Make one: drydock workflow lock dog.json',
  )
})
