/** Runs of the sketch worker: what is told, kept, refused and stopped. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { handler } from '../../../../resources/node/sketch/handler.ts'
import { NODE_RUNS } from '../../../../resources/node/sketch/nodes.ts'
import { rawJson } from '../../../../resources/node/svc-worker/raw-json.ts'
import { pictureToPicture, run, type Told, textToPicture } from './graphs.ts'

it('has runs only for the classes that it says it has', () => {
  const path = new URL('../../../../resources/node/sketch/classes.json', import.meta.url)
  expect(JSON.parse(readFileSync(path, 'utf8')).classes).toEqual(expect.arrayContaining(Object.keys(NODE_RUNS)))
})

it('progress names each node, counts the steps, shows previews, and says what is done', async () => {
  const told: Told[] = []
  await run(textToPicture({ steps: 40, size: 264 }), { progress: (value) => told.push(value) })
  expect([...new Set(told.map(({ node }) => node))].sort()).toEqual(['3', '4', '5', '6', '7', '8', '9'])
  const steps = told.filter(({ node, step }) => node === '3' && step > 0)
  expect(steps.map(({ step }) => step)).toEqual(steps.map(({ step }) => step).toSorted((a, b) => a - b))
  expect(steps.at(-1)).toMatchObject({ step: 40, steps: 40, done: expect.arrayContaining(['4', '5', '6', '7']) })
  const previews = told.flatMap(({ preview }) => preview ?? [])
  expect(previews[0]).toMatchObject({ node: '3', data: expect.stringMatching(/^data:image\/jpeg;base64,/) })
  expect(new Set(previews.map(({ data }) => data)).size).toBeGreaterThan(2)
  expect(Math.max(...previews.map(({ data }) => data.length))).toBeLessThan(64_000)
})

it('nodes of other workers that nothing needs are left out, and named', async () => {
  const nodes = textToPicture()
  nodes[30] = { class_type: 'PlaySound', inputs: { images: ['8', 0] } }
  const { images, notes } = await run(nodes)
  expect(images).toHaveLength(1)
  expect(notes?.[1]).toBe('Left out, as the stand-in does not have them: PlaySound (node 30)')
})

it('a run that is stopped ends in the middle of a node', async () => {
  const stopping = new AbortController()
  const end = run(textToPicture({ steps: 10_000, size: 512 }), {
    signal: stopping.signal,
    progress: ({ step }) => step > 2 && stopping.abort(),
  })
  await expect(end).rejects.toThrow('aborted')
})

describe('a graph that cannot be run', () => {
  const withInput = (id: string, name: string, value: unknown) => {
    const nodes = textToPicture()
    Object.assign(nodes[id]?.inputs ?? {}, { [name]: value })
    return nodes
  }
  const withClass = (id: string, classType: string) => {
    const nodes = textToPicture()
    Object.assign(nodes[id] ?? {}, { class_type: classType })
    return nodes
  }
  const cases: readonly [string, unknown, object][] = [
    ['a value that is too small', withInput('3', 'steps', 0), { node: '3', class: 'KSampler', input: 'steps' }],
    [
      'a value that is none of the choices',
      withInput('3', 'sampler_name', 'magic'),
      { node: '3', input: 'sampler_name' },
    ],
    ['a link to nothing', withInput('8', 'samples', ['99', 0]), { node: '8', class: 'VAEDecode', input: 'samples' }],
    ['a link of the wrong kind', withInput('8', 'samples', ['4', 2]), { node: '8', input: 'samples' }],
    ['a loop', withInput('6', 'clip', ['8', 0]), { message: expect.stringContaining('loop') }],
    [
      'a class that the stand-in does not have',
      withClass('8', 'VAEDecodeAudio'),
      { node: '8', class: 'VAEDecodeAudio', message: expect.stringContaining('has no class VAEDecodeAudio') },
    ],
    [
      'no node that gives anything here',
      { 1: { class_type: 'SaveVideo', inputs: {} } },
      { node: '1', class: 'SaveVideo' },
    ],
    ['more pixels than it takes on', textToPicture({ size: 8192 }), { node: '5' }],
    [
      'a picture that did not come along',
      pictureToPicture(1),
      { node: '10', class: 'LoadImage', message: expect.stringContaining('"begin.png"') },
    ],
    ['a saved document', { nodes: [], links: [], version: 0.4 }, { message: expect.stringContaining('Convert it') }],
    ['no workflow', 'something', { message: expect.stringContaining('class_type') }],
  ]
  it.for(cases)('because of %s names what is wrong', async ([, workflow, error]) => {
    expect(await run(workflow)).toEqual({ error: expect.objectContaining(error) })
  })

  it('because of a file that is no picture says what it is', async () => {
    const images = [{ name: 'begin.png', image: Buffer.from('only words').toString('base64') }]
    const { error } = await run(pictureToPicture(1), { images })
    expect(error?.message).toContain('it is text/plain. Save it as PNG')
  })

  it('because of an input without a workflow says so as the public worker does', async () => {
    const signal = new AbortController().signal
    const answer = (inputText: string) =>
      handler({ id: 'job', input: {}, inputText }, { signal, progress: () => undefined, rawJson })
    expect(await answer('{}')).toEqual({ error: { message: "Missing 'workflow' parameter" } })
    expect(await answer('7')).toEqual({ error: { message: 'Please provide input' } })
    expect(await answer('{"workflow":{},"images":[1]}')).toEqual({
      error: { message: "'images' must be a list of objects with 'name' and 'image' keys" },
    })
  })
})
