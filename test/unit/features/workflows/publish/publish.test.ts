import { describe, expect, test } from 'vitest'
import { readNodeTypes } from '../../../../../src-main/features/workflows/rules/node-types.ts'
import { describeGraph } from '../../../../../src-main/features/workflows/rules/publish/describe-graph.ts'
import { suggestParameter } from '../../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import { fillPayload } from '../../../../../src-main/features/workflows/rules/publish/parameter-values.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { json, objectOf } from '../../../../support/workflow-files.ts'

const TYPES = readNodeTypes(
  objectOf(`{
    "KSampler": {"input": {"required": {
      "seed": ["INT", {"min": 0, "max": 18446744073709551615}], "cfg": ["FLOAT", {"min": 0.0, "max": 100.0}],
      "sampler_name": [["euler", "heun"], {}], "model": ["MODEL", {}]}}},
    "LoadImage": {"input": {"required": {"image": [["a.png"], {"image_upload": true}]}}}
  }`),
)
const PAYLOAD = objectOf(`{
  "3": {"class_type": "KSampler", "inputs": {"seed": 7, "cfg": 7.0, "sampler_name": "mine", "model": ["4", 0]}},
  "5": {"class_type": "LoadImage", "inputs": {"image": "a.png"}},
  "6": {"class_type": "Other", "inputs": {"text": "x", "on": true}}
}`)
const suggest = (node: string, input: string, name?: string) =>
  suggestParameter(PAYLOAD, TYPES, { node, input, ...(name === undefined ? {} : { name }) })

describe('a parameter is suggested', () => {
  test.each([
    ['3', 'seed', { type: 'integer', default: '7', min: '0', max: '18446744073709551615' }],
    ['3', 'cfg', { type: 'number', default: '7.0', min: '0.0', max: '100.0' }],
    ['3', 'sampler_name', { type: 'choice', default: '"mine"', choices: ['mine', 'euler', 'heun'] }],
    ['5', 'image', { type: 'image' }],
    ['6', 'text', { type: 'string', default: '"x"' }],
    ['6', 'on', { type: 'boolean', default: 'true' }],
  ])('for %s.%s', (node, input, parameter) => {
    expect(suggest(node, input)).toEqual({ parameter: { name: input, node, input, ...parameter } })
  })

  test('under the name that was asked for', () => {
    expect(suggest('6', 'text', 'prompt')).toMatchObject({ parameter: { name: 'prompt', input: 'text' } })
  })

  test.each([
    ['9', 'seed', 'There is no node 9.'],
    ['3', 'sed', 'Node 3 (KSampler) has no input sed.'],
    ['3', 'model', 'Input model of node 3 is linked to another node; only values can be parameters.'],
  ])('not for %s.%s: %s', (node, input, why) => {
    expect(suggest(node, input)).toEqual({ why })
  })
})

test('values are set, and pictures go with the payload', () => {
  const parameters = [
    { name: 'seed', node: '3', input: 'seed', type: 'integer' },
    { name: 'photo', node: '5', input: 'image', type: 'image' },
    { name: 'gone', node: '99', input: 'x', type: 'string' },
  ] as const
  const values = new Map(Object.entries({ photo: json('AAAA'), gone: json('x') })).set('seed', {
    number: '18446744073709551615',
  })
  const { payload, images } = fillPayload(PAYLOAD, parameters, values)
  expect(images).toEqual([{ name: 'photo.png', image: 'AAAA' }])
  expect(writeJson(payload)).toBe(
    writeJson(PAYLOAD).replace('"seed":7', '"seed":18446744073709551615').replace('"a.png"', '"photo.png"'),
  )
})

test('the document of a graph has its parameters, with exact numbers', () => {
  const text = writeJson(
    describeGraph({
      id: 'lamps',
      name: 'Lamps',
      version: 3,
      url: 'http://127.0.0.1:1/v2/lamps',
      parameters: [
        { name: 'prompt', node: '6', input: 'text', type: 'string', help: 'What to draw.' },
        { name: 'seed', node: '3', input: 'seed', type: 'integer', default: '7', max: '18446744073709551615' },
      ],
    }),
  )
  expect(text).toContain(
    '"input":{"type":"object","additionalProperties":false,"required":["prompt"],"properties":{' +
      '"prompt":{"type":"string","description":"What to draw."},' +
      '"seed":{"type":"integer","default":7,"maximum":18446744073709551615}}}',
  )
  expect(text).toContain('"version":"3"')
})
