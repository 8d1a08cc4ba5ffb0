import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answers, NOW, setupCli } from '../support.ts'

const GRAPH = JSON.stringify({
  nodes: [
    { id: 1, type: 'Ink', properties: { cnr_id: 'ink-nodes', ver: '1.2.0' }, widgets_values: [7] },
    { id: 2, type: 'Paint', widgets_values: [] },
  ],
  links: [],
  version: 0.4,
})
const INDEX = JSON.stringify({ 'https://github.com/ann/paint': [['Paint'], { title_aux: 'Paint box' }] })
const IN_INK = 'It is in the package ink-nodes 1.2.0 (https://registry.comfy.org/nodes/ink-nodes).'
const IN_PAINT = 'It is in the package Paint box (https://github.com/ann/paint).'

async function setup(index?: string, answers: Answers = {}) {
  const cli = await setupCli(answers)
  writeFileSync(join(cli.folder, 'graph.json'), GRAPH)
  if (index !== undefined) writeFileSync(join(cli.folder, 'node-packages.json'), index)
  const workflow = (...words: string[]) => cli.run(['workflow', ...words, '--data', cli.folder])
  return { ...cli, workflow }
}

test('unknown classes are reported with their package, by the graph and by the index in the data folder', async () => {
  const { workflow } = await setup(INDEX)
  const { stdout, exitCode } = await workflow('validate', 'graph.json')
  expect(exitCode).toBe(0)
  expect(stdout).toContain(`The class Ink is not known here. A worker that has it can still run the node. ${IN_INK}`)
  expect(stdout).toContain(
    `The class Paint is not known here. A worker that has it can still run the node. ${IN_PAINT}`,
  )
  const { problems } = (await workflow('validate', 'graph.json', '--json')).json() as { problems: object[] }
  expect(problems).toContainEqual(
    expect.objectContaining({
      code: 'unknown_class',
      node: '2',
      packages: [{ name: 'Paint box', address: 'https://github.com/ann/paint' }],
    }),
  )
})

test('info and convert name the package, too', async () => {
  const { workflow } = await setup(INDEX)
  const info = await workflow('info', 'graph.json')
  expect(info.stdout).toMatch(/not known here +Ink\. It is in the package ink-nodes/)
  expect(info.stdout).toContain(`Paint. ${IN_PAINT}`)
  const { stderr } = await workflow('convert', 'graph.json', '--to', 'api')
  expect(stderr).toContain(IN_INK)
})

test('an index that cannot be read is reported, and keeps nothing from being checked', async () => {
  const { workflow } = await setup('{"a":')
  const { stdout, stderr } = await workflow('validate', 'graph.json')
  expect(stderr).toContain('node-packages.json in the data folder cannot be read: it is not JSON.')
  expect(stdout).toContain(IN_INK)
})

test('without an index and without a name nothing is said of packages', async () => {
  const { workflow } = await setup()
  const { stdout, stderr } = await workflow('validate', 'graph.json')
  expect({ stderr, paint: /Paint.*package/.test(stdout) }).toEqual({ stderr: '', paint: false })
})

describe('on an endpoint', () => {
  const QUEUED = {
    id: 'j',
    endpointId: 'e',
    title: 'graph',
    status: 'IN_QUEUE',
    createdAt: NOW,
    results: [],
    errors: [],
  }
  const answers = {
    'GET /api/node-types': { text: '{"Other":{"input":{},"output":[]}}', source: 'server' },
    'POST /api/node-packages': {
      classes: [{ name: 'Paint', packages: [{ name: 'Paint box', address: 'https://github.com/ann/paint' }] }],
    },
    'POST /api/workflow-runs': QUEUED,
    'GET /api/workflow-runs/j': { ...QUEUED, status: 'COMPLETED', endedAt: NOW, payload: '{}' },
    'POST /api/published-graphs': { id: 'graph', version: 1, url: 'http://x', parameters: [] },
  }
  const COMMANDS = [
    ['run', 'graph.json', '--endpoint', 'e'],
    ['sweep', 'graph.json', '--endpoint', 'e', '--over', '2.size=1,2'],
    ['publish', 'graph.json', '--endpoint', 'e'],
    ['validate', 'graph.json', '--endpoint', 'e'],
    ['convert', 'graph.json', '--endpoint', 'e', '--to', 'api'],
  ]

  test.for(COMMANDS)('%s names the packages, by the index of the service', async (command) => {
    const { run, service } = await setup(undefined, answers)
    const { stdout, stderr } = await run(['workflow', ...command])
    expect(stdout + stderr).toContain(`. ${IN_INK}`)
    if (command[0] !== 'convert')
      expect(stdout + stderr).toContain(
        `The class Paint is not known here. A worker that has it can still run the node. ${IN_PAINT}`,
      )
    expect(service.seen.filter(({ line }) => line === 'POST /api/node-packages').map(({ body }) => body)).toEqual([
      { classes: command[0] === 'convert' ? ['Ink'] : ['Ink', 'Paint'] },
    ])
  })

  test('tells an index that the service cannot read, and runs', async () => {
    const fault = { classes: [], fault: 'it is not JSON' }
    const { run } = await setup(undefined, { ...answers, 'POST /api/node-packages': fault })
    const { stderr, exitCode } = await run(['workflow', 'run', 'graph.json', '--endpoint', 'e'])
    expect(stderr).toContain('node-packages.json in the data folder cannot be read: it is not JSON.')
    expect({ exitCode, inInk: stderr.includes(IN_INK) }).toEqual({ exitCode: 0, inInk: true })
  })
})
