/**
 * Graphs published and swept by commands, on the worker that comes along, and asked by the public JavaScript client.
 */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import runpodSdk from 'runpod-sdk'
import { expect, test } from 'vitest'
import { readPngTexts } from '../../src-main/features/workflows/rules/metadata/png.ts'
import { fileTools } from '../../src-main/shipped-files/resources.ts'
import { sharedService } from '../support/shared-in-file.ts'

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const BIG_SEED = '18446744073709551615'

const shared = sharedService()

async function setup() {
  const service = await shared()
  const handler = fromRoot('resources/node/sketch/handler.ts')
  await service.createEndpoint('sketch', { handler, workflows: {}, workersMax: 1 })
  copyFileSync(fromRoot('resources/workflows/text-to-picture.json'), join(service.folder, 'lamp.json'))
  const command = async (...argv: string[]) => {
    const { exitCode, stdout, stderr } = await service.command(...argv)
    return {
      exitCode,
      stderr,
      documents: stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    }
  }
  return { service, command }
}

const textsIn = (file: Uint8Array) => new Map(readPngTexts(file, fileTools).map(({ keyword, text }) => [keyword, text]))

test('a published graph is asked by the public client, and its picture holds the parameters that were given', async () => {
  const { service, command } = await setup()
  const wish = [
    'workflow',
    'publish',
    'lamp.json',
    '--endpoint',
    'sketch',
    '--expose',
    '4.text=prompt',
    '--expose',
    '6.seed',
  ]
  expect(await command(...wish)).toMatchObject({ exitCode: 0, documents: [{ id: 'lamp', version: 1 }] })
  expect(await command(...wish, '--id', 'lamp')).toMatchObject({ documents: [{ version: 2, versions: [2, 1] }] })
  const key = readFileSync(join(service.data, 'account.key'), 'utf8').trim()
  const endpoint = runpodSdk(key, { baseUrl: `${service.url()}/v2` }).endpoint('lamp')
  const answer = await endpoint?.runSync({ input: { prompt: 'a boat at night', seed: 3 } })
  const image = answer?.output.images[0]
  const prompt = textsIn(Buffer.from(image.data, 'base64')).get('prompt')
  expect(prompt).toContain('a boat at night')
  expect(prompt).toContain('"seed":3')
  await expect(endpoint?.runSync({ input: { prompt: 7 } })).rejects.toThrow()
})

test('a graph that is wrong, or an input that does not exist, publishes nothing', async () => {
  const { service, command } = await setup()
  const publish = (...more: string[]) => command('workflow', 'publish', 'lamp.json', '--endpoint', 'sketch', ...more)
  expect(await publish('--expose', '3.text')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Node 3 (EmptyLatentImage) has no input text.'),
  })
  expect(await publish('--expose', 'text')).toMatchObject({ exitCode: 2 })
  expect((await service.get('/api/published-graphs')).graphs).toEqual([])
})

test('a sweep runs each combination, exact to the last digit, each result in a folder of its own', async () => {
  const { service, command } = await setup()
  const over = ['--over', `6.seed=${BIG_SEED},7`, '--over', '6.steps=2,3']
  const { exitCode, documents } = await command(
    'workflow',
    'sweep',
    'lamp.json',
    '--endpoint',
    'sketch',
    ...over,
    '-o',
    'out',
  )
  expect(exitCode).toBe(0)
  const labels = [`seed ${BIG_SEED}, steps 2`, `seed ${BIG_SEED}, steps 3`, 'seed 7, steps 2', 'seed 7, steps 3']
  expect(documents[0].runs.map((run: { label: string }) => run.label)).toEqual(labels)
  expect(readdirSync(join(service.folder, 'out')).toSorted()).toEqual([...labels, 'sheet.svg'].toSorted())
  const sheet = readFileSync(documents[0].sheet, 'utf8')
  expect(sheet.match(/href="data:image\/jpeg;base64,/g)).toHaveLength(4)
  expect(sheet).toContain('seed down, steps across')
  const [file] = documents[0].runs[0].results
  expect(textsIn(readFileSync(file.file)).get('prompt')).toContain(`"seed":${BIG_SEED}`)
  const { runs } = await service.get(`/api/workflow-runs?sweep=${documents[0].sweepId}`)
  expect(runs).toHaveLength(4)
})
