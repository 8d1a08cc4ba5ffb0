import { expect, test } from 'vitest'
import { readPayloadNodes } from '../../../../../src-main/features/workflows/rules/payload.ts'
import {
  isStandIn,
  takesWorkflows,
  unrunnableNodes,
  whyNoWorkflows,
} from '../../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { readCatalog } from '../../../../../src-main/shipped-files/resources.ts'
import { bundledTypes, objectOf } from '../../../../support/workflow-files.ts'

test('a program of the catalog takes graphs by what it is, also where no setting says so', async () => {
  const known = (await readCatalog()).map(({ id, image, handler, settings }) => {
    const found = takesWorkflows({ handler, ...(image === undefined ? {} : { container: { image } }) })
    return { id, found, wanted: settings.workflows !== undefined }
  })
  expect(known.filter(({ found, wanted }) => found !== wanted)).toEqual([])
  expect(known.filter(({ found }) => found).length).toBeGreaterThan(3)
})

test.each<readonly [object, boolean]>([
  [{ workflows: {} }, true],
  [{ container: { image: 'ghcr.io/me/My-ComfyUI_worker@sha256:00' } }, true],
  [{ container: { image: 'comfyui/other:1' } }, false],
  [{ container: { image: 'worker-comfyui' }, handler: '/mine/handler.py' }, false],
  [{ handler: '/mine/handler.py' }, false],
  [{ workflows: {}, loadBalanced: {} }, false],
  [{ workflows: {}, graph: { behind: 'e' } }, false],
])('%j takes graphs: %s', (endpoint, takes) => {
  expect(takesWorkflows(endpoint)).toBe(takes)
})

test('says what to do about one that does not', () => {
  expect(whyNoWorkflows({})).toMatch(/turn on "Takes workflows" in its settings$/)
  expect(whyNoWorkflows({ graph: { behind: 'sketch' } })).toMatch(/Run the graph on sketch$/)
})

test('the stand-in has its own classes alone, of which it needs those that its outputs need', () => {
  const sketch = { handler: '/x/resources/node/sketch/handler.ts' }
  const unrunnable = (payload: object, endpoint: object = sketch) =>
    unrunnableNodes(endpoint, readPayloadNodes(objectOf(JSON.stringify(payload))), bundledTypes()).map(({ id }) => id)
  const mine = { class_type: 'Mine', inputs: {} }
  const save = { class_type: 'SaveImage', inputs: { images: ['1', 0] } }
  expect(isStandIn(sketch)).toBe(true)
  expect(unrunnable({ 1: mine, 2: save })).toEqual(['1'])
  expect(unrunnable({ 1: mine, 2: save }, { handler: '/x/handler.py' })).toEqual([])
  expect(
    unrunnable({ 1: mine, 2: { ...save, inputs: { images: ['3', 0] } }, 3: { class_type: 'EmptyImage', inputs: {} } }),
  ).toEqual([])
  expect(unrunnable({ 1: mine })).toEqual(['1'])
})
